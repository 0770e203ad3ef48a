import { WORDS } from '../text/blocks.ts'
import { plural, someOf } from '../text/count.ts'
import { codeSpan } from '../text/safe-text.ts'
import { type Commit, wordsLikeFiles } from './receipt.ts'
import { type Rules, unique } from './review-rules.ts'

export interface RangeCommit extends Commit {
  author: string
  /** Lines added and deleted; null where git would have to fetch contents. */
  lines: readonly [added: number, deleted: number] | null
  /** Lines that changed in each of the files. */
  sizes: readonly number[]
}

/** What differs from the base; a commit of the change need not have done it. */
export interface FileChanges {
  /** Old path → new path. */
  renamed: ReadonlyMap<string, string>
  changed: readonly string[]
  added: readonly string[]
  gone: readonly string[]
}

const TEST = /(?:^|[/._-])(?:tests?|specs?|__tests__)[/._-].*(?<!\.md)$/i
export const isTest = (path: string): boolean => TEST.test(path)

/** Where a small change does much, by names of files and folders, whole or as words; a file is told at the first that fits. */
const KINDS: Readonly<Record<string, string>> = {
  security:
    'auth authentication authorization login oauth jwt password credential credentials secret secrets crypto security permission permissions tls',
  database: 'migration migrations schema entity entities db database sql prisma',
  API: 'route routes controller controllers dto openapi graphql proto',
  dependencies:
    'package.json package-lock.json pnpm-lock.yaml yarn.lock go.mod go.sum cargo.toml cargo.lock pyproject.toml requirements.txt gemfile pom.xml build.gradle composer.json',
  CI: '.github .circleci .gitlab-ci.yml jenkinsfile azure-pipelines.yml',
  'instructions to agents': 'agents.md claude.md gemini.md copilot-instructions.md .claude .cursor',
  configuration: 'yml yaml toml ini env tf dockerfile',
}

const kindOf = (path: string): string | undefined => {
  const words = path.toLowerCase().split('/')
  if (!path.endsWith('.md')) words.push(...(path.toLowerCase().match(WORDS) ?? []))
  return Object.keys(KINDS).find((kind) => words.some((word) => KINDS[kind]?.split(' ').includes(word)))
}

/** Files of one kind that are named, and of those that fit none but have the most changed lines. */
const MOST = 5
const LARGEST = 3

/**
 * How many files, and which to look at first, a safe line for each reason. `said`: what was asked and decided. `commits`: of the whole
 * change.
 */
export function filesOf(files: FileChanges, commits: readonly RangeCommit[], rules: Rules, said: string) {
  const sizes = new Map<string, number>()
  for (const one of commits)
    for (const [at, path] of one.files.entries())
      sizes.set(path, (sizes.get(path) ?? 0) + (one.sizes[at] ?? 0))
  const touched = [...sizes].sort((a, b) => b[1] - a[1]).map(([path]) => path)
  const among = (paths: Iterable<string>): string[] => {
    const all = new Set(paths)
    return touched.filter((path) => all.has(path))
  }
  const [added, gone] = [among(files.added), among(files.gone)]
  const there = among([...files.added, ...files.changed, ...files.renamed.values()])
  const tests = there.filter(isTest).length
  const names = shortNames(touched)
  const told = new Set<string>()
  const line = (reason: string, paths: readonly string[]): string[] => {
    for (const path of paths) told.add(path)
    const list = someOf(paths, MOST, (path) => codeSpan(names.get(path) ?? path))
    return paths.length === 0 ? [] : [`${reason}: ${list}`]
  }
  const left = (kind?: string): string[] =>
    there.filter((path) => !isTest(path) && !told.has(path) && kindOf(path) === kind)
  return {
    counts: [
      `${plural(there.length + gone.length, 'file')} changed: ${added.length || 'none'} new, ${gone.length || 'none'} deleted, ${tests === 0 ? 'no tests' : plural(tests, 'test')}`,
    ],
    first: [
      ...line('named in a rule', unique(rules.changed.map(({ path }) => path))),
      ...line('deleted', gone),
      ...Object.keys(KINDS).flatMap((kind) => line(kind, left(kind))),
      ...line('most changed', left().filter(isProgram).slice(0, LARGEST)),
      ...line('named in what was asked or decided, and not changed', wordsLikeFiles(said, touched)),
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
