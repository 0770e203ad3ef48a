import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openRepo } from '../../../../src/git/open-repo.ts'
import { walkHistory } from '../../../../src/git/read-history.ts'
import { briefFile } from '../../../repo/log/brief-file.ts'
import { makeRepo } from '../../../repo/make-repo.ts'

/** Path → content. */
type Tree = ReadonlyMap<string, string>

interface Commit {
  parents: number[]
  tree: Tree
}

const FILES = [1, 2, 3, 4, 5].map((n) => briefFile({ n }).path)

/** Histories with roots, forks, merges of up to three, files that come, change, go and come back. */
const histories = fc
  .array(
    fc.record({
      parents: fc.array(fc.nat(5), { maxLength: 3 }),
      changes: fc.array(fc.record({ file: fc.nat(4), content: fc.option(fc.nat(3)) }), { maxLength: 2 }),
      takes: fc.boolean(),
    }),
    { minLength: 4, maxLength: 24 },
  )
  .map((plan) => {
    const commits: Commit[] = []
    for (const [at, { parents, changes, takes }] of plan.entries()) {
      const from = [...new Set(parents.map((back) => at - 1 - back).filter((one) => one >= 0))]
      const tree = new Map(commits[from[0] ?? -1]?.tree)
      for (const other of from.slice(1))
        for (const [path, content] of commits[other]?.tree ?? [])
          if (takes || !tree.has(path)) tree.set(path, content)
      for (const { file, content } of changes) {
        const path = FILES[file] ?? ''
        if (content === null) tree.delete(path)
        else tree.set(path, `content ${content}\n`)
      }
      commits.push({ parents: from, tree })
    }
    return commits
  })

/** What each commit brought that none of its parents had: added where no parent had the path. */
function expected(commits: readonly Commit[]): string[] {
  const found = new Set<string>()
  for (const { parents, tree } of commits)
    for (const [path, content] of tree) {
      const before = parents.map((one) => commits[one]?.tree.get(path))
      if (before.some((one) => one === content)) continue
      found.add(`${path} ${content.trim()} ${before.every((one) => one === undefined) ? 'added' : 'edited'}`)
    }
  return [...found].sort()
}

const streamOf = (run: number, commits: readonly Commit[]): string =>
  commits
    .map(({ parents, tree }, at) => {
      const [first, ...others] = parents.map((one) => `:${one + 1}`)
      return [
        `commit refs/heads/run-${run}/${at}\nmark :${at + 1}\ncommitter A <a@example.com> ${1_790_000_000 + at} +0000\ndata 0\n`,
        ...(first === undefined ? [] : [`from ${first}\n`]),
        ...others.map((other) => `merge ${other}\n`),
        'deleteall\n',
        ...[...tree].map(([path, text]) => `M 100644 inline ${path}\ndata ${text.length}\n${text}\n`),
      ].join('')
    })
    .join('\n')

describe('the walk through history', () => {
  it('finds what every commit brought and nothing else, whatever the shape of history', async () => {
    const temp = makeRepo()
    const repo = await openRepo(temp.root, { env: temp.env })
    const content = new Map([0, 1, 2, 3].map((n) => [blob(temp.root, `content ${n}\n`), `content ${n}`]))
    let run = 0
    await fc.assert(
      fc.asyncProperty(histories, async (commits) => {
        run++
        temp.git(['fast-import', '--quiet', '--force'], { input: streamOf(run, commits) })
        // From the heads alone: what a commit on the way brought has to be found through merges.
        const parents = new Set(commits.flatMap((one) => one.parents))
        const refs = commits.flatMap((_, at) => (parents.has(at) ? [] : [`refs/heads/run-${run}/${at}`]))
        const found = new Set<string>()
        for (const { path, oid, edited } of (await walkHistory(repo, { also: refs })).entries)
          found.add(`${path} ${content.get(oid)} ${edited ? 'edited' : 'added'}`)
        expect([...found].sort()).toEqual(expected(commits))
      }),
      { numRuns: 40 },
    )
  })
})

const blob = (cwd: string, text: string): string =>
  execFileSync('git', ['hash-object', '--stdin'], { cwd, input: text, encoding: 'utf8' }).trim()
