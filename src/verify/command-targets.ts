import { normalizePath } from '../facts/paths.ts'
import { parseShell, type ShellPart, useOf } from '../facts/shell.ts'

/** Something a command calls that stands in the repository. */
export interface CommandTarget {
  kind: 'script' | 'target' | 'recipe' | 'task' | 'file'
  name: string
  /** Files that may define it, relative to the root, the first that is there counts; for a file itself its own path. */
  files: string[]
  /** Nothing else can be meant: where it is not defined the command fails. */
  isSure: boolean
}

/**
 * What a command line calls by name: scripts of package.json, targets of make, recipes of just, tasks of Task, and the files
 * and folders that its words name. `cwd`: where it was run, relative to the root. Once it enters a folder that only a shell
 * can tell, the rest is left out.
 */
export function targetsOf(command: string, cwd: string | null): CommandTarget[] {
  if (command.length > MOST) return []
  const parts = parseShell(command)
  // Behind a subshell one is back where one was, which the parts do not tell.
  if (command.includes('(') && parts.some(({ words }) => words[0] === 'cd')) return []
  const found: CommandTarget[] = []
  let dir: string | null = cwd ?? ''
  for (const part of parts) {
    const [program = '', first = ''] = part.words
    if (program === 'cd' || program === 'pushd' || program === 'popd')
      dir = program === 'cd' ? inside(dir, first) : null
    if (dir === null) break
    if (program === 'git' || program === 'gh' || useOf(part.words) !== null) continue
    const runner = RUNNERS[program]
    if (runner !== undefined) found.push(...namedBy(runner, part.words.slice(1), dir))
    // Such a program may enter another folder first, and its words are names before they are paths.
    if (runner === undefined || !part.words.some((word) => ENTERS.test(word)))
      found.push(...filesOf(part, dir))
  }
  const seen = new Set<string>()
  return found.filter(({ kind, name, files }) => {
    const key = JSON.stringify([kind, name, files])
    return !seen.has(key) && seen.add(key)
  })
}

/** Characters of a command line that is looked at; longer ones are scripts, written for one moment. */
const MOST = 4000
const ENTERS =
  /^(?:-[CdfFt]|--(?:prefix|dir|cwd|directory|working-directory|file|makefile|justfile|taskfile))(?:=|$)/

/** A folder below the root, or null when it is another, or not known. */
function inside(dir: string | null, path: string): string | null {
  if (dir === null || path === '' || /^[/~-]|[$*?[`]/.test(path)) return null
  const whole = normalizePath(dir === '' ? path : `${dir}/${path}`)
  return whole.startsWith('..') ? null : whole
}

const at = (dir: string, name: string): string => (dir === '' ? name : `${dir}/${name}`)

/** The file in this folder and in those above it, nearest first. */
function upwards(dir: string, names: readonly string[]): string[] {
  const found: string[] = []
  for (let here = dir; ; here = here.slice(0, Math.max(0, here.lastIndexOf('/')))) {
    found.push(...names.map((name) => at(here, name)))
    if (here === '') return found
  }
}

/** A program that runs what a file defines by name, and its flags that take a value. */
interface Runner {
  kind: Exclude<CommandTarget['kind'], 'file'>
  dirFlags: readonly string[]
  fileFlags?: readonly string[]
  otherFlags?: readonly string[]
  /** What the file is called. */
  files: readonly string[]
  /** The name of a script is enough, without `run`. */
  isBare?: true
}

const PACKAGE = ['package.json']
const MAKE: Runner = {
  kind: 'target',
  dirFlags: ['-C'],
  fileFlags: ['-f'],
  otherFlags: ['-I', '-o', '-W'],
  files: ['GNUmakefile', 'makefile', 'Makefile'],
}
const RUNNERS: Readonly<Record<string, Runner | undefined>> = {
  npm: { kind: 'script', dirFlags: ['--prefix', '-C'], files: PACKAGE },
  pnpm: { kind: 'script', dirFlags: ['-C', '--dir'], files: PACKAGE, isBare: true },
  yarn: { kind: 'script', dirFlags: ['--cwd'], files: PACKAGE, isBare: true },
  bun: { kind: 'script', dirFlags: ['--cwd'], files: PACKAGE, isBare: true },
  make: MAKE,
  gmake: MAKE,
  just: {
    kind: 'recipe',
    dirFlags: ['-d', '--working-directory'],
    fileFlags: ['-f', '--justfile'],
    files: ['justfile', 'Justfile', '.justfile'],
  },
  task: {
    kind: 'task',
    dirFlags: ['-d', '--dir'],
    fileFlags: ['-t', '--taskfile'],
    files: ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml'],
  },
}

/** With one of these the script stands in another package, or need not be there. */
const ELSEWHERE =
  /^(?:-w|-r|-F|-ws|--workspaces?|--filter|--recursive|--if-present|--top-level|workspaces?)(?:=|$)/
const PLAIN_NAME = /^[\w.:@/+-]+$/

function namedBy(runner: Runner, words: readonly string[], start: string): CommandTarget[] {
  const { kind, files: usual } = runner
  if (kind === 'script' && words.some((word) => ELSEWHERE.test(word))) return []
  const { dir, file, rest } = withoutFlags(runner, words, start)
  if (dir === null) return []
  if (kind === 'script') return scripts(rest, dir, runner.isBare === true)
  const names = rest.filter(
    (word) => PLAIN_NAME.test(word) && !/^\d+$/.test(word) && (kind === 'target' || !word.includes('/')),
  )
  const given = file === null ? null : inside(dir, file)
  const files =
    given !== null ? [given] : kind === 'target' ? usual.map((name) => at(dir, name)) : upwards(dir, usual)
  if (file !== null && given === null) return []
  // Behind the first recipe may stand its arguments.
  return (kind === 'recipe' ? names.slice(0, 1) : names).map((name) => ({ kind, name, files, isSure: false }))
}

/** Words up to `--` that are no flags, and the folder and file that flags name. */
function withoutFlags(
  { dirFlags, fileFlags = [], otherFlags = [] }: Runner,
  words: readonly string[],
  start: string,
) {
  let dir: string | null = start
  let file: string | null = null
  const rest: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '--') break
    const flag = [...dirFlags, ...fileFlags, ...otherFlags].find(
      (name) => word === name || word.startsWith(/^-\w$/.test(name) ? name : `${name}=`),
    )
    if (flag === undefined) {
      if (!word.startsWith('-')) rest.push(word)
      continue
    }
    const value = word === flag ? (words[++i] ?? '') : word.slice(flag.length).replace(/^=/, '')
    if (dirFlags.includes(flag)) dir = inside(dir, value)
    if (fileFlags.includes(flag)) file = value
  }
  return { dir, file, rest }
}

/** Names of scripts that are commands of their own in every one of these programs. */
const NAMED = new Set(['test', 't', 'start'])

function scripts([verb = '', named]: readonly string[], dir: string, isBare: boolean): CommandTarget[] {
  const isRun = verb === 'run' || verb === 'run-script'
  const name = isRun ? named : verb === 't' ? 'test' : verb
  if (name === undefined || !PLAIN_NAME.test(name) || name === 'env') return []
  if (!isRun && !NAMED.has(verb) && !isBare) return []
  // Yarn and Bun run programs of that name too, Bun's own `test` is none of the scripts, `npm start` may run server.js.
  const isSure = !isBare && name !== 'start'
  return [{ kind: 'script', name, files: upwards(dir, PACKAGE), isSure }]
}

/** Words that have the shape of a path; whether one is, git tells. */
function filesOf({ words }: ShellPart, dir: string): CommandTarget[] {
  return words.flatMap((word) => {
    const path = word
      .replace(/^--?[\w-]+=/, '')
      .replace(/::.*$|(?::\d+)+$|#.*$/, '')
      .replace(/\/(?:\.{3})?$/, '')
    if (!/\/|\.\w{1,5}$/.test(path) || /^[-@~/]|:\/\/|\s/.test(path)) return []
    const whole = inside(dir, path)
    return whole === null || whole === ''
      ? []
      : [{ kind: 'file' as const, name: whole, files: [whole], isSure: false }]
  })
}

/**
 * Whether a text defines what a command calls; null when only the program itself could tell: it takes in other files, makes
 * names by a pattern, or cannot be read.
 */
export function defines({ kind, name }: Pick<CommandTarget, 'kind' | 'name'>, text: string): boolean | null {
  if (kind === 'script') return scriptsIn(text)?.has(name) ?? null
  const lines = text.split(/\r?\n/)
  const names = kind === 'target' ? makeNames(lines) : kind === 'recipe' ? justNames(lines) : taskNames(lines)
  if (names.has(name)) return true
  return lines.some(OPEN[kind]) || (kind === 'task' && name.includes(':')) ? null : false
}

/** Lines by which names may come from elsewhere. */
const OPEN = {
  target: (line: string): boolean => {
    const left = line.slice(0, Math.max(0, line.indexOf(':')))
    const isRule = !/^[\t#]/.test(line) && !left.includes('=')
    return /^ *[-s]?include\s/.test(line) || (isRule && /[%$]/.test(left)) || /\$\((?:eval|call)\b/.test(line)
  },
  recipe: (line: string): boolean => /^(?:import\??|mod\??)\s/.test(line),
  task: (line: string): boolean => line.startsWith('includes:'),
  file: () => false,
}

function scriptsIn(text: string): ReadonlySet<string> | null {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''))
    const scripts = typeof value === 'object' && value !== null && 'scripts' in value ? value.scripts : {}
    return new Set(typeof scripts === 'object' && scripts !== null ? Object.keys(scripts) : [])
  } catch {
    return null // Half merged, or a template: the program would say what it makes of it.
  }
}

/** Names on the left of a rule: `a b: c`, not `a := c`. */
const makeNames = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(
    lines.flatMap((line) => {
      const left = /^([^\t#:=\s][^#:=]*):(?!=|:=)/.exec(line)?.[1]
      return left?.trim().split(/\s+/) ?? []
    }),
  )

/** Recipes and aliases; `name := value` is a variable. */
const justNames = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(
    lines.flatMap(
      (line) =>
        /^@?([A-Za-z_][\w-]*)(?:\s[^:]*)?:(?!=)/.exec(line)?.[1] ??
        /^alias\s+([\w-]+)\s*:=/.exec(line)?.[1] ??
        [],
    ),
  )

/** The keys under `tasks:`, by the indent of the first. */
function taskNames(lines: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>()
  let indent: string | null | undefined
  for (const line of lines) {
    if (/^tasks:\s*(?:#.*)?$/.test(line)) indent = null
    else if (/^\S/.test(line) && !line.startsWith('#')) indent = undefined
    else if (indent !== undefined) {
      const [, own = '', name] =
        /^(\s+)(?:'([^']+)'|"([^"]+)"|([\w:.-]+)):/.exec(line)?.flatMap((part) => part ?? []) ?? []
      if (name === undefined) continue
      indent ??= own
      if (own === indent) names.add(name)
    }
  }
  return names
}
