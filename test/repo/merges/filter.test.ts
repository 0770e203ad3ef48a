import { chmodSync, existsSync, renameSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pointerText } from '../../../src/brief/latest.ts'
import { refreshLatest } from '../../../src/briefs/latest-file.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { byNight, sampled } from '../../sampled.ts'
import { atFolder, makeRepo, prepared, type TempRepo } from '../make-repo.ts'
import { handOver, invocationFor } from './hand-over.ts'

const LATEST = '.handoff/latest.md'
const text = (repo: TempRepo): string => repo.read(LATEST)
const isCopy = (repo: TempRepo): boolean => text(repo).includes('handoff:begin')
const refresh = async (repo: TempRepo): Promise<void> =>
  refreshLatest(invocationFor(repo), await openRepo(repo.root, { env: repo.env }))

/** What a person or a program does where the copy stands; afterwards git must see nothing of it. Throws what it must not. */
const STATES: Readonly<Record<string, (repo: TempRepo) => unknown>> = {
  'nothing further': () => undefined,
  'git diff, diff-files and diff-index see nothing': (repo) => {
    expect(repo.git(['diff', '--stat'])).toBe('')
    expect(repo.git(['diff-files'])).toBe('')
    expect(repo.git(['diff-index', 'HEAD'])).toBe('')
  },
  'git add -A stages nothing': (repo) => {
    repo.git(['add', '-A'])
    expect(repo.git(['diff', '--cached', '--name-only'])).toBe('')
  },
  'git commit -a of other work': (repo) => {
    repo.write('a.txt', 'changed\n')
    repo.git(['commit', '-q', '-am', 'work'])
    expect(repo.git(['show', '--name-only', '--format='])).toBe('a.txt')
  },
  'git commit --amend': (repo) => repo.git(['commit', '-q', '--amend', '-m', 'other words']),
  'git stash and pop': (repo) => {
    repo.write('a.txt', 'changed\n')
    repo.git(['stash', '-q'])
    expect(repo.git(['stash', 'show', '--name-only'])).toBe('a.txt')
    repo.git(['stash', 'pop', '-q'])
    repo.git(['checkout', '-q', '--', 'a.txt'])
  },
  'git stash -u with nothing else': (repo) => {
    expect(repo.git(['stash', 'push', '-u'])).toMatch(/No local changes/)
  },
  'git checkout of the file': (repo) => {
    const before = text(repo)
    repo.git(['checkout', '-q', '--', LATEST])
    expect([before, pointerText()]).toContain(text(repo))
  },
  'git reset --hard': (repo) => repo.git(['reset', '-q', '--hard']),
  'another branch and back': (repo) => {
    repo.git(['switch', '-q', '-c', 'side'])
    repo.git(['switch', '-q', 'main'])
  },
  'a commit from before handoff and back': (repo) => {
    repo.git(['switch', '-q', '--detach', 'main~1'])
    expect(existsSync(join(repo.root, LATEST))).toBe(false)
    repo.git(['switch', '-q', 'main'])
  },
  'a linked worktree, which can be removed again': async (repo) => {
    const linked = atFolder(repo.base, join(repo.base, 'linked'), repo.env)
    repo.git(['worktree', 'add', '-q', '-b', 'side', linked.root])
    await refresh(linked)
    expect(isCopy(linked)).toBe(true)
    expect(linked.git(['status', '--porcelain'])).toBe('')
    // Git refuses to remove a worktree with changes.
    repo.git(['worktree', 'remove', linked.root])
  },
  'git mv of the file and back': (repo) => {
    repo.git(['mv', LATEST, '.handoff/other.md'])
    repo.git(['mv', '.handoff/other.md', LATEST])
  },
  'a rename of the folder and back': (repo) => {
    renameSync(join(repo.root, '.handoff'), join(repo.root, 'moved'))
    renameSync(join(repo.root, 'moved'), join(repo.root, '.handoff'))
  },
  'chmod and back': (repo) => {
    chmodSync(join(repo.root, LATEST), 0o755)
    chmodSync(join(repo.root, LATEST), 0o644)
  },
  'a touch': (repo) => utimesSync(join(repo.root, LATEST), new Date(), new Date()),
  'a merge that brings a brief': async (repo) => {
    repo.git(['switch', '-q', '-c', 'side'])
    await handOver(repo)
    repo.git(['switch', '-q', 'main'])
    repo.commit('main goes on', { 'm.txt': 'm\n' })
    repo.git(['merge', '-q', '--no-edit', 'side'])
  },
  'a rebase': async (repo) => {
    repo.git(['switch', '-q', '-c', 'side', 'main~1'])
    await handOver(repo)
    repo.git(['rebase', '-q', 'main'])
  },
  'a cherry-pick of a handoff': async (repo) => {
    repo.git(['switch', '-q', '-c', 'side'])
    await handOver(repo)
    repo.git(['switch', '-q', 'main'])
    repo.git(['cherry-pick', '--allow-empty', 'side'])
  },
  'a detached HEAD': (repo) => repo.git(['checkout', '-q', '--detach']),
  'a bisect': (repo) => {
    for (const at of [1, 2, 3]) repo.commit(`more ${at}`, { 'm.txt': `${at}\n` })
    repo.git(['bisect', 'start', 'main', 'main~4'])
    repo.git(['bisect', 'reset'])
  },
  'a clone of it': (repo) => {
    const clone = atFolder(repo.base, join(repo.base, 'clone'), repo.env)
    repo.git(['clone', '-q', repo.root, clone.root])
    expect(text(clone)).toBe(pointerText())
    expect(clone.git(['status', '--porcelain'])).toBe('')
  },
  'git archive holds the pointer': (repo) => {
    const archived = repo.git(['archive', '--format=tar', 'HEAD', LATEST])
    expect(archived).toContain('Work may have been handed over')
    expect(archived).not.toContain('handoff:begin')
  },
  'git gc': (repo) => repo.git(['gc', '-q']),
  'git update-index --refresh': (repo) => repo.git(['update-index', '--refresh']),
  'git read-tree -u': (repo) => repo.git(['read-tree', '-m', '-u', 'HEAD']),
  'a sparse checkout without the folder, and with it again': (repo) => {
    repo.commit('folder', { 'src/x.ts': 'x\n' })
    repo.git(['sparse-checkout', 'set', '--no-cone', '/src/'])
    repo.git(['sparse-checkout', 'disable'])
  },
}

/** Settings under which the copy is made. */
const SETTINGS: Readonly<Record<string, (repo: TempRepo) => unknown>> = {
  'core.autocrlf=true': (repo) => config(repo, 'core.autocrlf', 'true'),
  'core.autocrlf=input': (repo) => config(repo, 'core.autocrlf', 'input'),
  'core.eol=crlf and text=auto for all': (repo) => {
    config(repo, 'core.eol', 'crlf')
    repo.commit('attributes', { '.gitattributes': '* text=auto\n' })
  },
  'eol=crlf for all': (repo) => repo.commit('attributes', { '.gitattributes': '* text=auto eol=crlf\n' }),
  'core.safecrlf=true': (repo) => config(repo, 'core.safecrlf', 'true'),
  'core.fileMode=false': (repo) => config(repo, 'core.fileMode', 'false'),
  'core.checkStat=minimal': (repo) => config(repo, 'core.checkStat', 'minimal'),
  'core.trustctime=false': (repo) => config(repo, 'core.trustctime', 'false'),
  'core.ignoreCase=true': (repo) => config(repo, 'core.ignoreCase', 'true'),
  'split index': (repo) => repo.git(['update-index', '--split-index']),
  'index version 4': (repo) => repo.git(['update-index', '--index-version', '4']),
  'untracked cache': (repo) => repo.git(['update-index', '--force-untracked-cache']),
  'feature.manyFiles': (repo) => config(repo, 'feature.manyFiles', 'true'),
  'git-lfs for all markdown, not installed': (repo) => {
    repo.commit('attributes', { '.gitattributes': '*.md filter=lfs diff=lfs merge=lfs -text\n' })
    config(repo, 'filter.lfs.clean', 'no-such-tool clean')
    config(repo, 'filter.lfs.required', 'true')
  },
}

const config = (repo: TempRepo, key: string, value: string): string => repo.git(['config', key, value])

const handedOver = prepared(async () => {
  const repo = makeRepo()
  await handOver(repo)
  return repo
})

describe('git status is clean where the copy stands', () => {
  it(`is a list of ${Object.keys(STATES).length + Object.keys(SETTINGS).length}, more than 22`, () =>
    expect(Object.keys(STATES).length + Object.keys(SETTINGS).length).toBeGreaterThan(22))

  it.each(sampled(Object.entries(STATES), 2))('after %s; and the copy comes back', async (_, run) => {
    const repo = await handedOver()
    const pointer = repo.git(['rev-parse', `HEAD:${LATEST}`])
    expect(isCopy(repo)).toBe(true)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    await run(repo)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    await refresh(repo)
    expect(isCopy(repo)).toBe(true)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    expect(repo.git(['ls-files', '-s', LATEST])).toContain(pointer)
    expect(repo.git(['rev-parse', `HEAD:${LATEST}`])).toBe(pointer)
  })

  it.each(sampled(Object.entries(SETTINGS), 1))(
    'under %s, in checkouts, stash and a commit',
    async (_, prepare) => {
      const repo = makeRepo()
      prepare(repo)
      await handOver(repo)
      const pointer = repo.git(['rev-parse', `HEAD:${LATEST}`])
      expect(isCopy(repo)).toBe(true)
      expect(repo.git(['status', '--porcelain'])).toBe('')
      repo.git(['switch', '-q', '-c', 'side'])
      repo.write('a.txt', 'changed\n')
      repo.git(['stash', '-q'])
      repo.git(['stash', 'pop', '-q'])
      repo.git(['commit', '-q', '-am', 'work'])
      repo.git(['switch', '-q', 'main'])
      await refresh(repo)
      expect(isCopy(repo)).toBe(true)
      expect(repo.git(['status', '--porcelain'])).toBe('')
      expect(repo.git(['rev-parse', `side:${LATEST}`])).toBe(pointer)
    },
  )

  byNight('in a repository without commits', async () => {
    const repo = makeRepo({ initial: false })
    await handOver(repo)
    expect(isCopy(repo)).toBe(true)
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  it('negative control: without the filter git sees the copy as a change', async () => {
    const repo = await handedOver()
    repo.git(['config', '--unset', 'filter.handoff.clean'])
    repo.write(LATEST, `${text(repo)}more\n`)
    expect(repo.git(['status', '--porcelain'])).toBe(` M ${LATEST}`)
  })
})
