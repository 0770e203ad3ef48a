import { familyOf } from '../extract/command-kind.ts'
import { normalizePath } from '../extract/path-text.ts'
import { parseShell, type ShellPart } from '../extract/shell.ts'

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
    if (program === 'git' || program === 'gh' || familyOf(part) === null) continue
    const runner = RUNNERS[program]
    found.push(...(runner?.(part.words.slice(1), dir) ?? []))
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

type Runner = (words: readonly string[], dir: string) => CommandTarget[]

const RUNNERS: Readonly<Record<string, Runner | undefined>> = {
  npm: (words, dir) => scripts(words, dir, { dirFlags: ['--prefix', '-C'], isBare: false }),
  pnpm: (words, dir) => scripts(words, dir, { dirFlags: ['-C', '--dir'], isBare: true }),
  yarn: (words, dir) => scripts(words, dir, { dirFlags: ['--cwd'], isBare: true }),
  bun: (words, dir) => scripts(words, dir, { dirFlags: ['--cwd'], isBare: true }),
  make: (words, dir) => makeTargets(words, dir),
  gmake: (words, dir) => makeTargets(words, dir),
  just: (words, dir) =>
    recipes(words, dir, 'recipe', JUSTFILES, ['-f', '--justfile'], ['-d', '--working-directory']),
  task: (words, dir) => recipes(words, dir, 'task', TASKFILES, ['-t', '--taskfile'], ['-d', '--dir']),
}

const MAKEFILES = ['GNUmakefile', 'makefile', 'Makefile']
const JUSTFILES = ['justfile', 'Justfile', '.justfile']
const TASKFILES = ['Taskfile.yml', 'taskfile.yml', 'Taskfile.yaml', 'taskfile.yaml']

/** With one of these the script stands in another package, or need not be there. */
const ELSEWHERE =
  /^(?:-w|-r|-F|-ws|--workspaces?|--filter|--recursive|--if-present|--top-level|workspaces?)(?:=|$)/
/** Names of scripts that are commands of their own in every one of these programs. */
const NAMED = new Set(['test', 't', 'start'])
const PLAIN_NAME = /^[\w.:@/+-]+$/

function scripts(
  words: readonly string[],
  start: string,
  { dirFlags, isBare }: { dirFlags: readonly string[]; isBare: boolean },
): CommandTarget[] {
  if (words.some((word) => ELSEWHERE.test(word))) return []
  const { dir, rest } = withoutFlags(words, start, dirFlags)
  if (dir === null) return []
  const [verb, named] = rest
  const isRun = verb === 'run' || verb === 'run-script'
  const name = isRun ? named : verb === 't' ? 'test' : verb
  if (name === undefined || !PLAIN_NAME.test(name) || name === 'env') return []
  if (!isRun && !NAMED.has(verb ?? '') && !isBare) return []
  // Yarn and Bun run programs of that name too, Bun's own `test` is none of the scripts, `npm start` may run server.js.
  const isSure = !isBare && name !== 'start'
  return [{ kind: 'script', name, files: upwards(dir, ['package.json']), isSure }]
}

/** Words up to `--` that are no flags, and the folder that a flag names. */
function withoutFlags(words: readonly string[], start: string, dirFlags: readonly string[]) {
  let dir: string | null = start
  const rest: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    if (word === '--') break
    const flag = dirFlags.find((name) => word === name || word.startsWith(`${name}=`))
    if (flag !== undefined)
      dir = inside(dir, word === flag ? (words[++i] ?? '') : word.slice(flag.length + 1))
    else if (!word.startsWith('-')) rest.push(word)
  }
  return { dir, rest }
}

function makeTargets(words: readonly string[], start: string): CommandTarget[] {
  let dir: string | null = start
  let files: readonly string[] = MAKEFILES
  const names: string[] = []
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? ''
    const [, flag, value] = /^(-[CfIoW])(.*)$/.exec(word) ?? []
    if (flag !== undefined) {
      const given = value === '' ? (words[++i] ?? '') : (value ?? '')
      if (flag === '-C') dir = inside(dir, given)
      if (flag === '-f') files = [given]
    } else if (/^-j$/.test(word) && /^\d+$/.test(words[i + 1] ?? '')) i++
    else if (!word.startsWith('-') && !word.includes('=') && PLAIN_NAME.test(word)) names.push(word)
  }
  return definedIn(dir, 'target', names, (here) => files.flatMap((file) => inside(here, file) ?? []))
}

function recipes(
  words: readonly string[],
  start: string,
  kind: 'recipe' | 'task',
  usual: readonly string[],
  fileFlags: readonly string[],
  dirFlags: readonly string[],
): CommandTarget[] {
  const flag = words.findIndex((word) => fileFlags.includes(word))
  const file = flag === -1 ? null : (words[flag + 1] ?? '')
  const { dir, rest } = withoutFlags(
    flag === -1 ? words : [...words.slice(0, flag), ...words.slice(flag + 2)],
    start,
    dirFlags,
  )
  const names = rest.filter((word) => !word.includes('=') && PLAIN_NAME.test(word) && !word.includes('/'))
  // Behind the first name may stand its arguments.
  return definedIn(dir, kind, kind === 'task' ? names : names.slice(0, 1), (here) =>
    file === null ? upwards(here, usual) : [inside(here, file) ?? []].flat(),
  )
}

function definedIn(
  dir: string | null,
  kind: CommandTarget['kind'],
  names: readonly string[],
  filesOf: (dir: string) => string[],
): CommandTarget[] {
  const files = dir === null ? [] : filesOf(dir)
  return files.length === 0 ? [] : names.map((name) => ({ kind, name, files, isSure: false }))
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
  const names = kind === 'target' ? makeNames(text) : kind === 'recipe' ? justNames(text) : taskNames(text)
  if (names.has(name)) return true
  return isOpen[kind]?.(text) || (kind === 'task' && name.includes(':')) ? null : false
}

/** Whether names may come from elsewhere: line by line, since a hostile text is as long as it likes. */
const isOpen: Readonly<Record<string, ((text: string) => boolean) | undefined>> = {
  target: (text) =>
    linesOf(text).some((line) => {
      const left = line.slice(0, Math.max(0, line.indexOf(':')))
      const isRule = !/^[\t#]/.test(line) && !left.includes('=')
      return (
        /^ *[-s]?include\s/.test(line) || (isRule && /[%$]/.test(left)) || /\$\((?:eval|call)\b/.test(line)
      )
    }),
  recipe: (text) => linesOf(text).some((line) => /^(?:import\??|mod\??)\s/.test(line)),
  task: (text) => linesOf(text).some((line) => line.startsWith('includes:')),
}

const linesOf = (text: string): string[] => text.split(/\r?\n/)

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
function makeNames(text: string): ReadonlySet<string> {
  return new Set(
    text.split(/\r?\n/).flatMap((line) => {
      const left = /^([^\t#:=\s][^#:=]*):(?!=|:=)/.exec(line)?.[1]
      return left?.trim().split(/\s+/) ?? []
    }),
  )
}

/** Recipes and aliases; `name := value` is a variable. */
const justNames = (text: string): ReadonlySet<string> =>
  new Set(
    linesOf(text).flatMap(
      (line) =>
        /^@?([A-Za-z_][\w-]*)(?:\s[^:]*)?:(?!=)/.exec(line)?.[1] ??
        /^alias\s+([\w-]+)\s*:=/.exec(line)?.[1] ??
        [],
    ),
  )

/** The keys under `tasks:`, by the indent of the first. */
function taskNames(text: string): ReadonlySet<string> {
  const names = new Set<string>()
  let indent: string | null | undefined
  for (const line of linesOf(text)) {
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
