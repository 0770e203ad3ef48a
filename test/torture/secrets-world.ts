import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { collect, type Ended } from './collect.ts'
import { readObjects } from './read-objects.ts'

/** Everything that came out of the program, or that it left behind, by where. */
export type Traces = { where: string; text: string }[]

export interface RunOptions {
  stdin?: string
  env?: Record<string, string>
  /** Called with all of standard output so far; true when the input is to end. */
  isOver?: (stdout: string) => boolean
}

/** A repository whose files, objects, refs and child processes are watched. */
export interface World {
  repo: TempRepo
  /** Names that git itself holds, where the program has to write them: of files, and of branches. */
  names: string[]
  run(argv: readonly string[], options?: RunOptions): Promise<Ended>
  /** Takes what is there for known: only what comes after it is a trace. */
  settle(): void
  /** What was written since: files, objects, refs, arguments of git, and what the runs said. Settles: asked again it tells what is new. */
  traces(): Traces
}

/** Opens a world of its own, with the program that is to be watched. */
export function makeWorld(program: string): World {
  const repo = makeRepo()
  repo.commit('queue', { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n', 'test/queue.test.ts': 'z\n' })
  const folder = (name: string): string => {
    mkdirSync(join(repo.base, name), { recursive: true })
    return join(repo.base, name)
  }
  const calls = join(folder('watch'), 'calls')
  const env = {
    ...repo.env,
    // Every argument of every git, not only of those a look at /proc would meet.
    GIT_TRACE2_EVENT: calls,
    GIT_TRACE_REDACT: '0',
    XDG_CACHE_HOME: folder('cache'),
    XDG_STATE_HOME: folder('state'),
    TMPDIR: folder('tmp'),
    DEBUG: '*',
  }
  let before = look(repo)
  let said: Traces = []
  const names: string[] = []
  const settleAt = (now: Look): void => {
    before = now
    said = []
    writeFileSync(calls, '')
  }
  return {
    repo,
    names,
    async run(argv, options = {}) {
      const ran = await runProgram(program, argv, repo.root, { ...env, ...options.env }, options)
      said.push({ where: 'stdout', text: ran.stdout }, { where: 'stderr', text: ran.stderr })
      return ran
    },
    settle: () => settleAt(look(repo)),
    traces() {
      const now = look(repo)
      const changed = [...now.files].filter(([name, { hash }]) => before.files.get(name)?.hash !== hash)
      const added = [...now.objects].filter((id) => !before.objects.has(id))
      const found = [
        ...said,
        ...changed.flatMap(([name, { text }]) =>
          fileTraces(name, newLines(text, before.files.get(name)?.text ?? ''), names),
        ),
        ...objectTraces(repo, added, names),
        {
          where: 'refs',
          text: without([...now.refs].filter((ref) => !before.refs.has(ref)).join('\n'), names),
        },
        {
          where: 'arguments of git',
          text: without(argumentsIn(calls), names),
        },
      ]
      settleAt(now)
      return found
    },
  }
}

/** What git noted of each of its starts. */
const argumentsIn = (calls: string): string =>
  (existsSync(calls) ? readFileSync(calls, 'utf8') : '')
    .split('\n')
    .filter((line) => line.startsWith('{"event":"start"'))
    .map((line) => (JSON.parse(line) as { argv: string[] }).argv)
    // The branch that `open` was told stands in our own arguments too, and git takes none from standard input.
    .filter((argv) => argv.at(-2) !== 'check-ref-format')
    .map((argv) => argv.join(' '))
    .join('\n')

interface Look {
  files: Map<string, { hash: string; text: string }>
  objects: Set<string>
  refs: Set<string>
}

function look(repo: TempRepo): Look {
  const files: Look['files'] = new Map()
  for (const entry of readdirSync(repo.base, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    const name = relative(repo.base, path)
    if (/^watch\/|\/\.git\/objects\//.test(name)) continue
    const bytes = readFileSync(path)
    files.set(name, {
      hash: createHash('sha256').update(bytes).digest('hex'),
      text: bytes.toString('latin1'),
    })
  }
  const ids = repo.git(['cat-file', '--batch-all-objects', '--batch-check=%(objectname)'])
  const refs = repo.git(['for-each-ref', '--format=%(refname) %(objectname)'])
  return { files, objects: new Set(ids.split('\n')), refs: new Set(refs.split('\n')) }
}

/** What was there before is the user's: the address of a remote, what git logged. */
function newLines(text: string, before: string): string {
  const known = new Set(before.split('\n'))
  return text
    .split('\n')
    .filter((line) => !known.has(line))
    .join('\n')
}

/** Git's own index and logs hold the names of the user's files and branches, and records of ours find a branch again by its name. */
function fileTraces(name: string, text: string, names: readonly string[]): Traces {
  const isGits = /(?:^|\/)\.git\//.test(name)
  const where = isGits
    ? 'private files'
    : name.split('/')[0] === 'repo'
      ? 'work tree'
      : (name.split('/')[0] ?? '')
  return [
    { where: `${where}, name`, text: isGits ? without(name, names) : name },
    { where, text: isGits ? without(text, names) : text },
  ]
}

function objectTraces(repo: TempRepo, ids: readonly string[], names: readonly string[]): Traces {
  return readObjects(repo, ids).map(({ type, text }) => {
    // The tree of the user's other files is theirs.
    return { where: `git ${type}`, text: type === 'tree' ? without(text, names) : text }
  })
}

const without = (text: string, names: readonly string[]): string =>
  names.reduce((left, name) => left.replaceAll(name, ''), text)

function runProgram(
  program: string,
  argv: readonly string[],
  cwd: string,
  env: Record<string, string>,
  { stdin, isOver }: RunOptions,
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...argv], { cwd, env, timeout: 120_000 })
  const ended = collect(child)
  let soFar = ''
  child.stdout.on('data', (text: string) => {
    soFar += text
    if (isOver?.(soFar)) child.stdin.end()
  })
  // A program that wants no input may be over before it is written.
  child.stdin.on('error', () => undefined)
  child.stdin.write(stdin ?? '')
  if (isOver === undefined) child.stdin.end()
  return ended
}
