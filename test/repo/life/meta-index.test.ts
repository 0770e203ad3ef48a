import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { briefFile, commitBrief, idsOf, logOf } from '../log/brief-file.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { headOf, succeeded } from '../usual.ts'

/** Enough that the index is written. */
const COUNT = 12
const PROGRAM = join(import.meta.dirname, '../../../bin/handoff.cjs')

let repo: TempRepo
let index: string
let start: string
/** At `start`. */
let expected: Awaited<ReturnType<typeof told>>
const build = async (): Promise<string> => {
  succeeded(await cli(repo, ['status', '--json']))
  return readFileSync(index, 'utf8')
}
const metasIn = (text: string): Record<string, { goal: string }> => JSON.parse(text).metas
/** The order is that of the listing. */
const idsIn = (text: string): string[] => Object.keys(metasIn(text)).sort()
const told = async () => ({
  status: succeeded(await cli(repo, ['status', '--json'])),
  log: await logOf(repo),
})
/** What is told without an index. */
async function truth() {
  rmSync(index, { recursive: true, force: true })
  const found = await told()
  rmSync(index, { recursive: true, force: true })
  return found
}

beforeAll(async () => {
  repo = makeRepo()
  index = join(repo.root, '.git/handoff/front-matter')
  const files = Array.from({ length: COUNT }, (_, at) => briefFile({ n: at + 1 }))
  repo.commit('briefs', Object.fromEntries(files.map(({ path, text }) => [path, text])))
  // None of these is about this branch, so that all are looked at.
  repo.git(['checkout', '-q', '-b', 'work/new'])
  repo.commit('plain', { 'plain.txt': 'x\n' })
  start = headOf(repo)
  expected = await truth()
})
beforeEach(() => {
  rmSync(index, { recursive: true, force: true })
  repo.git(['reset', '-q', '--hard', start])
})

describe('the index of front matter', () => {
  it('tells what the briefs say, and spares reading them', async () => {
    const text = await build()
    expect(idsIn(text)).toHaveLength(COUNT)
    expect(await told()).toEqual(expected)
    writeFileSync(index, text.replace('goal number 7 of', 'GOAL NUMBER 7 OF'))
    expect(JSON.stringify((await logOf(repo)).briefs)).toContain('GOAL NUMBER 7 OF')
  })

  it('knows a new brief at once', async () => {
    await build()
    const { id } = commitBrief(repo, { n: 90, branch: 'work/new' })
    const now = await told()
    expect(idsOf(now.log)[0]).toBe(id)
    expect(now.status.brief.id).toBe(id)
    expect(now).toEqual(await truth())
  })

  byNight('forgets briefs that are no longer listed', async () => {
    await build()
    const paths = repo.git(['ls-files', '.handoff/briefs']).trim().split('\n')
    repo.git(['rm', '-q', ...paths])
    const files = Array.from({ length: COUNT }, (_, at) => briefFile({ n: at + 1, goal: 'another goal' }))
    repo.commit('others', Object.fromEntries(files.map(({ path, text }) => [path, text])))
    expect(idsIn(await build())).toHaveLength(2 * COUNT)
    const third = Array.from({ length: COUNT }, (_, at) => briefFile({ n: at + 1, goal: 'a third goal' }))
    repo.commit('third', Object.fromEntries(third.map(({ path, text }) => [path, text])))
    const metas = Object.values(metasIn(await build()))
    expect(metas).toHaveLength(2 * COUNT)
    expect(metas.filter(({ goal }) => goal === 'a third goal')).toHaveLength(COUNT)
  })

  it.each(
    sampled<[string, (text: string) => string]>(
      [
        ['torn', (text) => text.slice(0, text.length / 2)],
        ['of a newer version', (text) => text.replace('"version":3', '"version":4')],
        ['of bytes that mean nothing', (text) => text.replaceAll('{"', '\u{0}')],
        ['empty', () => ''],
      ],
      1,
    ),
  )('is built anew when it is %s', async (_, damage) => {
    const text = await build()
    writeFileSync(index, damage(text))
    expect(await told()).toEqual(expected)
    expect(idsIn(readFileSync(index, 'utf8'))).toEqual(idsIn(text))
  })

  byNight('is done without where it can be neither read nor written', async () => {
    // A folder: root may read any file.
    mkdirSync(index)
    writeFileSync(join(index, 'x'), '')
    expect(await told()).toEqual(expected)
  })

  byNight('stays whole when several processes write it at once', async () => {
    const text = await build()
    rmSync(index)
    const run = promisify(execFile)
    const all = await Promise.all(
      Array.from({ length: 4 }, () =>
        run(process.execPath, [PROGRAM, 'status', '--json'], {
          cwd: repo.root,
          env: { ...repo.env, HOME: repo.home },
        }),
      ),
    )
    expect(new Set(all.map(({ stdout }) => JSON.parse(stdout).ok))).toEqual(new Set([true]))
    expect(idsIn(readFileSync(index, 'utf8'))).toEqual(idsIn(text))
  })
})
