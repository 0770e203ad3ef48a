import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pointerText } from '../../../../src/brief/latest.ts'
import { cli } from '../../../repo/cli.ts'
import { atFolder, type TempRepo } from '../../../repo/make-repo.ts'
import { create, later, made, usual, withBrief } from '../../../repo/usual.ts'
import { byNight, describeByNight, sampled } from '../../../sampled.ts'

const LATEST = '.handoff/latest.md'
const status = (repo: TempRepo) => repo.git(['status', '--porcelain', '-uall'])
const configOf = (repo: TempRepo) => readFileSync(join(repo.root, '.git/config'), 'utf8')
const remove = async (repo: TempRepo) => (await cli(repo, ['init', '--remove', '--json'])).json

describe('init --remove', () => {
  it('G8: takes out what create alone has set, and leaves the pointer', async () => {
    const repo = usual()
    const before = configOf(repo)
    await made(repo)
    expect(configOf(repo)).not.toBe(before)
    const { stdout } = await cli(repo, ['init', '--remove'])
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`Restored ${LATEST} to the text that git has`)
    expect(stdout).toContain('Unset filter.handoff.clean in .git/config.')
    expect(configOf(repo)).toBe(before)
    expect(repo.read(LATEST)).toBe(pointerText())
    expect(status(repo)).toBe('')
    // No command brings it back but the next handoff.
    for (const argv of [['status'], ['show'], ['log']]) await cli(repo, argv)
    expect(repo.read(LATEST)).toBe(pointerText())
    expect(configOf(repo)).toBe(before)
    expect((await cli(repo, ['init', '--remove'])).stdout).toContain('handoff is not set up here.')
    await made(repo, ['--focus', 'again'], { now: later(10) })
    expect(repo.read(LATEST)).toContain('handoff:begin')
    expect(status(repo)).toBe('')
  })

  byNight('G8: in linked worktrees as well, since they share the filter', async () => {
    const { repo } = await withBrief()
    const linked = atFolder(repo.base, join(repo.base, 'linked'), repo.env)
    repo.git(['worktree', 'add', '-q', '-b', 'side', linked.root])
    await cli(linked, ['status'])
    expect(linked.read(LATEST)).toContain('handoff:begin')
    await remove(repo)
    for (const one of [repo, linked]) {
      expect(one.read(LATEST)).toBe(pointerText())
      expect(status(one)).toBe('')
    }
  })

  byNight(
    'G8: after init as well; what somebody wrote there is kept, and a filter of their own stays',
    async () => {
      const repo = usual()
      const before = configOf(repo)
      await cli(repo, ['init', '--agent', 'claude-code', '--git-hooks', 'none', '--yes'])
      await made(repo)
      writeFileSync(join(repo.root, LATEST), `${repo.read(LATEST)}Mine.\n`)
      expect((await remove(repo)).warnings.join()).toContain('was changed below its marker')
      const drafts = join(repo.root, '.git/handoff/drafts')
      expect(
        readdirSync(drafts)
          .map((name) => readFileSync(join(drafts, name), 'utf8'))
          .join(),
      ).toContain('Mine.')
      expect(configOf(repo)).toBe(before)
      repo.git(['config', 'filter.handoff.clean', "perl -pe 'last if /^<!-- handoff:begin/'"])
      await remove(repo)
      expect(repo.git(['config', 'filter.handoff.clean'])).toContain('perl')
    },
  )

  byNight('G8: what create had set before init goes with init, in one call', async () => {
    const repo = usual()
    const before = configOf(repo)
    await made(repo)
    await cli(repo, ['init', '--agent', 'claude-code', '--git-hooks', 'none', '--yes'])
    await remove(repo)
    expect(configOf(repo)).toBe(before)
    expect(repo.read(LATEST)).toBe(pointerText())
    expect(status(repo)).toBe('')
  })

  byNight('G8: a copy that was committed is left as git has it', async () => {
    const { repo } = await withBrief()
    const oid = repo.git(['hash-object', '-w', '--no-filters', LATEST])
    repo.git(['update-index', '--cacheinfo', `100644,${oid},${LATEST}`])
    repo.git(['commit', '-q', '-m', 'with the copy'])
    await cli(repo, ['status'])
    await remove(repo)
    expect(repo.git(['hash-object', '--no-filters', LATEST])).toBe(oid)
    expect(status(repo)).toBe('')
  })
})

describeByNight('shared files that are not committed', () => {
  /** `work`, which never had a brief, beside `main` with one. */
  async function beside(): Promise<TempRepo> {
    const repo = usual()
    await made(repo)
    // At once, so that it is seen to grow from `main` on a slow machine, too.
    repo.git(['switch', '-q', '-c', 'work', 'HEAD~1'])
    return repo
  }

  byNight.each(
    sampled<[string, (repo: TempRepo) => Promise<unknown>]>(
      [
        ['create --no-commit', (repo) => create(repo, ['--no-commit'], { now: later(10) })],
        ['init', (repo) => cli(repo, ['init', '--agent', 'claude-code', '--git-hooks', 'none', '--yes'])],
        [
          'a create that failed',
          async (repo) => {
            const hook = join(repo.root, '.git/hooks/reference-transaction')
            writeFileSync(hook, '#!/bin/sh\n[ "$1" != prepared ] || exit 1\n')
            chmodSync(hook, 0o755)
            const { json } = await create(repo, [], { now: later(10) })
            expect(json.errors[0].code).toBe('E_NOT_COMMITTED')
            writeFileSync(hook, '#!/bin/sh\n')
            expect(existsSync(join(repo.root, '.handoff/briefs'))).toBe(true)
          },
        ],
      ],
      1,
    ),
  )('G8: %s does not block the checkout of a branch that has them', async (_, act) => {
    const repo = await beside()
    await act(repo)
    for (const name of ['latest.md', '.gitattributes', 'README.md'])
      expect(existsSync(join(repo.root, '.handoff', name)), name).toBe(false)
    repo.git(['switch', '-q', 'main'])
    expect(repo.read(LATEST)).toContain('# Work may have been handed over here')
  })

  byNight('G8: the same create, done again, commits the brief that was saved, with them', async () => {
    const repo = usual()
    const hook = join(repo.root, '.git/hooks/reference-transaction')
    writeFileSync(hook, '#!/bin/sh\n[ "$1" != prepared ] || exit 1\n')
    chmodSync(hook, 0o755)
    const failed = (await create(repo)).json
    expect(failed.errors[0].code).toBe('E_NOT_COMMITTED')
    writeFileSync(hook, '#!/bin/sh\n')
    const { path } = await made(repo, [], { now: later(1) })
    expect(failed.errors[0].message).toContain(path)
    expect(repo.git(['ls-tree', '-r', '--name-only', 'HEAD', '.handoff']).split('\n')).toEqual([
      '.handoff/.gitattributes',
      '.handoff/README.md',
      path,
      LATEST,
    ])
    expect(status(repo)).toBe('')
  })

  byNight('G8: where no branch has them create --no-commit writes them', async () => {
    const repo = usual()
    await create(repo, ['--no-commit'])
    expect(existsSync(join(repo.root, LATEST))).toBe(true)
  })
})
