import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callerBy } from '../../../src/agents/caller.ts'
import { geminiResult } from '../../../src/agents/gemini-cli/calls.ts'
import { geminiCli } from '../../../src/agents/gemini-cli/index.ts'
import { createGeminiTranslator, geminiUser } from '../../../src/agents/gemini-cli/read.ts'
import type { SetupPlace } from '../../../src/types/agent.ts'
import type { SessionEvent } from '../../../src/types/session.ts'

const fixtures = join(import.meta.dirname, '../../fixtures')
const home = join(fixtures, 'agents-home/gemini-cli')
const place = { home, env: {} }
const idsOf = (refs: { id: string }[]): string[] => refs.map(({ id }) => id.slice(0, 1))
const sample = (name: string): string => join(fixtures, 'agents/gemini-cli', name, 'session.jsonl')

describe('finding sessions of Gemini CLI', () => {
  it('takes the start directory from the folder of the project: this one and those below, newest first', async () => {
    const refs = await geminiCli.find(place, ['/home/dev/repo'])
    // b: nothing was said. e: a neighbour with a like name. a was resumed, which left a second file without a word.
    expect(idsOf(refs)).toEqual(['c', 'a', 'd'])
    expect(refs[1]).toMatchObject({
      agent: 'gemini-cli',
      cwd: '/home/dev/repo',
      title: 'Fix the sum',
      startedAt: '2026-11-21T09:00:00.000Z',
      updatedAt: '2026-11-21T10:00:00.000Z',
    })
    expect(refs[1]?.path).toContain('session-2026-11-21T09-00-aaaaaaaa.jsonl')
    expect(refs[2]?.cwd).toBe('/home/dev/repo/src')
  })

  it('knows the folders of older clients by the hash of the directory', async () => {
    expect(idsOf(await geminiCli.find(place, ['/home/dev/old']))).toEqual(['f'])
  })

  it('looks where GEMINI_CLI_HOME says, and finds nothing where Gemini CLI never ran', async () => {
    const elsewhere = { home: '/nowhere', env: { GEMINI_CLI_HOME: home } }
    expect(await geminiCli.find(elsewhere, ['/home/dev/repo'])).toHaveLength(3)
    expect(await geminiCli.find({ home: '/nowhere', env: {} }, ['/home/dev/repo'])).toEqual([])
  })
})

describe('a file given by name', () => {
  it('tells its start directory by its place, else by what the client said to its model', async () => {
    const path = join(home, '.gemini/tmp/repo-src/chats/session-2026-11-21T08-00-dddddddd.jsonl')
    expect((await geminiCli.identify(path, readFileSync(path, 'utf8')))?.cwd).toBe('/home/dev/repo/src')
    const alone = sample('resumed')
    expect((await geminiCli.identify(alone, readFileSync(alone, 'utf8')))?.cwd).toBe('/home/dev/repo')
  })

  it('is none of this client without its header', async () => {
    expect(await geminiCli.identify('/nowhere', '{"sessionId":"a","type":"user"}\n')).toBeNull()
    expect(await geminiCli.identify('/nowhere', '{"role":"user","content":"hi"}\n')).toBeNull()
  })
})

it('is known by the mark in the environment; only hooks are told the session', () => {
  expect(callerBy(geminiCli, { GEMINI_CLI: '1' })).toEqual({
    agent: 'gemini-cli',
    sessionId: null,
    path: null,
  })
  expect(callerBy(geminiCli, { GEMINI_CLI: '1', GEMINI_SESSION_ID: 's' })?.sessionId).toBe('s')
  expect(callerBy(geminiCli, { GEMINI_API_KEY: 'k' })).toBeNull()
})

describe('a user row', () => {
  const said = (...texts: string[]) => geminiUser({ id: 'u', content: texts.map((text) => ({ text })) }).said
  const prompt = (text: string) => [{ kind: 'prompt', text }]

  it('loses what the client and hooks put before and behind the words', () => {
    expect(
      said('<hook_context>a &lt;b&gt;</hook_context>\n\nFix it', '<hook_context>c</hook_context>'),
    ).toEqual(prompt('Fix it'))
    for (const text of [
      '<session_context>\nThis is the Gemini CLI.\n</session_context>',
      'Please continue.',
      'System: Potential loop detected. Details: x.',
      "Here is the user's editor context as a JSON object. This is for your information only.\n```json\n{}\n```",
      'User has manually exited Plan Mode. Switching to Default mode.',
      'Background execution update:\n<background_output>\nx\n</background_output>',
    ])
      expect(said(text), text).toEqual([])
    expect(said('Please continue. Then stop.')).toEqual(prompt('Please continue. Then stop.'))
  })

  it('in front of a tool result holds words only when the person typed them while the agent worked', () => {
    const row = (text: string) =>
      geminiUser({ content: [{ text }, { functionResponse: { id: 'x', response: { output: 'y' } } }] }).said
    const hint = 'User steering update:\n<user_input>\nuse tabs\n</user_input>\nInternal instruction: …'
    expect(row(hint)).toEqual(prompt('use tabs'))
    expect(row('anything else')).toEqual([])
  })

  it('of a custom command is its name and arguments, and our own as it was typed', () => {
    const command = (shown: string) =>
      geminiUser({ content: [{ text: 'expanded' }], displayContent: [{ text: shown }] }).said
    expect(command('/git:tidy src/a.ts now')).toEqual([
      { kind: 'skill', name: 'git:tidy' },
      ...prompt('src/a.ts now'),
    ])
    expect(command('/handoff add validation')).toEqual(prompt('/handoff add validation'))
    // So it is called where a project has a command of that name.
    expect(command('/handoff.handoff add\nvalidation')).toEqual(prompt('/handoff add\nvalidation'))
    expect(said('/etc/hosts is wrong')).toEqual(prompt('/etc/hosts is wrong'))
  })

  it('of a shell command is a run of the person, with the exit code the client tells', () => {
    const shell = (output: string) =>
      said(
        `I ran the following shell command:\n\`\`\`sh\nls \\\`x\\\`\n\`\`\`\n\nThis produced the following result:\n\`\`\`\n${output}\n\`\`\``,
      )
    expect(shell('a.ts')).toMatchObject([
      { kind: 'call', by: 'user', action: { type: 'run', command: 'ls `x`' } },
      { kind: 'result', ok: true, exitCode: 0, text: 'a.ts' },
    ])
    expect(shell('Command exited with code 2.\nno such file')[1]).toMatchObject({
      ok: false,
      exitCode: 2,
      text: 'no such file',
    })
    expect(shell('Command was cancelled.\n')[1]).toMatchObject({ ok: false, exitCode: null, refused: true })
    expect(shell('Command moved to background (PID: 7). Output hidden.')[1]).toMatchObject({
      ok: false,
      unsure: true,
    })
  })
})

describe('the end of a shell command', () => {
  const ended = (output: string, status = 'success') =>
    geminiResult({
      name: 'run_shell_command',
      status,
      result: [
        {
          functionResponse: { response: { output: `<untrusted_context>\n${output}\n</untrusted_context>` } },
        },
      ],
    })

  it('is told by lines behind the output; without one of a code it went well', () => {
    expect(ended('Output: ok\nProcess Group PGID: 7')).toMatchObject({ ok: true, exitCode: 0, text: 'ok' })
    expect(ended('Output: (empty)\nProcess Group PGID: 7')).toMatchObject({ ok: true, exitCode: 0, text: '' })
    expect(
      ended('Output: a\nExit Code: 0 is what I want\nExit Code: 3\nProcess Group PGID: 7'),
    ).toMatchObject({
      ok: false,
      exitCode: 3,
      text: 'a\nExit Code: 0 is what I want',
    })
    expect(ended('Output: (empty)\nSignal: SIGKILL\nProcess Group PGID: 7')).toMatchObject({
      ok: false,
      exitCode: null,
    })
  })

  it('is not read off the last lines of the output itself', () => {
    expect(ended('Output: Error: handled\nProcess Group PGID: 7')).toMatchObject({
      ok: true,
      text: 'Error: handled',
    })
    expect(
      ended('Output: a\n\nExit Code: 1\nSignal: SIGTERM\nBackground PIDs: 8, 9\nProcess Group PGID: 7'),
    ).toMatchObject({ ok: false, exitCode: 1, text: 'a\n' })
  })

  it('is told at the end of an output that was cut, too', () => {
    const frame = 'Output too large. Showing first 8 and last 40 characters. For full output see: /t/x.txt\n'
    const cut = `${frame}<untrusted_context>\nOutput: 1\n2\n\n... [9 characters omitted] ...\n\n8\n9\nExit Code: 4\nProcess Group PGID: 7\n</untrusted_context>`
    const result = [{ functionResponse: { response: { output: cut } } }]
    expect(geminiResult({ name: 'run_shell_command', status: 'success', result })).toMatchObject({
      ok: false,
      exitCode: 4,
      text: '1\n2\n\n... [9 characters omitted] ...\n\n8\n9',
    })
    expect(ended('The command listed twelve files.')).toMatchObject({
      ok: true,
      exitCode: null,
      unsure: true,
    })
  })

  it('is not known in the background, and did not come when the person or the clock ended it', () => {
    expect(ended('Command moved to background (PID: 7). Output hidden.')).toMatchObject({
      unsure: true,
      text: '',
    })
    expect(ended('Command was cancelled by user before it could complete.')).toMatchObject({
      ok: false,
      refused: true,
    })
    const late =
      'Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output.'
    expect(ended(late)).toMatchObject({ ok: false, exitCode: null, text: late })
    expect(ended('', 'executing')).toBeNull()
  })
})

describe('a loaded conversation', () => {
  it('that this file never held is told from the copy the client makes of it', () => {
    const take = createGeminiTranslator(null, '/r')
    const row = (id: string, content: object[]) => ({
      id,
      timestamp: '2026-11-21T09:00:00.000Z',
      type: 'user',
      content,
    })
    take(row('1', [{ text: 'Known' }]))
    take(row('2', [{ text: '<session_context>\nx\n</session_context>' }]))
    expect(take(row('3', [{ text: 'Known' }]))).toEqual([])
    expect(take(row('4', [{ text: 'Loaded' }]))).toMatchObject([{ kind: 'prompt', text: 'Loaded' }])
    take({ $set: { messages: [] } })
    // Said again, not told again.
    expect(take(row('5', [{ text: 'Known' }]))).toMatchObject([{ kind: 'prompt', text: 'Known' }])
  })
})

describe('a rewind', () => {
  it('takes back what followed, and every byte is shown once', async () => {
    const path = sample('rewind')
    const ref = await geminiCli.identify(path, readFileSync(path, 'utf8'))
    if (!ref) throw new Error('not identified')
    const events: SessionEvent[] = []
    let bytes = 0
    const onRaw = (block: Buffer) => {
      bytes += block.length
    }
    for await (const batch of geminiCli.read(ref, { onRaw })) events.push(...batch)
    expect(bytes).toBe(readFileSync(path).length)
    expect(JSON.stringify(events)).not.toContain('Turn two done.')
  })
})

describe('how full a session is', () => {
  const full = (path: string) => geminiCli.fullness?.({ id: 'x', path }, place)

  it('is what its last request held', async () => {
    expect(await full(sample('edits-todos-and-failing-test'))).toEqual({
      tokens: 13564,
      window: 1_048_576,
      compactsAt: 524_288,
    })
    // The last record is a copy of the history.
    expect(await full(sample('history-recorded-anew'))).toEqual({
      tokens: 13101,
      window: 1_048_576,
      compactsAt: 524_288,
    })
  })

  it('is not known after a compaction, nor before the first request', async () => {
    const chats = join(home, '.gemini/tmp/repo/chats')
    expect(await full(join(chats, 'session-2026-11-21T13-00-cccccccc.jsonl'))).toBeNull()
    expect(await full(join(chats, 'session-2026-11-21T12-00-bbbbbbbb.jsonl'))).toBeNull()
    expect(await full(join(chats, 'not-written-yet.jsonl'))).toBeNull()
  })
})

describe('hooks of Gemini CLI', () => {
  const { hooks } = geminiCli
  const common = {
    session_id: 's',
    transcript_path: '/c.jsonl',
    cwd: '/r',
    timestamp: '2026-11-21T09:00:00.000Z',
  }
  const none = { sessionId: null, path: null, cwd: null, source: null, text: null, fullness: null }

  it('say session, file, folder, reason and words', () => {
    expect(hooks?.read({ ...common, hook_event_name: 'SessionStart', source: 'startup' })).toEqual({
      ...none,
      sessionId: 's',
      path: '/c.jsonl',
      cwd: '/r',
      source: 'startup',
    })
    const after = {
      hook_event_name: 'AfterAgent',
      prompt: 'Fix',
      prompt_response: 'Fixed.',
      stop_hook_active: false,
    }
    expect(hooks?.read({ ...common, ...after })?.text).toBe('Fixed.')
    expect(hooks?.read({ ...common, hook_event_name: 'PreCompress', trigger: 'manual' })?.source).toBe(
      'manual',
    )
    expect(hooks?.read({ ...common, hook_event_name: 'SessionEnd', reason: 'clear' })?.source).toBe('clear')
    expect(hooks?.read('nonsense')).toEqual(none)
  })

  it('at a resume name a second, empty file, which is not taken', () => {
    expect(hooks?.read({ ...common, hook_event_name: 'SessionStart', source: 'resume' })?.path).toBeNull()
    expect(hooks?.read({ ...common, hook_event_name: 'BeforeAgent', prompt: 'x' })?.path).toBe('/c.jsonl')
  })

  it('are answered in JSON, where an answer can go somewhere', () => {
    const answer = (
      event: 'session-start' | 'prompt' | 'stop',
      context: string | null,
      notice: string | null,
    ) => hooks?.answer(event, { context, notice })
    const start = JSON.parse(answer('session-start', 'A brief waits.', null) ?? '')
    expect(start).toEqual({
      hookSpecificOutput: { hookEventName: 'SessionStart', additionalContext: 'A brief waits.' },
    })
    expect(JSON.parse(answer('prompt', 'c', 'n') ?? '')).toEqual({
      systemMessage: 'n',
      hookSpecificOutput: { hookEventName: 'BeforeAgent', additionalContext: 'c' },
    })
    expect(JSON.parse(answer('stop', 'c', 'n') ?? '')).toEqual({ systemMessage: 'n' })
    expect(answer('stop', null, null)).toBe('')
  })

  it('are not heard at the start that follows /clear, so the first prompt must be answered', () => {
    const call = (source: string) => ({ ...none, source })
    expect(hooks?.isHeard?.('session-start', call('clear'))).toBe(false)
    expect(hooks?.isHeard?.('session-start', call('startup'))).toBe(true)
    expect(hooks?.isHeard?.('prompt', call('clear'))).toBe(true)
  })
})

describe('what init puts into Gemini CLI', () => {
  const setup: SetupPlace = {
    root: '/r',
    home: '/h',
    env: {},
    hookCommand: (event) => `run ${event}`,
    mcp: { command: 'sh', args: ['-c', 'mcp'] },
    template: (name) => name,
  }
  const edits = geminiCli.setup?.(setup) ?? []

  it('are hooks with time limits in milliseconds, of PreCompress only the one a person asks for', () => {
    const hooks = edits.filter((edit) => edit.type === 'json-item')
    expect(hooks.map(({ path, at, value }) => [path, at.join('.'), JSON.stringify(value)])).toEqual(
      [
        ['SessionStart', 'session-start', ''],
        ['BeforeAgent', 'prompt', ''],
        ['AfterAgent', 'stop', ''],
        ['PreCompress', 'pre-compact', '"matcher":"manual",'],
        ['SessionEnd', 'session-end', ''],
      ].map(([name, event, more]) => [
        '/r/.gemini/settings.json',
        `hooks.${name}`,
        `{${more}"hooks":[{"name":"handoff","type":"command","command":"run ${event}","timeout":10000}]}`,
      ]),
    )
  })

  it('are the skill, which Codex reads as well, and the server', () => {
    expect(edits.filter((edit) => edit.type !== 'json-item')).toEqual([
      { type: 'file', path: '/r/.agents/skills/handoff/SKILL.md', content: 'SKILL.md' },
      {
        type: 'json-value',
        path: '/r/.gemini/settings.json',
        at: ['mcpServers', 'handoff'],
        value: { command: 'sh', args: ['-c', 'mcp'] },
      },
    ])
  })
})

describe('the extension', () => {
  const folder = join(import.meta.dirname, '../../../templates/agents/gemini-extension')
  const text = (name: string): string => readFileSync(join(folder, name), 'utf8')

  // A command of its own would make Gemini CLI 0.61 rename both itself and the skill of a project that is set up.
  it('has the version of the package and `/handoff:handoff` as a skill', () => {
    const { version } = JSON.parse(text('../../../package.json'))
    expect(JSON.parse(text('gemini-extension.json'))).toMatchObject({ name: 'handoff', version })
    expect(text('skills/handoff/SKILL.md')).toBe(readFileSync(join(dirname(folder), 'SKILL.md'), 'utf8'))
    expect(existsSync(join(folder, 'commands'))).toBe(false)
  })

  it('hooks the same events in the same way, with a line that leaves a project alone that has hooks of its own', () => {
    const hooks: Record<string, { hooks: { command: string }[] }[]> = JSON.parse(
      text('hooks/hooks.json'),
    ).hooks
    const place: SetupPlace = {
      root: '/r',
      home: '/h',
      env: {},
      hookCommand: (event) => lineOf(event),
      mcp: { command: '', args: [] },
      template: () => '',
    }
    const expected = (geminiCli.setup?.(place) ?? []).flatMap((edit) =>
      edit.type === 'json-item' ? [[edit.at[1], [edit.value]]] : [],
    )
    expect(hooks).toEqual(Object.fromEntries(expected))
  })

  const lineOf = (event: string): string =>
    [
      `git -c safe.bareRepository=explicit -c 'alias.handoff-hook=!unset GIT_DIR`,
      'set -f',
      'IFS=',
      'cd ./$GIT_PREFIX',
      'grep -qs handoff.hook .gemini/settings.json && exit 0',
      'd=$(git rev-parse --git-common-dir 2>/dev/null) || exit 0',
      'unset GIT_CONFIG_PARAMETERS',
      `[ -f $d/handoff/hook ] && exec sh $d/handoff/hook gemini-cli ${event}`,
      `command -v git-handoff >/dev/null && exec git-handoff hook ${event} --agent gemini-cli`,
      `exit 0' handoff-hook`,
    ].join('; ')
})
