import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { ClientId } from '../client/client.ts'
import { git, handoff, type Lab, makeLab } from '../lab.ts'
import type { Scenario } from '../model/scenario.ts'
import { allowKey, clientTest, DEMAND, GOAL, handoffBeside, textsOf, work } from './work.ts'

const FINDING = 'The operators of add and sub were mixed up when the file was written.'
const ANSWER = JSON.stringify({
  relevantFiles: [
    { path: 'calc.js', reason: 'holds both functions' },
    { path: 'src/invented.js', reason: 'nobody knows it' },
  ],
  relevantCommands: ['npm run invented'],
  relevantInformation: [FINDING],
  decisions: [],
  openQuestions: [],
})
const QUESTION = 'Read the conversation below'
/** Whether it offers tools or not, the client gets this for an answer. */
const saying = (...answers: string[]): Scenario => ({
  turns: [
    ...(answers[1] === undefined ? [] : [{ on: 'output valid JSON only', steps: [[{ say: answers[1] }]] }]),
    { on: QUESTION, steps: [[{ say: answers[0] ?? '' }]] },
  ],
  sides: [
    ...(answers[1] === undefined ? [] : [{ on: 'output valid JSON only', say: answers[1] }]),
    { on: QUESTION, say: answers[0] ?? '' },
  ],
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

  clientTest('answers; what it says is labelled and proved', [id], async () => {
    const lab = await prepared()
    const before = await sessionsOf(lab)
    const { stdout, requests } = await handoffBeside(
      lab,
      id,
      saying(ANSWER),
      ...['create', GOAL, '--extract', 'agent', '--json', '--from', id],
    )
    const { brief, dropped } = JSON.parse(stdout)
    expect(brief.extraction).toMatchObject({ mode: 'agent', attempts: 1 })
    expect(brief.relevantInformation).toContainEqual({ text: FINDING, source: 'model' })
    const paths = brief.relevantFiles.map(({ path }: { path: string }) => path)
    expect(paths).toContain('calc.js')
    expect(paths).not.toContain('src/invented.js')
    expect(dropped.map(({ text }: { text: string }) => text)).toEqual(
      expect.arrayContaining(['src/invented.js', 'npm run invented']),
    )
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

  // A question more is a process more, the same for all.
  if (id !== 'claude-code' && id !== 'codex') return
  clientTest('is asked once more when it answers no JSON', [id], async () => {
    const lab = await prepared()
    const { stdout } = await handoffBeside(
      lab,
      id,
      saying('Here you are!', ANSWER),
      ...['create', GOAL, '--extract', 'agent', '--json', '--from', id],
    )
    expect(JSON.parse(stdout).brief.extraction).toMatchObject({ mode: 'agent', attempts: 2 })
  })
})
