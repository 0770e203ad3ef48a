import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { putEdit, type TextEdit, takeEdit } from '../../../src/hooks/edits.ts'
import { hookLine } from '../../../src/hooks/runner.ts'
import type { SetupEdit } from '../../../src/types/agent.ts'

const PATH = '/home/dev/repo/.agent/settings.json'
const value: SetupEdit = {
  type: 'json-value',
  path: PATH,
  at: ['servers', 'handoff'],
  value: { command: 'sh', args: ['-c'] },
}
const group = { hooks: [{ type: 'command', command: hookLine('claude-code', 'stop'), timeout: 10 }] }
const item: SetupEdit = { type: 'json-item', path: PATH, at: ['hooks', 'Stop'], value: group }

const put = (text: string | null, edit: TextEdit) => {
  const { bytes, reason } = putEdit(text === null ? null : Buffer.from(text), edit)
  return { text: bytes === null ? null : Buffer.from(bytes).toString(), reason }
}
const take = (text: string, edit: TextEdit, before?: string | null) => {
  const first = before === undefined || before === null ? before : Buffer.from(before)
  const bytes = takeEdit(Buffer.from(text), edit, first)
  return bytes === null ? null : Buffer.from(bytes).toString()
}

describe('a member of a JSON file', () => {
  it.each<[string, string | null, string]>([
    [
      'no file',
      null,
      '{\n  "servers": {\n    "handoff": {\n      "command": "sh",\n      "args": [\n        "-c"\n      ]\n    }\n  }\n}\n',
    ],
    [
      'an empty file',
      '',
      '{\n  "servers": {\n    "handoff": {\n      "command": "sh",\n      "args": [\n        "-c"\n      ]\n    }\n  }\n}\n',
    ],
    [
      'only a comment',
      '// mine\n',
      '// mine\n{\n  "servers": {\n    "handoff": {\n      "command": "sh",\n      "args": [\n        "-c"\n      ]\n    }\n  }\n}\n',
    ],
    [
      'tabs',
      '{\n\t"a": 1\n}\n',
      '{\n\t"a": 1,\n\t"servers": {\n\t\t"handoff": {\n\t\t\t"command": "sh",\n\t\t\t"args": [\n\t\t\t\t"-c"\n\t\t\t]\n\t\t}\n\t}\n}\n',
    ],
    ['one line', '{"a":1}', '{"a":1,"servers":{"handoff":{"command":"sh","args":["-c"]}}}'],
    ['one airy line', '{ "a": 1 }\n', '{ "a": 1, "servers": {"handoff":{"command":"sh","args":["-c"]}} }\n'],
    [
      'four spaces, no last line end',
      '{\n    "servers": {\n        "x": {}\n    }\n}',
      '{\n    "servers": {\n        "x": {},\n        "handoff": {\n            "command": "sh",\n            "args": [\n                "-c"\n            ]\n        }\n    }\n}',
    ],
    [
      'CRLF',
      '{\r\n  "a": 1\r\n}\r\n',
      '{\r\n  "a": 1,\r\n  "servers": {\r\n    "handoff": {\r\n      "command": "sh",\r\n      "args": [\r\n        "-c"\r\n      ]\r\n    }\r\n  }\r\n}\r\n',
    ],
    [
      'a byte order mark',
      '\uFEFF{\n  "servers": {}\n}\n',
      '\uFEFF{\n  "servers": {\n    "handoff": {\n      "command": "sh",\n      "args": [\n        "-c"\n      ]\n    }\n  }\n}\n',
    ],
    [
      'comments',
      '{\n  // why\n  "servers": {\n    "x": {} // the first\n    /* last word */\n  }\n}\n',
      '{\n  // why\n  "servers": {\n    "x": {},\n    "handoff": {\n      "command": "sh",\n      "args": [\n        "-c"\n      ]\n    } // the first\n    /* last word */\n  }\n}\n',
    ],
    [
      'a comma at the end',
      '{\n  "servers": {\n    "x": {},\n  },\n}\n',
      '{\n  "servers": {\n    "x": {},\n    "handoff": {\n      "command": "sh",\n      "args": [\n        "-c"\n      ]\n    },\n  },\n}\n',
    ],
    [
      'a comment in an empty mapping',
      '{\n  "servers": {\n    // none yet\n  }\n}\n',
      '{\n  "servers": {\n    // none yet\n    "handoff": {\n      "command": "sh",\n      "args": [\n        "-c"\n      ]\n    }\n  }\n}\n',
    ],
  ])('%s', (_, before, after) => {
    expect(put(before, value)).toEqual({ text: after, reason: null })
    expect(put(after, value)).toEqual({ text: after, reason: null })
    const stood = before === '' || before === '// mine\n' ? undefined : before
    const back = take(after, value, stood)
    // Without a record an empty file cannot be told from none.
    expect(back).toBe(before === '' ? null : before === '// mine\n' ? '// mine\n{}\n' : before)
  })

  it.each([
    ['another value', '{"servers":{"handoff":{"command":"other"}}}', 'it has its own `servers.handoff`'],
    ['a list where a mapping is needed', '{"servers":[]}', 'it has its own `servers`'],
    ['null on the way', '{"servers":null}', 'it has its own `servers`'],
    ['no mapping at all', '[1]', 'it does not hold a mapping'],
  ])('%s is left alone', (_, text, reason) => {
    expect(put(text, value)).toEqual({ text, reason })
    expect(take(text, value)).toBe(text)
  })

  it('keeps what somebody else put beside it, when it goes', () => {
    const text = put('{"a":1}', value).text?.replace('{"handoff"', '{"other":1,"handoff"') ?? ''
    expect(take(text, value, '{"a":1}')).toBe('{"a":1,"servers":{"other":1}}')
  })

  it('keeps a mapping that was there, empty as it was', () => {
    const before = '{\n  "servers": {}\n}\n'
    expect(take(put(before, value).text ?? '', value, before)).toBe(before)
    expect(take(put(before, value).text ?? '', value)).toBeNull()
  })
})

describe('an element of a JSON list', () => {
  it('comes once, also when somebody has changed it', () => {
    const { text } = put('{"hooks":{"Stop":[{"hooks":[]}]}}', item)
    expect(parse(text ?? '')).toEqual({ hooks: { Stop: [{ hooks: [] }, group] } })
    expect(put(text, item)).toEqual({ text, reason: null })
    const slower = text?.replace('"timeout":10', '"timeout":99') ?? ''
    expect(put(slower, item)).toEqual({ text: slower, reason: null })
    expect(take(slower, item)).toBe('{"hooks":{"Stop":[{"hooks":[]}]}}')
  })

  it('leaves the hook that somebody has put into ours', () => {
    const theirs = { type: 'command', command: 'say done' }
    const text = JSON.stringify({ hooks: { Stop: [{ hooks: [...group.hooks, theirs] }] } })
    expect(JSON.parse(take(text, item) ?? '')).toEqual({ hooks: { Stop: [{ hooks: [theirs] }] } })
  })

  it('leaves nothing behind in a file that has nothing else', () => {
    const { text } = put(null, item)
    expect(take(text ?? '', item)).toBeNull()
    expect(take(text ?? '', item, '{}\n')).toBe('{}\n')
  })

  it('is left out where something else stands', () => {
    expect(put('{"hooks":{"Stop":"x"}}', item).reason).toBe('it has its own `hooks.Stop`')
  })
})

describe('invalid JSON', () => {
  it.each([
    ['{\n  "a": 1\n  "b": 2\n}', `${PATH}:3: not valid JSON: comma expected`],
    ['{', `${PATH}:1: not valid JSON: close brace expected`],
    ['nonsense', `${PATH}:1: not valid JSON: invalid symbol`],
    ['{} {}', `${PATH}:1: not valid JSON: end of file expected`],
  ])('%j', (text, message) => {
    expect(() => put(text, value)).toThrow(expect.objectContaining({ code: 'E_SETTINGS', message }))
  })

  it('is brackets without end', () => {
    expect(() => put('['.repeat(1_000_000), value)).toThrow(
      expect.objectContaining({ code: 'E_SETTINGS', message: `${PATH}: is nested too deeply` }),
    )
  })

  it('is bytes that are no UTF-8', () => {
    expect(() => putEdit(Buffer.from([0x7b, 0xff, 0x7d]), value)).toThrow(`${PATH}: not UTF-8`)
  })
})

describe('any JSON file', () => {
  const key = fc.constantFrom('a', 'b', 'servers', 'hooks', 'Stop', 'handoff', '__proto__', '')
  const json = fc.dictionary(
    key,
    fc.letrec((tie) => ({
      any: fc.oneof(
        { depthSize: 'small' },
        fc.integer(),
        fc.string(),
        fc.constant(null),
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(key, tie('any'), { maxKeys: 3 }),
      ),
    })).any,
  )
  const style = fc.record({
    unit: fc.constantFrom('', '  ', '\t', '    '),
    eol: fc.constantFrom('\n', '\r\n'),
    trailing: fc.boolean(),
    comments: fc.boolean(),
    end: fc.constantFrom('', '\n'),
  })

  it('means the same with the edit, and is the same without', () => {
    fc.assert(
      fc.property(json, style, fc.constantFrom(value, item), (content, how, edit) => {
        const before = written(content, how)
        const { text, reason } = put(before, edit)
        if (reason !== null || text === null || text === before) {
          expect(text).toBe(before)
          return
        }
        const now = parse(text, [], { allowTrailingComma: true }) as Record<string, Record<string, unknown>>
        const [outer = '', inner = ''] =
          edit.type === 'json-value' || edit.type === 'json-item' ? edit.at : []
        const found = now[outer]?.[inner]
        expect(edit.type === 'json-item' ? (found as unknown[]).at(-1) : found).toEqual(
          'value' in edit ? edit.value : null,
        )
        expect(put(text, edit)).toEqual({ text, reason: null })
        const back = take(text, edit, before)
        expect(parse(back ?? '', [], { allowTrailingComma: true })).toEqual(
          parse(before, [], { allowTrailingComma: true }),
        )
        if (!/[{[]\s+[\]}]|\/\//.test(before)) expect(back).toBe(before)
      }),
      { numRuns: 400 },
    )
  })
})

function written(
  content: unknown,
  how: { unit: string; eol: string; trailing: boolean; comments: boolean; end: string },
): string {
  let text = JSON.stringify(content, null, how.unit)
  if (how.unit !== '') {
    if (how.trailing) text = text.replace(/([^{[,\n])\n(\s*[\]}])/g, '$1,\n$2')
    if (how.comments) text = text.replace(/([^{[\n])\n/g, '$1 // note\n')
    text = text.replaceAll('\n', how.eol)
  }
  return text + how.end
}
