import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Context } from './part.ts'
import { plantDefect } from './program.ts'
import { auditHistory, hand, idsOf, userGit, wrongOf } from './race-world.ts'
import { tellPlanted } from './tell.ts'
import { openWorld } from './world.ts'

/** Defects planted on purpose: when one of them is not found, the part is blind. */
export async function raceControls(context: Context): Promise<void> {
  await withoutSwap(context)
  await commitOnly(context)
}

/** Rounds for which a defect is looked for: who meets whom is the machine's, and one round may pass without. */
const ROUNDS = 5

/** What was done and what was caught, round after round until something is. */
async function untilCaught(
  round: () => Promise<{ count: number; caught: number }>,
): Promise<{ count: number; caught: number }> {
  const sum = { count: 0, caught: 0 }
  for (let at = 0; at < ROUNDS && sum.caught === 0; at++) {
    const { count, caught } = await round()
    sum.count += count
    sum.caught += caught
  }
  return sum
}

const many = (context: Context) => Array.from({ length: context.long ? 20 : 6 }, (_, at) => at)

/** Nobody waits for a turn, and the branch moves wherever it is: the last one wins. */
async function withoutSwap(context: Context): Promise<void> {
  const folder = context.scratch('planted')
  const program = plantDefect(
    folder,
    'dist/cli.cjs',
    /=([\w$]+)===void 0\?"":` \$\{\1\?\?[\w$]+\([\w$]+\)\}`/,
    '=""',
  )
  const path = join(folder, 'dist/cli.cjs')
  const text = readFileSync(path, 'utf8')
  const queue = /\(0,[\w$]+\.writeFileSync\)\([\w$]+,"",\{flag:"wx"[^}]*\}\),!0/g
  const hits = [...text.matchAll(queue)].length
  if (hits !== 1) throw new Error(`the queue stands ${hits} times in dist/cli.cjs, not once`)
  writeFileSync(path, text.replace(queue, '!0'))
  const { count, caught } = await untilCaught(async () => {
    const repo = openWorld(context.scratch('control'))
    const results = await Promise.all(
      many(context).map((at) => hand(program, repo, at, ['--branch', 'separate'])),
    )
    const wrong = auditHistory(repo, 'handoff/main', idsOf(results))
    return { count: results.length, caught: wrong.filter((one) => one.endsWith('is lost')).length }
  })
  tellPlanted(context, 'planted: no queue, no compare and swap', 'create, separate', count, caught, 'lost')
}

/** What others do: `git add` and `git commit --only`, at once. */
async function commitOnly(context: Context): Promise<void> {
  const { count, caught } = await untilCaught(async () => {
    const repo = openWorld(context.scratch('control'))
    const results = await Promise.all(
      many(context).map(async (at) => {
        repo.write(`brief-${at}.md`, `${at}\n`)
        const added = await userGit(repo, ['add', `brief-${at}.md`])
        const made = await userGit(repo, ['commit', '-q', '-m', `brief ${at}`, '--only', `brief-${at}.md`])
        return added.code === 0 && made.code === 0 ? { id: String(at) } : { wrong: made.stderr }
      }),
    )
    return { count: results.length, caught: wrongOf(results).length }
  })
  tellPlanted(context, 'planted: git commit --only', 'commit', count, caught, 'failed')
}
