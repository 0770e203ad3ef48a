import type { CommandTruth } from '../brief/truth.ts'
import { isHandoffError } from '../errors.ts'
import { type CommandTarget, defines, targetsOf } from '../extract/command-targets.ts'
import type { ObjectReader } from '../git/object-reader.ts'
import { withObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import type { Named } from '../git/read-named.ts'
import { readPlain } from '../store/plain-file.ts'
import type { CommandFact, FrontMatter } from '../types.ts'
import { isPathHere, isPlainPath } from './truth-files.ts'

/** A command of the brief and what it calls. */
export interface CalledCommand {
  fact: CommandFact
  targets: CommandTarget[]
}

/** Commands and paths looked at; a brief holds fewer, a hostile text may hold thousands. */
const MOST_COMMANDS = 100
const MOST_PATHS = 400
/** Bytes of a file that defines what commands call. */
const MOST_BYTES = 256 * 1024

/** What the commands of a brief call by name. */
export function calledBy(commands: readonly CommandFact[]): CalledCommand[] {
  let room = MOST_PATHS
  return commands
    .filter(({ habit }) => habit !== true)
    .slice(0, MOST_COMMANDS)
    .map((fact) => {
      const targets = targetsOf(fact.command, fact.cwd).filter(({ files }) => {
        room -= files.length
        return room >= 0 && files.every(isPlainPath)
      })
      return { fact, targets }
    })
}

export const pathsOfCalls = (calls: readonly CalledCommand[]): string[] =>
  calls.flatMap(({ targets }) => targets.flatMap(({ files }) => files))

/**
 * The commands that call something which was defined at `from` and is not any more. What only their own program could tell is
 * left out, and so is what was never seen defined, unless the command ran well and nothing else can be meant.
 */
export async function commandTruths(
  repo: Repo,
  calls: readonly CalledCommand[],
  { from, meta, named }: { from: string | null; meta: Pick<FrontMatter, 'dirty'>; named: Named },
): Promise<CommandTruth[]> {
  if (calls.every(({ targets }) => targets.length === 0)) return []
  return withObjects(repo, null, async (objects) => {
    const texts = openTexts(repo, objects, from, named)
    const found = await Promise.all(
      calls.map(async ({ fact, targets }): Promise<CommandTruth> => {
        const isMissing = async (target: CommandTarget): Promise<boolean> => {
          if (target.kind === 'file') return named.then.has(target.name) && !isPathHere(target.name, named)
          const now = await isDefined(target, (path) => isPathHere(path, named), texts.here)
          if (now !== false) return false
          const then =
            from === null ? null : await isDefined(target, (path) => named.then.has(path), texts.before)
          return then === true || (target.isSure && fact.outcome === 'ok' && (then === null || meta.dirty))
        }
        const missing = await Promise.all(
          targets.map(async (target) => ((await isMissing(target)) ? [missed(target, named)] : [])),
        )
        return { command: fact.command, cwd: fact.cwd, missing: missing.flat() }
      }),
    )
    return found.filter(({ missing }) => missing.length > 0)
  })
}

/** `where`: the file that would define it, or where a renamed file is now. */
const missed = ({ kind, name, files }: CommandTarget, named: Named): CommandTruth['missing'][number] => ({
  kind,
  name,
  where:
    kind === 'file'
      ? (named.changed?.renamed.get(name) ?? '')
      : (files.find((path) => isPathHere(path, named)) ?? files[0] ?? ''),
})

/** Null: nobody but the program itself can tell, or the file cannot be read. */
async function isDefined(
  target: CommandTarget,
  isThere: (path: string) => boolean,
  read: (path: string) => Promise<string | null>,
): Promise<boolean | null> {
  const file = target.files.find(isThere)
  if (file === undefined) return false
  const text = await read(file)
  return text === null ? null : defines(target, text)
}

function openTexts(repo: Repo, objects: ObjectReader, from: string | null, named: Named) {
  const known = new Map<string, Promise<string | null>>()
  const once = (key: string, read: () => Promise<string | null>): Promise<string | null> => {
    const text = known.get(key) ?? read()
    known.set(key, text)
    return text
  }
  const inGit = (name: string) =>
    once(name, async () => {
      const [object] = await objects.read([name], MOST_BYTES)
      return object?.type === 'blob' ? object.content.toString('utf8') : null
    })
  return {
    before: (path: string) => inGit(`${from}:${path}`),
    here: (path: string) =>
      named.onDisk.has(path) ? once(`/${path}`, () => readFile(repo, path)) : inGit(`HEAD:${path}`),
  }
}

/** Null for a link, a pipe, and what is larger than anybody writes by hand. */
async function readFile(repo: Repo, path: string): Promise<string | null> {
  try {
    return await readPlain(repo.root, path)
  } catch (error) {
    if (isHandoffError(error) && error.code === 'E_UNSAFE_PATH') return null
    throw error
  }
}
