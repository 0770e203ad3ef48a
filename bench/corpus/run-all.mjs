import { join } from 'node:path'
import { makeRunner } from './run.mjs'

/**
 * Hands over every item, `jobs` at a time, and returns the results in the order of the items. With `commit` each in a
 * repository of its own of at most `cap` files; without, nothing is written, so a repository is shared and whole.
 */
export async function runAll(items, { corpus, folder, program, jobs, cap, commit }) {
  const results = []
  let next = 0
  const work = async (job) => {
    const run = makeRunner({
      corpus,
      folder: join(folder, `job-${job}`),
      program,
      cap: commit ? cap : Number.POSITIVE_INFINITY,
      commit,
    })
    while (next < items.length) {
      const at = next++
      results[at] = await run(items[at])
      if (process.stderr.isTTY) process.stderr.write(`\r${at + 1} of ${items.length} `)
    }
  }
  await Promise.all(Array.from({ length: jobs }, (_, job) => work(job)))
  if (process.stderr.isTTY) process.stderr.write('\n')
  return results
}
