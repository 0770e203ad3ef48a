import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

/** The plugin that init writes, called the way OpenCode 1.18.33 does, with a runner that notes down what it is asked. */
const SOURCE = join(import.meta.dirname, '../../../templates/agents/opencode-plugin.js')
type Hooks = Record<string, (input: object, output?: object) => Promise<void>>

let folder = ''
let repo = ''
let did: string[] = []
let hooks: Hooks = {}
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'handoff-plugin-'))
  repo = join(folder, 'repo')
  mkdirSync(repo)
  execFileSync('git', ['init', '-q', repo])
  mkdirSync(join(repo, '.git/handoff'))
  did = []
  hooks = await load()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

async function load(): Promise<Hooks> {
  const tui = (name: string) => async (input: { body: object }) => {
    did.push(`${name} ${JSON.stringify(Object.values(input.body)[0])}`)
  }
  const client = {
    session: {
      get: async ({ path }: { path: { id: string } }) => ({
        data: { id: path.id, ...(path.id === 'ses_sub' ? { parentID: 'ses_1' } : {}) },
      }),
    },
    config: {
      providers: async () => ({
        data: { providers: [{ id: 'mock', models: { m: { limit: { context: 1000, output: 500 } } } }] },
      }),
    },
    tui: {
      executeCommand: tui('command'),
      appendPrompt: tui('prompt'),
      showToast: tui('toast'),
    },
  }
  const { Handoff } = await import(/* @vite-ignore */ pathToFileURL(SOURCE).href)
  return Handoff({ client, directory: repo })
}

/** A runner that answers with `answer` and keeps arguments, input and caller. */
function withRunner(answer: Record<string, string>): void {
  const cases = Object.entries(answer).map(([key, text]) => `*'${key}'*) printf '%s' '${text}' ;;`)
  writeFileSync(
    join(repo, '.git/handoff/hook'),
    `input=$(cat)\nprintf '%s|%s|%s\\n' "$*" "$input" "$HANDOFF_OPENCODE_SESSION" >> '${folder}/calls'\ncase "$*" in ${cases.join('\n')}\nesac\n`,
  )
}
const calls = () =>
  existsSync(join(folder, 'calls')) ? readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n') : []
const send = (type: string, properties: object) => hooks.event?.({ event: { type, properties } })

async function message(sessionID: string, text = 'hello'): Promise<{ text: string; synthetic?: boolean }[]> {
  const parts = [{ id: 'prt_1', sessionID, messageID: 'msg_1', type: 'text', text }]
  await hooks['chat.message']?.({ sessionID }, { parts })
  return parts
}

describe('the plugin of OpenCode', () => {
  it('tells a session of the brief in its first message, once, and its subagents nothing', async () => {
    withRunner({ 'session-start': '{"context":"Read the brief.","notice":null}' })
    await send('session.created', { info: { id: 'ses_1' } })
    expect(await message('ses_1')).toEqual([
      { id: 'prt_1', sessionID: 'ses_1', messageID: 'msg_1', type: 'text', text: 'hello' },
      {
        id: 'prt_1h',
        sessionID: 'ses_1',
        messageID: 'msg_1',
        type: 'text',
        synthetic: true,
        text: 'Read the brief.',
      },
    ])
    expect(await message('ses_1')).toHaveLength(1)
    expect(await message('ses_sub')).toHaveLength(1)
    const [call, ...others] = calls()
    expect(others).toEqual([])
    expect(call).toContain('opencode session-start|')
    const payload = JSON.parse(call?.split('|')[1] ?? '')
    expect(payload).toEqual({
      session_id: 'ses_1',
      cwd: repo,
      source: 'startup',
      tokens: null,
      window: null,
      input_limit: null,
      output_limit: null,
      has_read: false,
      unattended: false,
    })
    await message('ses_old')
    expect(calls().at(-1)).toContain('"source":"resume"')
  })

  it('says how full the context is when the model stops, and shows what is to be said', async () => {
    withRunner({ stop: '{"context":null,"notice":"91 % full"}' })
    const tokens = { total: 910 }
    const info = { role: 'assistant', sessionID: 'ses_1', providerID: 'mock', modelID: 'm', tokens }
    await send('message.updated', { info })
    await send('message.updated', { info: { ...info, summary: true, tokens: { total: 5 } } })
    await send('session.idle', { sessionID: 'ses_1' })
    await send('session.idle', { sessionID: 'ses_sub' })
    expect(calls()).toHaveLength(1)
    expect(calls()[0]).toMatch(
      /^opencode stop\|.*"tokens":910,"window":1000,"input_limit":null,"output_limit":500/,
    )
    expect(did).toEqual(['toast "91 % full"'])
  })

  it('names the session to commands, that of the person also to those of a subagent', async () => {
    const env = {}
    await hooks['shell.env']?.({ sessionID: 'ses_sub' }, { env })
    expect(env).toEqual({ OPENCODE: '1', HANDOFF_OPENCODE_SESSION: 'ses_1' })
  })

  it('saves before a compaction and when the person stops the model', async () => {
    withRunner({})
    await hooks['experimental.session.compacting']?.({ sessionID: 'ses_1' }, { context: [] })
    await send('session.error', { sessionID: 'ses_1', error: { name: 'MessageAbortedError' } })
    await send('session.error', { sessionID: 'ses_1', error: { name: 'ApiError' } })
    await send('session.deleted', { info: { id: 'ses_1' } })
    expect(calls().map((call) => call.split('|')[0])).toEqual([
      'opencode pre-compact',
      'opencode interrupt',
      'opencode session-end',
    ])
  })

  it('never breaks what it hooks into', async () => {
    withRunner({ 'session-start': 'no JSON' })
    expect(await message('ses_1')).toHaveLength(1)
    rmSync(repo, { recursive: true })
    await expect(send('session.idle', { sessionID: 'ses_1' })).resolves.toBeUndefined()
  })
})

describe('/handoff in OpenCode', () => {
  const GOAL = "make sum throw for 'strings'"
  const command = async (words = GOAL) => {
    const parts = [{ type: 'text', text: 'the text of the command' }]
    const input = { command: 'handoff', sessionID: 'ses_1', arguments: words }
    await hooks['command.execute.before']?.(input, { parts })
    return parts
  }

  it('asks the model for its last words, makes the brief when it stops, and fills in the prompt of a fresh session', async () => {
    withRunner({
      'run create': '{"ok":true,"id":"b1","path":".handoff/briefs/b1.md"}',
      'run show --prompt b1': 'Work was handed over.\n',
      'session-start': '{"context":"Read the brief.","notice":null}',
    })
    const [own, words] = await command()
    expect(own?.text).toBe(`/handoff ${GOAL}`)
    expect(words).toMatchObject({ synthetic: true, text: expect.stringContaining('git handoff note') })
    expect(calls()).toEqual([])
    await send('session.idle', { sessionID: 'ses_1' })
    expect(calls()).toEqual([
      `opencode run create --json --no-notes -- ${GOAL}||ses_1`,
      'opencode run show --prompt b1||',
    ])
    expect(did).toEqual([
      'command "session_new"',
      'prompt "Work was handed over."',
      'toast "Handed over: .handoff/briefs/b1.md. Submit the prompt when ready."',
    ])
    // The prompt says it already.
    expect(await message('ses_2')).toHaveLength(1)
    expect(calls().at(-1)).toContain('opencode session-start|')
    expect(await message('ses_3')).toHaveLength(2)
  })

  it('says why there is no brief, and leaves the session as it is', async () => {
    withRunner({ 'run create': '{"ok":false,"errors":[{"message":"Be specific.","hint":"Example: x"}]}' })
    await command('"add validation"')
    await send('session.idle', { sessionID: 'ses_1' })
    // Quotes of the command line are not the goal's.
    expect(calls()[0]).toContain('create --json --no-notes -- add validation|')
    expect(did).toEqual(['toast "Be specific.\\nExample: x"'])
  })

  it('is for the model alone where there is no screen, since OpenCode ends when it stops', async () => {
    withRunner({})
    const { argv } = process
    process.argv = [argv[0] ?? '', argv[1] ?? '', 'run']
    try {
      expect(await command('"add validation"')).toEqual([
        { type: 'text', text: '/handoff add validation' },
        { type: 'text', text: 'the text of the command', synthetic: true },
      ])
      await send('session.idle', { sessionID: 'ses_1' })
    } finally {
      process.argv = argv
    }
    expect(calls().map((call) => call.split('|')[0])).toEqual(['opencode stop'])
  })

  it('is given up when the person stops the model', async () => {
    withRunner({})
    await command()
    await send('session.error', { sessionID: 'ses_1', error: { name: 'MessageAbortedError' } })
    await send('session.idle', { sessionID: 'ses_1' })
    expect(calls().map((call) => call.split('|')[0])).toEqual(['opencode interrupt', 'opencode stop'])
  })

  it('is the text of the command, with which the model does it all, where the clone has no runner', async () => {
    expect(await command()).toEqual([{ type: 'text', text: 'the text of the command' }])
    expect(did).toEqual([])
  })
})
