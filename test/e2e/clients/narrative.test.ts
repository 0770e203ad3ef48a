import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { describe, expect } from 'vitest'
import { notesContract } from '../../../src/brief/template.ts'
import type { ClientId } from '../client/client.ts'
import { git, handoff, type Lab, makeLab } from '../lab.ts'
import type { Scenario } from '../model/scenario.ts'
import { allowKey, clientTest, DEMAND, GOAL, handoffBeside, textsOf, work } from './work.ts'

const PAGE = `## Where it stands
add is fixed in \`calc.js\`; sub still adds instead of subtracting.

## Traps
\`src/imagined.js\` looks right and is not.`
const QUESTION = 'hands the work of this session over'
const saying = (page: string): Scenario => ({
  turns: [{ on: QUESTION, steps: [[{ say: page }]] }],
  sides: [{ on: QUESTION, say: page }],
})

/** How each is asked, and whether it offers its model tools all the same. */
const CLIENTS: { id: ClientId; hasTools?: true; isForked?: false }[] = [
  { id: 'claude-code' },
  // Of its tools none runs a command or writes.
  { id: 'codex', hasTools: true },
  { id: 'pi' },
  { id: 'oh-my-pi' },
  { id: 'gemini-cli', hasTools: true },
  { id: 'opencode' },
  { id: 'copilot-cli', isForked: false },
]

describe.each(CLIENTS)('$id asked afterwards', ({ id, hasTools }) => {
  interface Session {
    id: string
    path: string
  }
  const sessionsOf = async (lab: Lab): Promise<Session[]> => {
    const { sessions } = JSON.parse((await handoff(lab, 'sessions', '--json')).stdout)
    return sessions.map(({ ageSeconds: _, ...session }: Session & { ageSeconds: number }) => session)
  }
  // The table of one database holds all sessions of OpenCode; those of others stay as they are, byte for byte.
  const digest = async ({ path }: Session): Promise<string> =>
    path.includes('#')
      ? ''
      : createHash('sha256')
          .update(await readFile(path))
          .digest('hex')
  async function prepared(): Promise<{ lab: Lab; before: Session[]; bytes: string[] }> {
    const lab = await makeLab()
    await allowKey(lab)
    await work(lab, id)
    const before = await sessionsOf(lab)
    return { lab, before, bytes: await Promise.all(before.map(digest)) }
  }

  clientTest('writes the page; its session stays as it was', [id], async () => {
    const { lab, before, bytes } = await prepared()
    const { stdout, requests } = await handoffBeside(
      lab,
      id,
      saying(PAGE),
      ...['create', GOAL, '--ask', '--json', '--from', id],
    )
    const { markdown, claims, warnings } = JSON.parse(stdout)
    expect(warnings.filter((line: string) => line.includes('no page'))).toEqual([])
    expect(markdown).toContain('### Where it stands\nadd is fixed in `calc.js`; sub still adds')
    expect(markdown).toContain('`src/imagined.js` (not seen)')
    expect(claims).toContainEqual({ kind: 'name', text: 'calc.js', verdict: 'kept', fact: null })
    const questions = requests.filter((body) => textsOf(body).some((text) => text.includes(QUESTION)))
    expect(questions.length).toBeGreaterThan(0)
    const texts = questions.flatMap(textsOf).join('\n')
    for (const text of [GOAL, DEMAND, notesContract]) expect(texts).toContain(text)
    const tools = questions.flatMap((body) => (Array.isArray(body.tools) ? body.tools : []))
    if (!hasTools) expect(tools).toEqual([])
    expect(await sessionsOf(lab)).toEqual(before)
    expect(await Promise.all(before.map(digest))).toEqual(bytes)
    expect(await git(lab, 'status', '--porcelain')).toBe(' M calc.js\n')
  })

  clientTest('a page that says nothing is not taken, and the brief quotes the session', [id], async () => {
    const { lab } = await prepared()
    const args = ['create', GOAL, '--ask', '--json', '--from', id]
    const { stdout } = await handoffBeside(lab, id, saying('I did some stuff.'), ...args)
    const { markdown, warnings } = JSON.parse(stdout)
    expect(warnings.join('\n')).toMatch(
      /wrote no page: the page names nothing.*; the brief quotes the session/,
    )
    expect(markdown).toContain('[gap-fill not provided]')
    expect(markdown).toContain('add is fixed. The test of sub still fails')
  })
})
