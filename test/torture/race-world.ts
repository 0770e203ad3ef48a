import { execFile, spawn } from 'node:child_process'
import { leftovers } from '../repo/git/harm.ts'
import type { TempRepo } from '../repo/make-repo.ts'
import { collect, type Ended } from './collect.ts'
import { compiledBy } from './program.ts'
import { readFolder } from './read-objects.ts'

/** Ms after which a command counts as hanging, on a machine with more to do than cores. */
const LIMIT = 180_000

/** Runs the program to its end, with this on standard input. */
export function call(
  program: string,
  { root, env }: Pick<TempRepo, 'root' | 'env'>,
  args: readonly string[],
  stdin = '',
): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...args], {
    cwd: root,
    env: { ...compiledBy(program), ...env },
    timeout: LIMIT,
    killSignal: 'SIGKILL',
  })
  // Who ends without reading has no use for it.
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin)
  return collect(child)
}

/** Git of the user, beside everything else that runs. */
export const userGit = ({ root, env }: TempRepo, args: readonly string[]): Promise<Ended> =>
  new Promise((done) =>
    execFile('git', [...args], { cwd: root, env, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      done({
        code: error === null ? 0 : Number(error.code ?? -1),
        signal: error?.signal ?? null,
        stdout,
        stderr,
      }),
    ),
  )

/** Hands over from git alone, with a goal of its own; the id, or the sentence that says why not. */
export async function hand(
  program: string,
  repo: TempRepo,
  number: number | string,
  more: readonly string[] = [],
): Promise<{ id: string } | { wrong: string }> {
  const goal = `finish part ${number} of the retry queue and document its limits`
  const { code, stdout, stderr } = await call(program, repo, [
    'create',
    goal,
    '--from',
    'git',
    '--json',
    ...more,
  ])
  const id = code === 0 ? (JSON.parse(stdout) as { id: string }).id : undefined
  return id === undefined ? { wrong: `part ${number}: exit ${code}: ${lastOf(stderr, stdout)}` } : { id }
}

const lastOf = (...texts: string[]) => texts.join(' ').trim().replace(/\s+/g, ' ').slice(-400)

export const idsOf = (results: readonly ({ id: string } | { wrong: string })[]): string[] =>
  results.flatMap((one) => ('id' in one ? one.id : []))
export const wrongOf = (results: readonly ({ id: string } | { wrong: string })[]): string[] =>
  results.flatMap((one) => ('wrong' in one ? one.wrong : []))

/** What does not hold of a history that should have each of these briefs once: sentences. */
export function auditHistory(
  repo: TempRepo,
  ref: string,
  ids: readonly string[],
  { isLinear = true }: { isLinear?: boolean } = {},
): string[] {
  const wrong: string[] = []
  if (repo.tryGit(['rev-parse', '-q', '--verify', `${ref}^{commit}`]).status !== 0)
    return [`${ref} names a commit that is not there`]
  const log = repo.git(['log', '--format=', '--name-only', '--diff-filter=A', ref, '--', '.handoff/briefs'])
  const added = log.split('\n').filter((path) => path !== '')
  for (const id of ids) {
    const times = added.filter((path) => path.includes(`/${id}`)).length
    if (times !== 1) wrong.push(times === 0 ? `${id} is lost` : `${id} stands ${times} times in history`)
  }
  if (isLinear && repo.git(['rev-list', '--merges', '--count', ref]) !== '0')
    wrong.push('history is not linear')
  wrong.push(...auditChain(repo, ref, ids), ...auditRepository(repo))
  return wrong
}

/** Every brief can be read, and every way back through its parents ends. */
function auditChain(repo: TempRepo, ref: string, ids: readonly string[]): string[] {
  const texts = [...readFolder(repo, ref, '.handoff/briefs').values()]
  const parents = new Map(texts.map((text) => [wordOf(text, 'id'), parentsOf(text)] as const))
  const wrong = ids.filter((id) => !parents.has(id)).map((id) => `${id} is not in the tree`)
  for (const id of ids) {
    const seen = new Set<string>()
    const way = [id]
    for (let at = way.pop(); at !== undefined; at = way.pop()) {
      if (seen.has(at)) continue
      seen.add(at)
      if (!parents.has(at)) wrong.push(`${at} is a parent and nowhere`)
      for (const next of parents.get(at) ?? []) {
        if (next === id) wrong.push(`the chain of ${id} is a circle`)
        way.push(next)
      }
    }
  }
  return wrong
}

const parentsOf = (text: string): string[] =>
  /^parents:(?:\n {2}- .*)+/m.exec(text)?.[0].match(/\d{8}T\d{6}-[0-9a-f]{8}/g) ?? []

const wordOf = (text: string, key: string): string | null => {
  const found = new RegExp(`^${key}: "?([^"\\n]+)"?$`, 'm').exec(text)?.[1] ?? null
  return found === 'null' ? null : found
}

/** Objects are sound, nobody's lock or private file is left, and nothing waits in the work tree or the index. */
function auditRepository(repo: TempRepo): string[] {
  const wrong: string[] = []
  const fsck = repo.tryGit(['fsck', '--strict', '--no-dangling', '--no-progress'])
  if (fsck.status !== 0) wrong.push(`fsck: ${fsck.stderr.split('\n')[0]}`)
  const left = leftovers(repo.git(['rev-parse', '--path-format=absolute', '--git-common-dir']))
  if (left.length > 0) wrong.push(`left over: ${left.join(', ')}`)
  const status = repo.git(['status', '--porcelain', '-uall'])
  if (status !== '') wrong.push(`not clean: ${status.split('\n').slice(0, 3).join(', ')}`)
  const parked = repo.git(['for-each-ref', '--format=%(refname)', 'refs/handoff'])
  if (parked !== '') wrong.push(`still parked: ${parked.split('\n').slice(0, 3).join(', ')}`)
  return wrong
}
