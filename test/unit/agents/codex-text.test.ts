import { describe, expect, it } from 'vitest'
import {
  changedFiles,
  commandText,
  messageTexts,
  patchInCommand,
  readOutput,
  readScriptEnd,
  summaryText,
  userPart,
  workdirOf,
} from '../../../src/agents/codex/tools.ts'
import { pathOf } from '../../../src/agents/content.ts'
import { patchFiles } from '../../../src/agents/tools.ts'

describe('patches', () => {
  it('names files with what happens to them', () => {
    const patch =
      '*** Begin Patch\n*** Add File: a b.md\n+x\n*** Update File: c.ts\n*** Move to: d.ts\n@@\n-*** Delete File: no\n*** Delete File: e.ts\n*** End Patch'
    expect(patchFiles(patch)).toEqual([
      { path: 'a b.md', change: 'create' },
      { path: 'd.ts', change: 'rename', from: 'c.ts' },
      { path: 'e.ts', change: 'delete' },
    ])
    expect(patchInCommand(`cd x && apply_patch <<'EOF'\n${patch}\nEOF`)).toHaveLength(3)
    expect(patchInCommand('git log --grep "*** Begin Patch"')).toEqual([])
  })
  it('reads both forms of a change', () => {
    expect(
      changedFiles({
        '/b': { update: { unified_diff: '', move_path: '/c' } },
        '/a': { add: { content: '' } },
      }),
    ).toEqual([
      { path: '/a', change: 'create' },
      { path: '/c', change: 'rename', from: '/b' },
    ])
  })
})

describe('outputs', () => {
  it('takes the status from the header, never from the output', () => {
    expect(
      readOutput('Wall time: 1 seconds\nProcess exited with code 0\nOutput:\nProcess exited with code 3\n'),
    ).toMatchObject({ exitCode: 0, text: 'Process exited with code 3\n' })
    expect(readOutput('Exit code: 2\nWall time: 0 seconds\nOutput:\nx')).toMatchObject({
      exitCode: 2,
      text: 'x',
    })
    expect(
      readOutput('Wall time: 1 seconds\nProcess exited with code 0\nOutput:\naborted by user'),
    ).toMatchObject({ refused: false })
    expect(
      readOutput('patch rejected: writing outside of the project; rejected by user approval settings'),
    ).toMatchObject({ refused: false, rejected: true })
  })
  it('believes a printed status only when it stands alone or in a whole answer', () => {
    const end = (...texts: string[]) =>
      readScriptEnd(['Script completed\nOutput:\n', ...texts].map((text) => ({ text }))).exitCode
    expect(end('exit_code: 1')).toBe(1)
    expect(end('{"exit_code":3,"output":""}')).toBe(3)
    expect(end('the doc says exit_code: 1')).toBeNull()
    expect(end('exit_code: 1', 'exit_code: 0')).toBeNull()
  })
})

describe('rows in the name of the person', () => {
  it.each([
    '<environment_context>\n<cwd>/x</cwd>\n</environment_context>',
    '<user_instructions>x</user_instructions>',
    '# AGENTS.md instructions for /home/dev/repo\n\n<INSTRUCTIONS>x</INSTRUCTIONS>',
    '<permissions instructions>x</permissions instructions>',
    '<turn_aborted>\nx\n</turn_aborted>',
    '<hook_prompt hook_run_id="stop:1">Run the tests.</hook_prompt>',
    '<subagent_notification>\n{}\n</subagent_notification>',
    '<recommended_plugins>x</recommended_plugins>',
    '  \n',
  ])('is none: %s', (text) => {
    expect(userPart(text)).toEqual({ is: 'injected' })
  })
  it('keeps words that only look alike', () => {
    for (const text of [
      '# Plan\nfix add',
      '<div> is broken',
      '$handoffs are good',
      '$handoff write it down',
      'see # AGENTS.md instructions',
    ])
      expect(userPart(text)).toEqual({ is: 'words', text })
  })
  it('takes away what the desktop client puts before the words', () => {
    const text =
      '\n# Files mentioned by the user:\n\n## a.png: /home/dev/a.png\n\n## My request for Codex:\nadd the image\n'
    expect(userPart(text)).toEqual({ is: 'words', text: 'add the image' })
  })
  it('believes the provenance', () => {
    const from = (type: string) => ({ content_item_metadata: [{ provenance: { type } }] })
    const row = (type: string) => ({
      content: [{ text: 'hi' }],
      internal_chat_message_metadata_passthrough: from(type),
    })
    expect(messageTexts(row('user'))).toEqual(['hi'])
    expect(messageTexts(row('harness'))).toEqual([])
  })
  it('takes the fixed sentence off a summary', () => {
    expect(
      summaryText(
        'Another language model started to solve this problem and … analysis:\n<summary>\nx\n</summary>',
      ),
    ).toBe('<summary>\nx\n</summary>')
    expect(summaryText('')).toBe('')
  })
})

describe('commands and places', () => {
  it('shows what a person would type', () => {
    expect(commandText(['bash', '-lc', 'a && b'])).toBe('a && b')
    expect(commandText(['/bin/zsh', '-lc', 'x'])).toBe('x')
    expect(commandText(['git', 'status'])).toBe('git status')
    expect(commandText(['node', '-e', '1'])).toBe('node -e 1')
    expect(workdirOf({ workdir: 'api' }, '/r')).toBe('/r/api')
    expect(workdirOf({ workdir: '/other' }, '/r')).toBe('/other')
    expect(workdirOf({ workdir: 'api' }, null)).toBeNull()
    expect(pathOf('file:///home/dev/a%20b')).toBe('/home/dev/a b')
    expect(pathOf('file:///home/dev/100%')).toBe('/home/dev/100%')
  })
})
