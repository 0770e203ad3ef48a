import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import { putEdit, type TextEdit, takeEdit } from '../../../src/hooks/edits.ts'
import { gitHookLine } from '../../../src/hooks/runner.ts'

const RUN = `sh -c 'd="$(git rev-parse --git-common-dir)" && sh "$d/handoff/hook" git pre-commit "$@"' handoff {1}`
const member: TextEdit = {
  type: 'yaml-value',
  path: 'lefthook.yml',
  at: ['pre-commit', 'commands', 'handoff'],
  value: { run: RUN, use_stdin: true },
}
const item: TextEdit = {
  type: 'yaml-item',
  path: '.pre-commit-config.yaml',
  at: ['repos'],
  value: { repo: 'local', hooks: [{ id: 'handoff-pre-commit', entry: RUN, stages: ['pre-commit'] }] },
}

const put = (text: string | null, edit: TextEdit) => {
  const { bytes, reason } = putEdit(text === null ? null : Buffer.from(text), edit)
  return { text: bytes === null ? null : Buffer.from(bytes).toString('utf8'), reason }
}
/** As in a clone where nobody knows what stood there, or with `before` known. */
const take = (text: string | null, edit: TextEdit, before?: string) => {
  const known = before === undefined ? undefined : Buffer.from(before)
  const bytes = takeEdit(text === null ? null : Buffer.from(text), edit, known)
  return bytes === null ? null : Buffer.from(bytes).toString('utf8')
}

const MAPS: Record<string, string> = {
  'nothing of the kind': '# mine\ncolors: false\n',
  'another hook': 'pre-push:\n  commands:\n    test:\n      run: npm test # slow\n',
  'the hook, without commands': 'pre-commit:\n  parallel: true\n\npost-merge:\n  parallel: true\n',
  'the hook with jobs': 'pre-commit:\n  jobs:\n    - name: lint\n      run: npm run lint\n',
  'the hook with commands':
    'pre-commit:\n  commands:\n    lint:\n      run: npm run lint   # why\n\n# the end\n',
  'a block scalar last':
    'pre-commit:\n  commands:\n    lint:\n      run: |\n        one\n        two\n\npost-merge: {}\n',
  'four spaces': 'pre-commit:\n    commands:\n        lint:\n            run: npm run lint\n',
  'flow style inside': 'pre-commit:\n  commands:\n    lint: {run: npm run lint} # short\n',
  'an anchor': 'lint: &lint\n  run: npm run lint\npre-commit:\n  commands:\n    lint: *lint\n',
  'a merge key':
    'base: &base\n  parallel: true\npre-commit:\n  <<: *base\n  commands:\n    a:\n      run: a\n',
  'Windows line ends': 'pre-commit:\r\n  commands:\r\n    lint:\r\n      run: lint\r\n',
  'a byte order mark': '\uFEFFpre-commit:\n  commands:\n    lint:\n      run: lint\n',
  'an explicit key': 'pre-commit:\n  commands:\n    ? x\n    : run: y\n',
  'no line end at the end': 'pre-commit:\n  commands:\n    lint:\n      run: lint',
  'odd names and quotes': `"a: b": 'x # y'\n'ünï': "\\u263a"\npre-commit:\n  commands:\n    "x y":\n      run: y\n`,
}

const LISTS: Record<string, string> = {
  'no list': 'fail_fast: true # first\n',
  'a list at the margin': 'repos:\n- repo: https://example.com/a\n  rev: v1 # pinned\n  hooks:\n  - id: a\n',
  'an indented list':
    'repos:\n  - repo: local\n    hooks:\n      - id: a\n        files: \\.py$\n\n# the end\n',
  'something behind it': 'repos:\n  - repo: local\n    hooks:\n      - id: a\nexclude: ^x\n',
  'a wide dash': 'repos:\n  -   repo: local\n      hooks:\n      -   id: a\n',
  'a document start': '---\nrepos:\n  - repo: local\n    hooks:\n      - id: a\n',
}

describe.each<[string, TextEdit, Record<string, string>]>([
  ['a member of a mapping', member, MAPS],
  ['an element of a list', item, LISTS],
])('%s', (_, edit, files) => {
  it.each(Object.entries(files))(
    '%s: it comes in lines of its own, once, and goes without a trace',
    (__, before) => {
      const { text, reason } = put(before, edit)
      expect(reason).toBeNull()
      const after = text ?? ''
      // Everything that stood there stands there, in order.
      const own = before.split(/\r?\n/)
      const lines = after.split(/\r?\n/)
      expect(lines.filter((line) => own.includes(line))).toEqual(
        expect.arrayContaining(own.filter((line) => line !== '')),
      )
      if (before.includes('\r\n')) expect(after.replaceAll('\r\n', '')).not.toContain('\n')
      expect(after.startsWith('\uFEFF')).toBe(before.startsWith('\uFEFF'))
      expect(after.endsWith('\n')).toBe(before.endsWith('\n'))
      const value = parse(after.replace('\uFEFF', ''), { merge: true }) as Record<string, unknown>
      const found =
        edit.type === 'yaml-item'
          ? (value.repos as unknown[]).at(-1)
          : (value['pre-commit'] as { commands: Record<string, unknown> } | undefined)?.commands.handoff
      expect(found).toEqual((edit as { value: unknown }).value)
      expect(put(after, edit).text).toBe(after)
      expect(take(after, edit, before)).toBe(before)
      // Where nobody knows, mappings that hold nothing go as well.
      if (!/^(pre-commit|repos):\s*$/m.test(before) || /commands|- /.test(before))
        expect(take(after, edit)).toBe(before)
    },
  )

  it('makes the file, and takes it away', () => {
    const { text } = put(null, edit)
    expect(parse(text ?? '')).toBeTypeOf('object')
    expect(take(text, edit)).toBeNull()
  })

  it('comes below a file of comments alone, and leaves them', () => {
    const before = '# one\n\n# two\n'
    const { text } = put(before, edit)
    expect(text?.startsWith(before)).toBe(true)
    expect(take(text, edit, before)).toBe(before)
  })

  it('is known when somebody has changed it around the call', () => {
    const after = put(Object.values(files)[1] ?? '', edit).text ?? ''
    const changed = after
      .replace('id: handoff-pre-commit', 'id: ours')
      .replace('use_stdin: true', 'use_stdin: false')
    expect(changed).not.toBe(after)
    expect(put(changed, edit)).toEqual({ text: changed, reason: null })
    expect(take(changed, edit)).toBe(Object.values(files)[1])
  })

  it('is an error that names the line when the file is no YAML', () => {
    for (const bad of ['a: [1\nb: 2\n', 'a: 1\n---\nb: 2\n', 'a: 1\na: 2\n', 'a:\n\t- x\n', 'a: "x\n'])
      expect(() => put(bad, edit), bad).toThrow(
        /^(lefthook\.yml|\.pre-commit-config\.yaml):\d+: not valid YAML: /,
      )
  })

  it.each<[string, string, string]>([
    ['brackets', '['.repeat(60_000), 'is nested too deeply'],
    ['lists in lists on one line', `${'- '.repeat(30_000)}x`, 'is nested too deeply'],
    ['mappings in mappings', `{a: ${'{a: '.repeat(20_000)}`, 'is nested too deeply'],
    ['keys', Array.from({ length: 20_000 }, (___, at) => `k${at}: 1\n`).join(''), 'has too many keys'],
    ['anchors', '&a '.repeat(20_000), 'has too many parts'],
    [
      'aliases of aliases',
      `a0: &a0 [x]\n${Array.from({ length: 9 }, (___, at) => `a${at + 1}: &a${at + 1} [${Array(9).fill(`*a${at}`).join(', ')}]\n`).join('')}`,
      'holds aliases that stand for too much',
    ],
  ])(
    'is an error that no parser was asked for when the file is made to be slow, deep or endless: %s',
    (__, bad, why) => {
      for (const call of [() => put(bad, edit), () => take(bad, edit)])
        expect(call).toThrow(`${edit.path}: ${why}`)
      // What stood there first is no better for having been there.
      expect(take(put('', edit).text, edit, bad)).toBeTypeOf('string')
    },
  )

  it.each<[string, string]>([
    ['a list', '- a\n'],
    ['a text', 'just words\n'],
    ['braces', '{pre-commit: {commands: {}}, repos: []}\n'],
    ['braces inside', 'pre-commit: {commands: {a: {run: b}}}\nrepos: [{repo: local, hooks: []}]\n'],
    ['another value', 'pre-commit: no\nrepos: none\n'],
    ['an alias', 'x: &x\n  commands: {}\npre-commit: *x\ny: &y []\nrepos: *y\n'],
  ])('is left out where %s stands in its place', (__, before) => {
    const { text, reason } = put(before, edit)
    expect(text).toBe(before)
    expect(reason).toMatch(/^it /)
  })
})

describe('a member whose place somebody else has', () => {
  it('is left out', () => {
    const before = 'pre-commit:\n  commands:\n    handoff:\n      run: my own\n'
    expect(put(before, member)).toMatchObject({
      text: before,
      reason: expect.stringContaining('pre-commit.commands.handoff'),
    })
    expect(take(before, member)).toBe(before)
  })
})

describe('an element with several calls', () => {
  const hooks = (...events: ('pre-commit' | 'post-merge')[]): TextEdit => ({
    ...item,
    value: {
      repo: 'local',
      hooks: events.map((event) => ({
        id: `handoff-${event}`,
        entry: gitHookLine(event),
        language: 'system',
      })),
    },
  })

  it('goes whole where fewer are there, and leaves a hook that somebody has put among them', () => {
    const before = 'repos:\n  - repo: https://example.org/a\n    rev: v1\n    hooks:\n      - id: a\n'
    const after = put(before, hooks('pre-commit', 'post-merge')).text ?? ''
    expect(take(after, hooks('pre-commit'))).toBe(before)
    const theirs = after.replace(/\n$/, '\n      - id: mine\n        entry: true\n')
    const left = parse(take(theirs, hooks('pre-commit')) ?? '') as { repos: unknown[] }
    expect(left.repos[1]).toEqual({ repo: 'local', hooks: [{ id: 'mine', entry: true }] })
  })
})

describe('a key without a value', () => {
  it('gets one, and is empty again where it was known to stand there', () => {
    for (const [edit, before] of [
      [member, 'pre-commit: # later\npost-merge:\n'],
      [item, 'repos: # later\nexclude: x\n'],
    ] as const) {
      const after = put(before, edit).text
      expect(take(after, edit, before)).toBe(before)
      expect(take(after, edit)).not.toContain('handoff')
    }
  })
})
