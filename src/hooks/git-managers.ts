import { join } from 'node:path'
import type { SetupEdit } from '../types/agent.ts'
import { GIT_EVENTS, type GitEventName, gitHookLine } from './runner.ts'

/** Where hooks of git can be put, as the repository and its configuration say. */
export interface GitHookPlace {
  /** Top of the worktree. */
  root: string
  /** The folder that git looks for hooks in, absolute. */
  folder: string
  /** Whose it is: `own` git's own folder, `kept` one of the worktree that is committed, `husky` one that husky writes, `foreign` any other. */
  kind: 'own' | 'kept' | 'husky' | 'foreign'
  /** Folder of husky's scripts, absolute. */
  husky: string
  /** True for a file or folder of the worktree. */
  has: (path: string) => boolean
  /** The file of `hooks/` for an event, for git's own folder. */
  text: (event: GitEventName) => string
}

/** One way to have hooks of git called. */
export interface GitManager {
  id: 'husky' | 'lefthook' | 'pre-commit' | 'plain'
  /** This repository uses it, as far as can be seen. */
  isUsed: (place: GitHookPlace) => boolean
  /** File or folder that it is told in, absolute. */
  where: (place: GitHookPlace) => string
  edits: (place: GitHookPlace, events: readonly GitEventName[]) => SetupEdit[]
  /** The command that lets git call it, which a person must still run; null when git does already. */
  activate: (place: GitHookPlace, events: readonly GitEventName[]) => string | null
}

const husky: GitManager = {
  id: 'husky',
  isUsed: ({ kind, has }) => kind === 'husky' || has('.husky'),
  where: (place) => place.husky,
  edits: (place, events) => events.map((event) => block(join(place.husky, event), event)),
  // Its `prepare` script does it; the program itself is on no PATH.
  activate: ({ kind, has }) =>
    kind === 'husky' ? null : `${has('pnpm-lock.yaml') ? 'pnpm' : has('yarn.lock') ? 'yarn' : 'npm'} install`,
}

const LEFTHOOK = ['lefthook', '.lefthook', '.config/lefthook', 'lefthook-local', '.lefthook-local'].flatMap(
  (name) => ['yml', 'yaml', 'json', 'toml'].map((ending) => `${name}.${ending}`),
)
/** Words behind the line, filled in by lefthook (2.2.2); the message file it gives without quotes, so git is asked for it. */
const LEFTHOOK_ARGUMENTS: Partial<Record<GitEventName, string>> = {
  'prepare-commit-msg': '"$(git rev-parse --git-path COMMIT_EDITMSG)" {2}',
  'post-checkout': '{1} {2} {3}',
  'post-merge': '{1}',
  'post-rewrite': '{1}',
}
const WITH_INPUT: readonly GitEventName[] = ['post-rewrite', 'pre-push']

const lefthook: GitManager = {
  id: 'lefthook',
  isUsed: ({ has }) => LEFTHOOK.some(has),
  where: ({ root, has }) => join(root, LEFTHOOK.find(has) ?? 'lefthook.yml'),
  edits: (place, events) =>
    events.map((event) => {
      const path = lefthook.where(place)
      return {
        type: path.endsWith('.json') ? 'json-value' : 'yaml-value',
        path,
        at: [event, 'commands', 'handoff'],
        value: {
          run: gitHookLine(event, LEFTHOOK_ARGUMENTS[event]),
          ...(WITH_INPUT.includes(event) ? { use_stdin: true } : {}),
        },
      }
    }),
  activate: () => 'lefthook install',
}

const PRE_COMMIT = ['.pre-commit-config.yaml', '.pre-commit-config.yml']

const preCommit: GitManager = {
  id: 'pre-commit',
  isUsed: ({ has }) => PRE_COMMIT.some(has),
  where: ({ root, has }) => join(root, PRE_COMMIT.find(has) ?? '.pre-commit-config.yaml'),
  edits: (place, events) => [
    {
      type: 'yaml-item',
      path: preCommit.where(place),
      at: ['repos'],
      value: { repo: 'local', hooks: events.map(preCommitHook) },
    },
  ],
  activate: (_, events) => `pre-commit install ${events.map((event) => `--hook-type ${event}`).join(' ')}`,
}

/** pre-commit 4.6.2 says which files a commit holds, and shows what a hook says that ended well only when it is `verbose`. */
const preCommitHook = (event: GitEventName) => ({
  id: `handoff-${event}`,
  name: 'handoff',
  entry: gitHookLine(event),
  language: 'system',
  stages: [event],
  pass_filenames: event === 'prepare-commit-msg',
  ...(event === 'pre-commit' ? { files: '^\\.handoff/' } : { always_run: true }),
  ...(event === 'prepare-commit-msg' ? {} : { verbose: true }),
})

const plain: GitManager = {
  id: 'plain',
  isUsed: () => true,
  where: ({ folder }) => folder,
  edits: (place, events) =>
    events.map((event) => {
      const path = join(place.folder, event)
      return place.kind === 'kept' ? block(path, event) : { type: 'hook', path, content: place.text(event) }
    }),
  activate: () => null,
}

/** In the order in which they are looked for. */
export const GIT_MANAGERS: readonly GitManager[] = [husky, lefthook, preCommit, plain]

/** The one that this repository uses. A folder of husky's that nothing calls says less than the settings of another manager. */
export function managerOf(place: GitHookPlace): GitManager {
  if (place.kind === 'husky') return husky
  return [lefthook, preCommit, husky, plain].find(({ isUsed }) => isUsed(place)) ?? plain
}

/** Everything that any manager may hold of ours, for taking it out where nobody kept a record. */
export const knownGitEdits = (place: GitHookPlace): SetupEdit[] => {
  const events = GIT_EVENTS.map(({ name }) => name)
  const isOpen = ({ id }: GitManager): boolean =>
    id !== 'plain' || place.kind === 'own' || place.kind === 'kept'
  return GIT_MANAGERS.filter((one) => isOpen(one) && one.isUsed(place)).flatMap((one) =>
    one.edits(place, events),
  )
}

/** The lines that go into a script of somebody else, which is committed. */
function block(path: string, event: GitEventName): SetupEdit {
  return {
    type: 'block',
    path,
    comment: '#',
    isScript: true,
    // What stands before has its say: `sh -e` lets the last of a list fail. husky 9 puts a folder of the work tree into PATH.
    text: `# Calls the hook that \`init\` wrote for this clone.
handoff=$?
[ "$handoff" = 0 ] || exit "$handoff"
PATH="\${PATH#node_modules/.bin:}" ${gitHookLine(event, '"$@"')} || exit`,
  }
}
