import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { ClientId } from '../client/client.ts'
import { git, handoff, type Lab, makeLab } from '../lab.ts'
import type { Scenario } from '../model/scenario.ts'
import { allowKey, clientTest, DEMAND, GOAL, handoffBeside, textsOf, work } from './work.ts'

const FINDING = 'The operators of add and sub were mixed up when the file was written.'
const ANSWER = `## Where it stands\n${FINDING}\n\n## Names\n- \`calc.js\`, \`src/invented.js\``
const QUESTION = 'The user hands the work of this session over'
/** Whether it offers tools or not, the client gets this for an answer. */
const saying = (answer: string): Scenario => ({
  turns: [{ on: QUESTION, steps: [[{ say: answer }]] }],
  sides: [{ on: QUESTION, say: answer }],
})

/** Which clients offer their model no tool at all when they are asked. */
const CLIENTS: { id: ClientId; hasTools?: true }[] = [
  { id: 'claude-code' },
  { id: 'codex', hasTools: true },
  { id: 'pi' },
  { id: 'oh-my-pi' },
  { id: 'gemini-cli', hasTools: true },
  { id: 'opencode' },
  { id: 'copilot-cli' },
]

const sessionsOf = async (lab: Lab): Promise<number> =>
  JSON.parse((await handoff(lab, 'sessions', '--json')).stdout).sessions.length

describe.each(CLIENTS)('$id asked by create --extract agent', ({ id, hasTools }) => {
  async function prepared(): Promise<Lab> {
    const lab = await makeLab()
    await writeFile(join(lab.folder, 'canary.txt'), 'CONTENT-OF-A-FILE\n')
    await allowKey(lab)
    await work(lab, id, { extra: [[{ say: `I read @${lab.folder}/canary.txt.` }, { read: 'calc.js' }]] })
    return lab
  }
  const asked = (requests: { tools?: unknown }[]) =>
    requests.filter((body) => textsOf(body).some((text) => text.includes(QUESTION)))

  clientTest('answers; its page is checked', [id], async () => {
    const lab = await prepared()
    const before = await sessionsOf(lab)
    const { stdout, requests } = await handoffBeside(
      lab,
      id,
      saying(ANSWER),
      ...['create', GOAL, '--extract', 'agent', '--json', '--from', id],
    )
    const { brief } = JSON.parse(stdout)
    expect(brief.extraction).toMatchObject({ mode: 'agent', attempts: 1 })
    expect(brief.notes.page).toContain(FINDING)
    expect(brief.notes.page).toContain('`src/invented.js` (not seen)')
    const questions = asked(requests)
    expect(questions.length).toBeGreaterThan(0)
    const texts = questions.flatMap(textsOf).join('\n')
    for (const text of [GOAL, DEMAND]) expect(texts).toContain(text)
    expect(requests.flatMap(textsOf).join('\n')).not.toContain('CONTENT-OF-A-FILE')
    const tools = questions.flatMap((body) => (Array.isArray(body.tools) ? body.tools : []))
    if (!hasTools) expect(tools).toEqual([])
    expect(await sessionsOf(lab)).toBe(before)
    expect(await git(lab, 'log', '-1', '--format=%s')).toContain('chore(handoff)')
  })
})
