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
 * A repository with `count` briefs in `count` commits, made by `git fast-import`: four fifths on main, the others on 20
 * branches that leave it along the way. A brief is of the size and shape that `create` gives it. The first one leaves the
 * tree with the second commit. Between two briefs are `plain` commits that change one file of code. Takes 45 s for 10,000 briefs: every commit
 * has a larger folder. The home has one session of 50 KB. Gives the id of a brief in the middle, and the last two commits.
 */
export async function makeChain(folder, count, plain = 0) {
  const [home, repo] = [join(folder, 'home'), join(folder, 'repo')]
  mkdirSync(home, { recursive: true })
  const git = await importRepo(repo, home, commits(count, plain))
  addSession(home, repo, SIZES[0].bytes)
  const [to, from] = git('rev-parse', 'HEAD', 'HEAD~1').toString().trim().split('\n')
  return { home, repo, id: idOf(Math.floor(count / 2)), from, to }
}

function* commits(count, plain) {
  const onMain = Math.floor(count * 0.8)
  yield 'reset refs/heads/main\n'
  /** @type {{ id: string, mark: number } | null} */
  let last = null
  let number = 0
  let mark = 0
  const ids = []
  function* after(branch) {
    for (let n = 0; n < plain; n++)
      yield plainCommit({ branch, from: mark, mark: ++mark, number, text: `${number}.${n}` })
  }
  for (let n = 0; n < onMain; n++) {
    const id = idOf(number)
    const gone = number === 1 ? pathOf(0) : null
    yield commitOf({ id, parent: last, branch: 'main', number, mark: ++mark, gone })
    yield* after('main')
    last = { id, mark }
    number++
    ids.push(last)
  }
  for (let branch = 0; branch < 20; branch++) {
    let tip = ids[Math.floor((onMain * (branch + 1)) / 21)]
    const name = `feature/${branch}`
    const end = onMain + Math.floor(((count - onMain) * (branch + 1)) / 20)
    while (number < end) {
      const id = idOf(number)
      yield commitOf({ id, parent: tip, branch: name, number, mark: ++mark })
      yield* after(name)
      tip = { id, mark }
      number++
    }
  }
}

const timeOf = (number) => new Date(START + number * APART * 60_000)

const idOf = (number) =>
  `${timeOf(number)
    .toISOString()
    .replace(/[-:]|\.\d+Z$/g, '')}-${(0x17f00000 + number * 7919).toString(16).padStart(8, '0').slice(-8)}`

const pathOf = (number) => `.handoff/briefs/${idOf(number)}-port-part-${number}-of-the-retry-queue.md`

function commitOf({ id, parent, branch, number, mark, gone = null }) {
  const goal = `port part ${number} of the retry queue to the scheduler, keep the public API`
  const path = pathOf(number)
  const text = textOf({ id, parent, branch, number, goal })
  const message = `chore(handoff): port part ${number} of the retry queue\n\nHandoff-Id: ${id}\n`
  const seconds = Math.floor(timeOf(number).getTime() / 1000)
  return [
    `commit refs/heads/${branch}\nmark :${mark}\n`,
    `committer Robin <robin@example.invalid> ${seconds} +0000\n`,
    data(message),
    parent === null ? '' : `from :${parent.mark}\n`,
    gone === null ? '' : `D ${gone}\n`,
    `M 100644 inline ${path}\n`,
    data(text),
    '\n',
  ].join('')
}

function plainCommit({ branch, from, mark, number, text }) {
  const seconds = Math.floor(timeOf(number).getTime() / 1000) + (mark % 60)
  return `commit refs/heads/${branch}\nmark :${mark}\ncommitter Robin <robin@example.invalid> ${seconds} +0000\n${data(
    `Change ${text}`,
  )}from :${from}\nM 100644 inline src/part-${number % 50}.ts\n${data(`export const at = '${text}'\n`)}\n`
}

function textOf({ id, parent, branch, number, goal }) {
  const [agent, label] = AGENTS[number % AGENTS.length]
  const head = number.toString(16).padStart(8, 'a').repeat(5)
  const files = Array.from({ length: 16 }, (_, n) => `- \`src/queue/part-${number + n}.ts\` — edited 3 times`)
  const words = Array.from(
    { length: 10 },
    (_, n) => `- The scheduler of part ${number + n} keeps its own clock.`,
  )
  return `---
schemaVersion: 1
id: ${id}
goal: ${goal}
reason: ${number % 7 === 0 ? 'context_limit' : 'manual'}
createdAt: "${timeOf(number).toISOString()}"
branch: ${branch}
head: ${head}
dirty: false
agent:
  id: ${agent}
  label: ${label}
  version: 2.1.${number % 50}
  model: big-model-4
  tools:
    - Bash
    - Edit
    - Read
  session: ${head.slice(0, 8)}-1111-4222-8333-444444444444
skills:
  - review
${number % 5 === 0 ? 'persona: backend\n' : ''}parent: ${parent === null ? 'null' : parent.id}
extraction:
  mode: none
  attempts: 0
tokens: 1480
---

# Handoff Context

You are continuing work from a previous thread. Use the context below and focus only on the goal at the bottom. Do not mention the handoff itself.

The facts below were true at \`${head.slice(0, 12)}\`; verify them before relying on them.

## Status

- Branch \`${branch}\` at \`${head.slice(0, 12)}\`, no upstream
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
