import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { runNode, versionOf } from './run-program.mjs'

/** The program of this repository; `HANDOFF=<handoff.cjs>` names another build. */
const PROGRAM = process.env.HANDOFF ?? fileURLToPath(new URL('../../../bin/handoff.cjs', import.meta.url))

/** git-handoff without a model: what session and repository tell. */
export const handoff = {
  id: 'handoff',
  name: 'git-handoff, quoted',
  missing: existsSync(PROGRAM) ? null : 'set HANDOFF to its bin/handoff.cjs',
  /** The id is made of the time, and its digits count in the brief's own figure of tokens. */
  stamps: [
    [/\d{8}T\d{6}-[0-9a-f]{8}/g, '20260302T090000-00000000'],
    [/^ {2}tokens: \d+$/m, '  tokens: 2000'],
  ],
  version: () => versionOf(PROGRAM),
  make({ session, goal, repo, home, page }) {
    const notes = page === undefined ? ['--no-notes'] : ['--notes', page]
    const args = ['create', goal, '--session', session, '--print', '--no-ask', ...notes]
    const { stdout, used } = runNode(PROGRAM, args, { repo, home })
    return { markdown: stdout, used }
  },
  /** The brief is committed; the next agent is told where it is and reads it. */
  handOver({ session, goal, repo, home }) {
    const args = ['create', goal, '--session', session, '--no-ask', '--no-notes', '--json']
    const { path } = JSON.parse(runNode(PROGRAM, args, { repo, home }).stdout)
    const prompt = runNode(PROGRAM, ['show', '--prompt'], { repo, home }).stdout.trim()
    return [
      { kind: 'prompt', text: prompt },
      { kind: 'call', tool: 'read', path, text: readFileSync(`${repo}/${path}`, 'utf8') },
    ]
  },
}

/** The same with a page that an agent wrote before it left, as notes. */
export const handoffWith = (kind, label) => ({
  ...handoff,
  id: `handoff-${kind}`,
  name: `git-handoff with ${label}`,
  make: (input) => handoff.make({ ...input, page: input.pages[kind] }),
})
