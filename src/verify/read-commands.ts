import { isHandoffError } from '../errors/handoff-error.ts'
import { isPartial, type Named } from '../git/compare-commits.ts'
import type { Repo } from '../git/open-repo.ts'
import { readPlain } from '../store/plain-file.ts'
import type { CommandTruth } from '../types/checks.ts'
import type { CommandFact } from '../types/evidence.ts'
import { type CommandTarget, defines, targetsOf } from './command-targets.ts'
import { isPathHere, isPlainPath } from './read-files.ts'

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
  return commands.slice(0, MOST_COMMANDS).map((fact) => {
    const targets = targetsOf(fact.command, fact.cwd).filter(({ files }) => {
      room -= files.length
      return room >= 0 && files.every(isPlainPath)
    })
    return { fact, targets }
  })
}

/** The text of a path in one state of the files, undefined where it is not there, null where it cannot be read. */
type Side = (path: string) => Promise<string | null | undefined>

/**
 * The commands that call something which was defined at `from` and is not any more. What only their own program could tell is
 * left out, and so is what was never seen defined, unless the command ran well and nothing else can be meant.
 */
export async function commandTruths(
  repo: Repo,
  calls: readonly CalledCommand[],
  { from, now, isDirty, named }: { from: string | null; now: string | null; isDirty: boolean; named: Named },
): Promise<CommandTruth[]> {
  if (calls.every(({ targets }) => targets.length === 0)) return []
  const inGit = gitTexts(repo)
  const then: Side = async (path) => (named.then.has(path) ? inGit(`${from}:${path}`) : undefined)
  const here: Side = async (path) => {
    if (named.onDisk.has(path)) return readFile(repo, path)
    return isPathHere(path, named) ? inGit(`${now}:${path}`) : undefined
  }
  /** `isNew`: what `from` does not hold may have been there, in no commit. */
  const isGone = async (target: CommandTarget, isNew: boolean): Promise<boolean> => {
    if (target.kind === 'file') return named.then.has(target.name) && !isPathHere(target.name, named)
    if ((await isDefined(target, here)) !== false) return false
    return (await isDefined(target, then)) === true || (target.isSure && isNew)
  }
  const found = await Promise.all(
    calls.map(async ({ fact: { command, cwd, outcome }, targets }): Promise<CommandTruth> => {
      const isNew = outcome === 'ok' && (from === null || isDirty)
      const gone = await Promise.all(targets.map((target) => isGone(target, isNew)))
      const missing = targets.filter((_, at) => gone[at]).map((target) => missed(target, named))
      return { command, cwd, missing }
    }),
  )
  return found.filter(({ missing }) => missing.length > 0)
}

/** Null: nobody but the program itself can tell, or the file cannot be read. */
async function isDefined(target: CommandTarget, side: Side): Promise<boolean | null> {
  for (const file of target.files) {
    const text = await side(file)
    if (text !== undefined) return text === null ? null : defines(target, text)
  }
  return false
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

/** Texts of git by revision and path, each read once; none that would have to be fetched. */
function gitTexts(repo: Repo): (name: string) => Promise<string | null | undefined> {
  const known = new Map<string, Promise<string | null | undefined>>()
  return (name) => {
    const text = known.get(name) ?? read(name)
    known.set(name, text)
    return text
  }
  async function read(name: string) {
    if (isPartial(repo)) return null
    const [object] = await repo.objects.read([name], MOST_BYTES)
    if (object === null || object === undefined) return undefined
    return object.type === 'blob' ? object.content.toString('utf8') : null
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
