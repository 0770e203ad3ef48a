import { parse as parseToml } from 'smol-toml'
import { describe, expect, it } from 'vitest'
import { putEdit, type TextEdit, takeEdit } from '../../../src/hooks/edits.ts'
import type { SetupEdit } from '../../../src/types/agent.ts'

const notes: SetupEdit = { type: 'block', path: '/r/AGENTS.md', comment: '<!--', text: 'first\n\nlast\n' }
const BEGIN = '<!-- >>> handoff: `git handoff init` writes this, do not edit >>> -->'
const BLOCK = [BEGIN, 'first', '', 'last', '<!-- <<< handoff <<< -->']
const table: SetupEdit = {
  type: 'block',
  path: '/r/.codex/config.toml',
  comment: '#',
  text: '[mcp_servers.handoff]\ncommand = "sh"\n',
}
const file: SetupEdit = { type: 'file', path: '/r/skill/SKILL.md', content: '# ours\n' }

const put = (text: string | null, edit: TextEdit) => {
  const { bytes, reason } = putEdit(text === null ? null : Buffer.from(text), edit)
  return { text: bytes === null ? null : Buffer.from(bytes).toString(), reason }
}
const take = (text: string, edit: TextEdit, before?: string | null) => {
  const first = before === undefined || before === null ? before : Buffer.from(before)
  const bytes = takeEdit(Buffer.from(text), edit, first)
  return bytes === null ? null : Buffer.from(bytes).toString()
}

describe('a block of lines', () => {
  const lf = BLOCK.join('\n')
  const crlf = BLOCK.join('\r\n')

  it.each<[string, string | null, string]>([
    ['no file', null, `${lf}\n`],
    ['a file', '# Rules\n', `# Rules\n\n${lf}\n`],
    ['CRLF', '# Rules\r\nbe kind\r\n', `# Rules\r\nbe kind\r\n\r\n${crlf}\r\n`],
    ['no last line end', '# Rules', `# Rules\n\n${lf}`],
    ['a byte order mark', '\uFEFF# Rules\n', `\uFEFF# Rules\n\n${lf}\n`],
    ['blank lines at the end', '# Rules\n\n\n', `# Rules\n\n\n\n${lf}\n`],
  ])('%s: comes once and goes without a trace', (_, before, after) => {
    expect(put(before, notes)).toEqual({ text: after, reason: null })
    expect(put(after, notes)).toEqual({ text: after, reason: null })
    expect(take(after, notes, before)).toBe(before)
    expect(take(after, notes)).toBe(before)
  })

  it('keeps what somebody wrote around it', () => {
    expect(take(`# Rules\n\n${lf}\n\n## More\n`, notes)).toBe('# Rules\n\n## More\n')
    expect(take(`${lf}\n## More\n`, notes)).toBe('## More\n')
  })

  it('is exchanged where it stands when a new version says something else', () => {
    const older = `# Rules\n\n${BEGIN}\nold words\n<!-- <<< handoff <<< -->\n\n## More\n`
    expect(put(older, notes).text).toBe(`# Rules\n\n${lf}\n\n## More\n`)
    expect(take(older, notes)).toBe('# Rules\n\n## More\n')
  })

  it('is not what somebody quotes', () => {
    const quoted = 'It begins with `<!-- >>> handoff` and ends.\n'
    expect(take(quoted, notes)).toBe(quoted)
    // A begin without an end is not ours to take: nobody knows how far it goes.
    const torn = `${BEGIN}\nfirst\n`
    expect(take(torn, notes)).toBe(torn)
  })
})

describe('a table of TOML', () => {
  it('comes behind the rest, and goes', () => {
    const before = '# mine\nmodel = "x" # why\n\n[projects."/r"]\ntrust_level = "trusted"\n'
    const { text, reason } = put(before, table)
    expect(reason).toBeNull()
    expect(parseToml(text ?? '')).toMatchObject({
      model: 'x',
      mcp_servers: { handoff: { command: 'sh' } },
    })
    expect(take(text ?? '', table, before)).toBe(before)
  })

  it.each([
    '[mcp_servers.handoff]\ncommand = "mine"\n',
    '[mcp_servers]\nhandoff = { command = "mine" }\n',
    'mcp_servers = { other = { command = "x" } }\n',
    '[mcp_servers]\n"handoff".command = "mine"\n',
  ])('is left out where somebody has their own: %j', (text) => {
    expect(put(text, table)).toEqual({ text, reason: 'it has its own [mcp_servers.handoff]' })
    expect(take(text, table)).toBe(text)
  })

  it('names the line of what is no TOML', () => {
    expect(() => put('a = 1\nb = = 2\n', table)).toThrow(
      expect.objectContaining({
        code: 'E_SETTINGS',
        message: expect.stringMatching(/^\/r\/\.codex\/config\.toml:2: /),
      }),
    )
  })
})

describe('a whole file', () => {
  it('comes where none is, and goes while it is ours', () => {
    expect(put(null, file)).toEqual({ text: '# ours\n', reason: null })
    expect(put('# ours\n', file)).toEqual({ text: '# ours\n', reason: null })
    expect(take('# ours\n', file)).toBeNull()
    // As git checks it out on Windows.
    expect(put('# ours\r\n', file)).toEqual({ text: '# ours\r\n', reason: null })
    expect(take('# ours\r\n', file)).toBeNull()
  })

  it('is left alone when it is somebody else’s', () => {
    expect(put('# theirs\n', file)).toEqual({
      text: '# theirs\n',
      reason: 'there is another file of that name',
    })
    expect(take('# theirs\n', file)).toBe('# theirs\n')
    expect(putEdit(Buffer.from([0xff]), file).reason).toBe('there is another file of that name')
  })
})
