import { WORDS } from '../text/blocks.ts'
import { plural, someOf } from '../text/count.ts'
import { codeSpan } from '../text/safe-text.ts'
import { type Commit, wordsLikeFiles } from './receipt.ts'
import type { Rules } from './review-rules.ts'

export interface RangeCommit extends Commit {
  author: string
  /** Lines added and deleted; null where git would have to fetch contents. */
  lines: readonly [added: number, deleted: number] | null
}

/** What differs from the base; a commit of the change need not have done it. */
export interface FileChanges {
  /** Old path → new path. */
  renamed: ReadonlyMap<string, string>
  changed: readonly string[]
  added: readonly string[]
  gone: readonly string[]
  /** Lines added and deleted; nothing where nobody counted. */
  lines: ReadonlyMap<string, { added: number; deleted: number }>
}

const TEST = /(?:^|[/._-])(?:tests?|specs?|__tests__)[/._-].*(?<!\.md)$/i
export const isTest = (path: string): boolean => TEST.test(path)

const DEPENDENCIES = 'dependencies'

/** Where a small change does much, by names of files and folders, whole or as words; a file is told at the first that fits. */
const KINDS: Readonly<Record<string, string>> = {
  security:
    'auth authentication authorization login oauth jwt password credential credentials secret secrets crypto security permission permissions tls',
  database: 'migration migrations schema entity entities db database sql prisma',
  API: 'route routes controller controllers dto openapi graphql proto',
  [DEPENDENCIES]:
    'package.json package-lock.json pnpm-lock.yaml yarn.lock go.mod go.sum cargo.toml cargo.lock pyproject.toml requirements.txt gemfile pom.xml build.gradle composer.json',
  CI: '.github .circleci .gitlab-ci.yml jenkinsfile azure-pipelines.yml',
  'instructions to agents': 'agents.md claude.md gemini.md copilot-instructions.md .claude .cursor',
  configuration: 'yml yaml toml ini env tf dockerfile',
}

const KIND_OF = new Map(
  Object.entries(KINDS).flatMap(([kind, words]) => words.split(' ').map((word) => [word, kind] as const)),
)

const kindOf = (path: string): string | undefined => {
  const words = path.toLowerCase().split('/')
  if (!path.endsWith('.md')) words.push(...(path.toLowerCase().match(WORDS) ?? []))
  const found = new Set(words.flatMap((word) => KIND_OF.get(word) ?? []))
  return found.size === 0 ? undefined : Object.keys(KINDS).find((kind) => found.has(kind))
}

/** Files that are named, and how many of them for their size alone, each with a tenth of all changed lines of the program. */
const MOST = 10
const LARGEST = 5
const SHARE = 0.1

/**
 * How many files, and which to look at first, the largest first, a safe line for each. `said`: what was asked and decided. `commits`: of the
 * whole change.
 */
export function filesOf(files: FileChanges, commits: readonly RangeCommit[], rules: Rules, said: string) {
  const paths = [...new Set(commits.flatMap((one) => one.files))]
  // Each path is looked at once: a change may have hundreds of thousands.
  const kinds = new Map(paths.map((path) => [path, kindOf(path)]))
  const weightOf = (path: string): number => {
    const { added, deleted } = files.lines.get(path) ?? { added: 0, deleted: 0 }
    // What a tool writes is large.
    return kinds.get(path) === DEPENDENCIES ? 0 : added + deleted
  }
  const touched = paths.sort((a, b) => weightOf(b) - weightOf(a))
  const among = (paths: Iterable<string>): string[] => {
    const all = new Set(paths)
    return touched.filter((path) => all.has(path))
  }
  const [added, gone] = [among(files.added), among(files.gone)]
  const there = among([...files.added, ...files.changed, ...files.renamed.values()])
  const tests = there.filter(isTest).length
  const program = there.filter((path) => !isTest(path) && isProgram(path))
  const least = SHARE * program.reduce((sum, path) => sum + weightOf(path), 0)
  const [ruled, brought, lost] = [
    new Set(rules.changed.map((one) => one.path)),
    new Set(added),
    new Set(gone),
  ]
  const told = (path: string): string => {
    const { added, deleted } = files.lines.get(path) ?? {}
    const size = added === undefined ? [] : [`+${added} −${deleted}`]
    return `${codeSpan(names.get(path) ?? path)}: ${[...size, ...hints(path)].join(', ')}`
  }
  const hints = (path: string): string[] => [
    ...(ruled.has(path) ? ['named in a rule'] : []),
    ...(lost.has(path) ? ['deleted'] : brought.has(path) ? ['new'] : []),
    ...(isTest(path) ? [] : [kinds.get(path) ?? []].flat()),
  ]
  const isHinted = (path: string): boolean => hints(path).some((hint) => hint !== 'new')
  const large = program.slice(0, LARGEST).filter((path) => weightOf(path) >= least)
  const first = among([...large, ...[...there, ...gone].filter(isHinted)])
  const names = shortNames(touched)
  const left = wordsLikeFiles(said, touched)
  return {
    counts: [
      `${plural(there.length + gone.length, 'file')} changed: ${added.length || 'none'} new, ${gone.length || 'none'} deleted, ${tests === 0 ? 'no tests' : plural(tests, 'test')}`,
    ],
    first: [
      ...first.slice(0, MOST).map(told),
      ...(first.length > MOST ? [plural(first.length - MOST, 'more')] : []),
      ...(left.length === 0
        ? []
        : [`named in what was asked or decided, and not changed: ${someOf(left, MOST, codeSpan)}`]),
    ],
  }
}

const isProgram = (path: string): boolean => !path.endsWith('.md') && !`/${path}`.includes('/.')

/** Each path by its end, as long as it takes to be the only one that ends so. */
export function shortNames(paths: readonly string[]): Map<string, string> {
  const all = [...new Set(paths)]
  const endsOf = (path: string): string[] =>
    path.split('/').map((_, at, parts) => parts.slice(parts.length - at - 1).join('/'))
  const counts = new Map<string, number>()
  for (const end of all.flatMap(endsOf)) counts.set(end, (counts.get(end) ?? 0) + 1)
  return new Map(all.map((path) => [path, endsOf(path).find((end) => counts.get(end) === 1) ?? path]))
}
