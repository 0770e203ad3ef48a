import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, describeByNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { hashFiles } from '../hash-files.ts'
import type { TempRepo } from '../make-repo.ts'
import { create, GOAL, headOf, later, made, succeeded, usual, withBrief } from '../usual.ts'

/** Staged, unstaged and untracked work, a stash, and a brief whose copy belongs to another branch. */
async function busy(): Promise<TempRepo> {
  const { repo } = await withBrief()
  repo.git(['switch', '-q', '-c', 'side'])
  repo.write('src/queue.ts', 'stashed\n')
  repo.git(['stash', '-q'])
  repo.write('src/api.ts', 'staged\n')
  repo.git(['add', 'src/api.ts'])
  repo.write('src/queue.ts', 'unstaged\n')
  repo.write('src/new.ts', 'untracked\n')
  // Git would refresh the index by itself; that is not what is asked here.
  repo.git(['status'])
  return repo
}

describe('--dry-run, --print and --preview write nothing', () => {
  it('not in the work tree, not in .git, not at home', async () => {
    const repo = await busy()
    const before = hashFiles(repo.base)
    const goal = 'document every limit of the retry queue'
    for (const flags of [['--dry-run'], ['--print', '--json'], ['--preview']]) {
      const run = await cli(repo, ['create', goal, ...flags], { now: later(5) })
      expect(run.code).toBe(0)
      expect(hashFiles(repo.base)).toEqual(before)
    }
    const piped = await cli(repo, ['create', goal, '--print', '--session', '-', '--json'], {
      stdin: '{"role":"user","content":"Port the queue."}\n{"role":"assistant","content":"Ported."}\n',
    })
    expect(piped.json).toMatchObject({ ok: true, session: { agent: 'plain' } })
    expect(existsSync(piped.json.session.path)).toBe(false)
    expect(hashFiles(repo.base)).toEqual(before)
  })

  byNight('--print and --dry-run print the brief alone, --preview also what was cut', async () => {
    const repo = usual()
    const [printed, dry, preview] = await Promise.all(
      ['--print', '--dry-run', '--preview'].map((flag) => cli(repo, ['create', GOAL, flag])),
    )
    expect(printed?.stdout).toMatch(/^---\nschemaVersion: 1\n/)
    expect(printed?.stdout).toMatch(/## Next Goal \(verbatim\)\n\n```text\n.*\n```\n$/)
    expect(dry?.stdout).toBe(printed?.stdout)
    const [before, after = ''] = preview?.stdout.split('\nCut to fit:\n\n') ?? []
    expect(before).toBe(printed?.stdout)
    expect(after).toMatch(/^(?:Nothing\.|- .*)\n/)
    const { json } = await cli(repo, ['create', GOAL, '--preview', '--json'])
    expect(json).toMatchObject({ dropped: expect.any(Array), brief: { cuts: expect.any(Object) } })
  })

  byNight('the object is that of a real run, and the brief is the one that would be written', async () => {
    const repo = usual()
    const dry = await made(repo, ['--dry-run'])
    const real = await made(repo)
    expect(Object.keys(dry)).toEqual(Object.keys(real))
    expect(dry).toEqual({ ...real, commit: null })
    expect(repo.git(['show', `HEAD:${real.path}`])).toBe(dry.markdown.trimEnd())
  })
})

describeByNight('--no-commit', () => {
  byNight(
    'writes the brief, commits nothing, leaves the index alone; the next create commits that brief',
    async () => {
      const repo = usual()
      const head = headOf(repo)
      const index = repo.git(['ls-files', '-s', '--debug'])
      const kept = await made(repo, ['--no-commit'])
      expect(kept).toMatchObject({ ok: true, commit: null })
      expect(headOf(repo)).toBe(head)
      expect(repo.git(['ls-files', '-s', '--debug'])).toBe(index)
      expect(repo.git(['for-each-ref', '--format=%(refname)'])).toBe('refs/heads/main')
      expect(repo.read(kept.path)).toBe(kept.markdown)
      expect(repo.git(['status', '--porcelain'])).toBe('?? .handoff/')
      expect(repo.read('.handoff/latest.md')).toContain(kept.id)

      const committed = await made(repo, [], { now: later(5) })
      expect(committed).toMatchObject({ ok: true, id: kept.id, path: kept.path, commit: headOf(repo) })
      expect(readdirSync(join(repo.root, '.handoff/briefs'))).toHaveLength(1)
      expect(repo.git(['status', '--porcelain'])).toBe('')
    },
  )

  byNight('asked twice writes one file', async () => {
    const repo = usual()
    const first = await made(repo, ['--no-commit'])
    const second = await made(repo, ['--no-commit'], { now: later(5) })
    expect(second).toMatchObject({ id: first.id, commit: null })
    expect(readdirSync(join(repo.root, '.handoff/briefs'))).toHaveLength(1)
  })

  byNight('is a configuration key too, and --commit wins over it', async () => {
    const repo = usual()
    const env = { HANDOFF_COMMIT: 'false' }
    expect((await create(repo, [], { env })).json.commit).toBeNull()
    expect(succeeded(await create(repo, ['--commit'], { env })).commit).toBe(headOf(repo))
  })
})

it('nothing is left beside the brief: no draft, no lock, no temporary file', async () => {
  const { repo } = await withBrief()
  const files = Object.keys(hashFiles(join(repo.root, '.git')))
  expect(
    files.filter((path) => /\.lock$|\.tmp$|handoff\/(?:file|index|tree|ref|queue)\./.test(path)),
  ).toEqual([])
  expect(existsSync(join(repo.root, '.git/handoff/drafts'))).toBe(false)
})
