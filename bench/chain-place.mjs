import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { data, importRepo } from './fast-import.mjs'
import { addSession, SIZES } from './speed-place.mjs'

const START = Date.parse('2026-01-05T08:00:00Z')
/** Minutes from one brief to the next. */
const APART = 40
const AGENTS = [
  ['claude-code', 'Claude Code'],
  ['codex', 'Codex'],
  ['pi', 'Pi'],
]

/**
 * A repository with `count` briefs in as many commits of main, three for each of its merged branches, made by `git fast-import`; a new branch
 * without a brief is checked out, so that no brief is open here and each must be looked at. A brief is of the size and shape that `create`
 * gives it. Between two briefs are `plain` commits that change one file of code. Takes 45 s for 10,000 briefs: every commit has a larger folder.
 * The home has one session of 50 KB. Gives the id of a brief in the middle, and the last two commits.
 */
export async function makeChain(folder, count, plain = 0) {
  const [home, repo] = [join(folder, 'home'), join(folder, 'repo')]
  mkdirSync(home, { recursive: true })
  const git = await importRepo(repo, home, commits(count, plain))
  git('checkout', '-b', 'feature/now')
  addSession(home, repo, SIZES[0].bytes)
  const [to, from] = git('rev-parse', 'HEAD', 'HEAD~1').toString().trim().split('\n')
  return { home, repo, id: idOf(Math.floor(count / 2)), from, to }
}

function* commits(count, plain) {
  yield 'reset refs/heads/main\n'
  for (let number = 0; number < count; number++) {
    yield briefCommit(number)
    for (let n = 0; n < plain; n++) yield plainCommit(number, n)
  }
}

const timeOf = (number) => new Date(START + number * APART * 60_000)

const idOf = (number) =>
  `${timeOf(number)
    .toISOString()
    .replace(/[-:]|\.\d+Z$/g, '')}-${(0x17f00000 + number * 7919).toString(16).padStart(8, '0').slice(-8)}`

const pathOf = (number) => `.handoff/briefs/${idOf(number)}-port-part-${number}-of-the-retry-queue.md`

const head = (number, message, seconds = 0) =>
  `commit refs/heads/main\ncommitter Robin <robin@example.invalid> ${timeOf(number).getTime() / 1000 + seconds} +0000\n${data(message)}`

function briefCommit(number) {
  const id = idOf(number)
  const message = `chore(handoff): port part ${number} of the retry queue\n\nHandoff-Id: ${id}\n`
  return `${head(number, message)}M 100644 inline ${pathOf(number)}\n${data(textOf(number))}\n`
}

const plainCommit = (number, n) =>
  `${head(number, `Change ${number}.${n}`, n + 1)}M 100644 inline src/part-${number % 50}.ts\n${data(`export const at = '${number}.${n}'\n`)}\n`

function textOf(number) {
  const goal = `port part ${number} of the retry queue to the scheduler, keep the public API`
  const branch = `feature/part-${Math.floor(number / 3)}`
  const [agent, label] = AGENTS[number % AGENTS.length]
  const commit = number.toString(16).padStart(8, 'a').repeat(5)
  const files = Array.from({ length: 16 }, (_, n) => `- \`src/queue/part-${number + n}.ts\` — edited 3 times`)
  const words = Array.from(
    { length: 10 },
    (_, n) => `- The scheduler of part ${number + n} keeps its own clock.`,
  )
  return `---
schemaVersion: 1
id: ${idOf(number)}
goal: ${goal}
branch: ${branch}
createdAt: "${timeOf(number).toISOString()}"
agent: ${label}
parents:${number % 3 === 0 ? ' []' : `\n  - ${idOf(number - 1)}`}
head: ${commit}
meta:
  agent:
    id: ${agent}
    version: 2.1.${number % 50}
    model: big-model-4
    tools:
      - Bash
      - Edit
      - Read
    session: ${commit.slice(0, 8)}-1111-4222-8333-444444444444
  reason: ${number % 7 === 0 ? 'context_limit' : 'manual'}
  dirty: false
  base: main@${(number + 1).toString(16).padStart(8, 'b').repeat(5)}
  skills:
    - review
${number % 5 === 0 ? '  persona: backend\n' : ''}  extraction:
    mode: none
    attempts: 0
  tokens: 1480
---

# Handoff Context

You are continuing work from a previous thread. Use the context below and focus only on the goal at the bottom. Do not mention the handoff itself.

The facts below were true at \`${commit.slice(0, 12)}\`; verify them before relying on them.

## Status

- Branch \`${branch}\` at \`${commit.slice(0, 12)}\`, no upstream
- Work tree clean

## Constraints & Preferences

- "Do not touch the public API of part ${number}." [user]

## Context (from previous thread)

${words.join('\n')}

## Relevant Files

${files.join('\n')}

## Working Memory

[gap-fill not provided]

## Next Goal (verbatim)

\`\`\`text
${goal}
\`\`\`
`
}
