import { join } from 'node:path'
import { atFolder, makeFolder, type TempRepo } from '../make-repo.ts'

/** How one branch after the other comes to main. Each gives back how many of them conflicted; those are left out. */
export const WAYS: Readonly<Record<string, (repo: TempRepo, branches: readonly string[]) => number>> = {
  merge: (repo, branches) =>
    count(branches, (branch) => tries(repo, ['merge', '-q', '--no-edit', branch], ['merge', '--abort'])),
  squash: (repo, branches) =>
    count(branches, (branch) => {
      if (!tries(repo, ['merge', '-q', '--squash', branch], ['reset', '-q', '--hard'])) return false
      repo.git(['commit', '-q', '-m', `squash of ${branch}`])
      return true
    }),
  rebase: (repo, branches) =>
    count(branches, (branch) => {
      const isClean = tries(repo, ['rebase', '-q', 'main', branch], ['rebase', '--abort'])
      repo.git(['switch', '-q', 'main'])
      if (isClean) repo.git(['merge', '-q', '--ff-only', branch])
      return isClean
    }),
  'update branch': (repo, branches) =>
    count(branches, (branch) => {
      repo.git(['switch', '-q', branch])
      const isClean = tries(repo, ['merge', '-q', '--no-edit', 'main'], ['merge', '--abort'])
      repo.git(['switch', '-q', 'main'])
      if (isClean) repo.git(['merge', '-q', '--no-ff', '--no-edit', branch])
      return isClean
    }),
  host: (repo, branches) => {
    const host = atFolder(repo.base, join(makeFolder(), 'host.git'), repo.env)
    repo.git(['clone', '-q', '--bare', repo.root, host.root])
    // A host reads no attributes; git from 2.43 on would read those of HEAD in a bare repository.
    const none = host.git(['hash-object', '-t', 'tree', '-w', '--stdin'])
    const conflicts = count(branches, (branch) => {
      const args = ['-c', `attr.tree=${none}`, 'merge-tree', '--write-tree', 'main', branch]
      const { status, stdout } = host.tryGit(args)
      // 1 is a conflict; everything else is a fault of the test.
      if (status !== 0 && status !== 1) throw new Error(`git merge-tree: ${status}`)
      if (status === 1) return false
      const parents = ['-p', 'main', '-p', branch]
      host.git(['update-ref', 'refs/heads/main', host.git(['commit-tree', stdout, ...parents, '-m', branch])])
      return true
    })
    repo.git(['fetch', '-q', host.root, '+refs/heads/main:refs/heads/hosted'])
    repo.git(['reset', '-q', '--hard', 'hosted'])
    return conflicts
  },
}

/** How many were not clean. */
const count = (branches: readonly string[], isClean: (branch: string) => boolean): number =>
  branches.filter((branch) => !isClean(branch)).length

/** True when it went well; what is left of a conflict is cleared away. */
function tries(repo: TempRepo, args: string[], clear: string[]): boolean {
  const { status, stderr } = repo.tryGit(args)
  if (status === 0) return true
  if (!/CONFLICT|could not apply/.test(`${stderr}${repo.tryGit(['status']).stdout}${conflictsOf(repo)}`))
    throw new Error(`git ${args.join(' ')}: ${stderr}`)
  repo.git(clear)
  return false
}

/** Paths in conflict, in words that `tries` knows. */
const conflictsOf = (repo: TempRepo): string => (repo.git(['ls-files', '-u']) === '' ? '' : 'CONFLICT')

/** What brings a repository back to where it is now, for the next way of merging: copying it would take longer than that. */
export function rewindOf(repo: TempRepo): () => void {
  const list = () => repo.git(['for-each-ref', '--format=%(refname) %(objectname)']).split('\n')
  const refs = list()
  return () => {
    const old = new Set(refs.map((line) => line.split(' ')[0]))
    const strange = list().flatMap((line) => (old.has(line.split(' ')[0]) ? [] : [line]))
    const lines = [
      ...strange.map((line) => `delete ${line.split(' ')[0]}`),
      ...refs.map((line) => `update ${line}`),
    ]
    repo.git(['symbolic-ref', 'HEAD', 'refs/heads/main'])
    repo.git(['update-ref', '--stdin'], { input: `${lines.join('\n')}\n` })
    repo.git(['reset', '-q', '--hard'])
  }
}

/** Paths of the briefs in the tree of a commit. */
export const briefsIn = (repo: TempRepo, rev = 'main'): string[] =>
  repo
    .git(['ls-tree', '--name-only', rev, '.handoff/briefs/'])
    .split('\n')
    .filter((path) => path !== '')

/** Every blob that any commit ever had at `.handoff/latest.md`. */
export function latestBlobs(repo: TempRepo): string[] {
  const args = ['log', '--all', '-m', '--raw', '--no-abbrev', '--format=', '--', '.handoff/latest.md']
  const lines = repo.git(args).split('\n')
  const oids = lines.flatMap((line) => /^:\d+ \d+ [0-9a-f]+ ([0-9a-f]+) /.exec(line)?.[1] ?? [])
  return [...new Set(oids)]
}
