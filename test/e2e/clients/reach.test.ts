import { readFile } from 'node:fs/promises'
import { afterAll, describe, expect } from 'vitest'
import type { ClientId } from '../client/client.ts'
import { git, textOf } from '../lab.ts'
import type { Step } from '../model/scenario.ts'
import { create } from './handover.ts'
import { initialised, keptIn } from './initialised.ts'
import { tableText } from './matrix.ts'
import { allowKey, clientTest, DEMAND, GOAL, handOver, PAGE, PAGE_TOLD, textsOf, turn, work } from './work.ts'

/** One client as `init` sets it up. */
interface Client {
  id: ClientId
  /** Its model, where the tools depend on it. */
  model?: string
  /** What it puts before the names of our tools; null: it has no servers. */
  tools: string | null
  /** How a person hands over. */
  command: string
  /** Prompt and more arguments with which a person says something more in the last session. */
  again: (text: string) => [prompt: string, args: string[]]
  /** It tells its servers which session calls; else a note counts for the branch. */
  namesSession?: true
  /** What its model does first at the command, where the client leaves it to the model to load the text. */
  loads?: Step
  /** The command makes the brief itself, of the session before, instead of telling the model how. */
  isDirect?: true
}

const goesOn: Client['again'] = (text) => [text, ['--continue']]
const codexGoesOn: Client['again'] = (text) => ['resume', ['--last', text]]

const CLIENTS: readonly Client[] = [
  { id: 'claude-code', tools: 'mcp__handoff__', command: '/handoff', again: goesOn, namesSession: true },
  {
    id: 'codex',
    model: 'gpt-5.5',
    tools: 'mcp__handoff__',
    command: '$handoff',
    again: codexGoesOn,
    namesSession: true,
  },
  {
    id: 'codex',
    model: 'gpt-6.1-sol',
    tools: 'mcp__handoff__',
    command: '$handoff',
    again: codexGoesOn,
    namesSession: true,
  },
  {
    id: 'gemini-cli',
    tools: 'mcp_handoff_',
    command: '/handoff',
    again: (text) => [text, ['--resume', 'latest']],
    // On its screen the client does that (life.test.ts).
    loads: [{ use: 'activate_skill', with: { name: 'handoff' } }],
  },
  { id: 'opencode', tools: 'handoff_', command: '/handoff', again: goesOn },
  {
    id: 'copilot-cli',
    tools: 'handoff-',
    command: '/handoff',
    again: goesOn,
    namesSession: true,
    loads: [{ use: 'skill', with: { skill: 'handoff' } }],
  },
  { id: 'oh-my-pi', tools: 'mcp__handoff__', command: '/git-handoff', again: goesOn, isDirect: true },
  { id: 'pi', tools: null, command: '/handoff', again: goesOn, namesSession: true, isDirect: true },
]

/** Codex and oh-my-pi go to the model while they still connect to their servers: on a slow machine a call at once is in vain. */
const CONNECT: Step = [{ run: 'sleep 5' }]
const QUESTION = 'Is sub used anywhere else?'
const NOTE = `## Questions for the user\n- ${QUESTION}\n`
const rows: Record<string, Record<string, string>> = {}
function seen(name: string, what: Record<string, string>): void {
  rows[name] = { ...rows[name], ...what }
}

afterAll(() => {
  const columns = ['state kept', 'note recorded', 'brief read', 'command']
  const cells = Object.entries(rows).map(([name, row]) => [name, ...columns.map((c) => row[c] ?? 'MISSING')])
  console.log(`\n${tableText(['client', ...columns], cells)}\n`)
})

describe.each(CLIENTS)(
  '$id $model with what init writes',
  ({ id, model, tools, command, again, namesSession, loads, isDirect }) => {
    const name = model === undefined ? id : `${id} ${model}`
    const run = model === undefined ? {} : { model }

    clientTest('reads the brief and leaves a note by our tools, and its state is kept', [id], async () => {
      const lab = await initialised(id)
      const finalize = `${tools ?? ''}handoff_finalize`
      await work(lab, id, {
        ...run,
        extra: [CONNECT, [{ use: finalize, with: { other: NOTE } }]],
      })
      const [note, ...others] = await keptIn(lab, 'notes')
      expect(others).toEqual([])
      const made = await create(lab, id)
      expect(note).toMatchObject({
        capturedBySessionId: namesSession ? made.session : null,
        page: expect.stringContaining(QUESTION),
      })
      expect(await textOf(lab, made.path)).toContain(QUESTION)
      seen(name, { 'note recorded': `${finalize}, ${namesSession ? 'session' : 'branch'}` })

      const read: Step = [
        tools === null ? { read: '.handoff/latest.md' } : { use: `${tools}handoff_read`, with: {} },
      ]
      const hello = {
        turns: [{ on: 'hello', steps: [CONNECT, read, [{ say: 'I have read it.' }]] }],
      }
      const { requests } = await turn(lab, id, 'hello', hello, model)
      // Titles and the like are asked for without tools.
      const turns = requests.filter((body) => body.tools !== undefined || 'input' in body).map(textsOf)
      const whereIs = (...facts: string[]) =>
        turns.findIndex((texts) => texts.some((text) => facts.every((fact) => text.includes(fact)))) + 1
      // Nobody sits there: what a session on a screen hears is shown by life.test.ts.
      expect(turns.flat().filter((text) => text.includes('A handoff brief is open'))).toEqual([])
      expect(whereIs(DEMAND, GOAL)).toBe(3)
      seen(name, { 'brief read': `${read.map((block) => ('use' in block ? block.use : 'own tool'))}` })

      // OpenCode says nothing when it ends, and what its last stop began goes on behind it.
      const end = id === 'opencode' ? 'stop' : 'session-end'
      const ends = async () => (await keptIn(lab, 'sessions')).map(({ agent, event }) => [agent, event])
      await expect.poll(ends, { timeout: 10_000 }).toEqual([
        [id, end],
        [id, end],
      ])
      const sessions = await keptIn(lab, 'sessions')
      // OpenCode keeps all its sessions in one database.
      const paths = sessions.map(({ path }) => path).filter((path) => path !== null)
      expect(paths).toHaveLength(id === 'opencode' ? 0 : 2)
      for (const path of paths) expect(await readFile(path)).not.toHaveLength(0)
      seen(name, { 'state kept': sessions.map(({ event }) => event).join(', ') })
      const journal = await textOf(lab, '.git/handoff/journal')
      expect(journal).toContain('"kind":"pick-up"')
      expect(journal).not.toContain('failed')
    })

    clientTest(`${command} with a goal makes the brief`, [id], async () => {
      const lab = await initialised(id)
      await allowKey(lab)
      await work(lab, id, run)
      const steps: Step[] = [
        ...(loads === undefined ? [] : [loads]),
        ...(id === 'gemini-cli'
          ? [
              [{ use: `${tools}handoff_finalize`, with: { other: PAGE } }],
              [{ run: `handoff create '${GOAL}'` }],
            ]
          : [[{ run: handOver(GOAL) }]]),
        [{ say: 'Handed over.' }],
      ]
      // Pi and oh-my-pi ask the model of the session in a fork.
      const script = {
        turns: [{ on: 'keep both arrow', steps }],
        sides: [{ on: 'hands the work of this session over', say: PAGE }],
      }
      const [prompt, args] = again(`${command} ${GOAL}`)
      const { requests } = await turn(lab, id, prompt, script, model, args)
      if (!isDirect) {
        const texts = requests.flatMap(textsOf)
        expect(texts.some((text) => text.includes('# Hand the work over'))).toBe(true)
        expect(texts.some((text) => text.includes(GOAL))).toBe(true)
      }
      expect(await git(lab, 'log', '-1', '--format=%s')).toContain('chore(handoff):')
      const latest = await textOf(lab, '.handoff/latest.md')
      for (const fact of [GOAL, DEMAND, `id: ${id}`]) expect(latest).toContain(fact)
      expect(latest).toContain(PAGE_TOLD)
      seen(name, { command: `${command}, committed` })
    })
  },
)
