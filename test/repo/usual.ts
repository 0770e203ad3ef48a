import { USUAL, writeClaudeSession } from './claude-session.ts'
import { type CliOptions, type CliResult, cli, NOW } from './cli.ts'
import { idOfHead, makeRepo, prepared, type TempRepo, type TempRepoOptions } from './make-repo.ts'

/** Id of the usual session. */
export const SESSION = '11111111-2222-4333-8444-555555555555'
/** The agent of the usual session calls. */
export const AGENT: CliOptions = { env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: SESSION } }

export const GOAL = 'finish the retry queue and document its limits'

/** A repository with the files of the usual session, and that session. */
export function usual(options: TempRepoOptions = {}): TempRepo {
  const second = { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n', 'test/queue.test.ts': 'z\n' }
  const repo = makeRepo(options.initial === false ? options : { second, ...options })
  writeClaudeSession(repo, USUAL, {
    id: SESSION,
    ...(options.branch === undefined ? {} : { branch: options.branch }),
  })
  return repo
}

/** `create` with the usual goal, as JSON. An agent that gives no notes says that it has none. */
export const create = (repo: TempRepo, extra: string[] = [], options: CliOptions = {}): Promise<CliResult> =>
  cli(repo, ['create', GOAL, '--json', ...without(extra, options), ...extra], options)

/** `--notes` and `--no-notes` contradict each other. */
const without = (extra: string[], { env = {} }: CliOptions): string[] =>
  env.CLAUDECODE !== undefined && !extra.some((arg) => arg.startsWith('--notes')) ? ['--no-notes'] : []

/** What `create` gave, where it must succeed; the rejection says why it did not. */
export const made = async (...args: Parameters<typeof create>): Promise<CliResult['json']> =>
  succeeded(await create(...args))

/** The usual repository after one handoff, and what `create` gave. Whoever needs two of them in a test makes the second with `usual`. */
export const withBrief = prepared(async (options: CliOptions = {}) => {
  const repo = usual()
  const first = await made(repo, [], options)
  return { repo, first, id: first.id, path: first.path, markdown: first.markdown }
})

/** `create` with `--print`, which writes nothing. */
export const printed = (repo: TempRepo, extra: string[] = [], options: CliOptions = {}) =>
  made(repo, ['--print', ...extra], options)

/** The object of a command that must succeed. */
export function succeeded({ code, json }: CliResult): CliResult['json'] {
  if (code !== 0) throw new Error(`exit ${code}: ${JSON.stringify(json?.errors, null, 2)}`)
  return json
}

/** Commit id of HEAD; empty when unborn. */
export const headOf = (repo: TempRepo): string =>
  idOfHead(repo.root) ?? repo.tryGit(['rev-parse', '-q', '--verify', 'HEAD']).stdout

/** `NOW` and so many minutes. */
export const later = (minutes: number): Date => new Date(NOW.getTime() + minutes * 60_000)

/** Body of one section of a brief, without its heading; empty when it is not there. */
export function sectionOf(markdown: string, heading: string): string {
  let fence = ''
  let inside = false
  const body = markdown.split('\n').filter((line) => {
    const mark = /^ *(`{3,}|~{3,})/.exec(line)?.[1] ?? ''
    if (fence === '' && /^#{1,2} /.test(line)) {
      inside = line.replace(/^#+ /, '') === heading
      return false
    }
    if (fence === '') fence = mark
    else if (line.trim() === fence) fence = ''
    return inside
  })
  return body.join('\n').trim()
}

/** Items of one section. */
export const itemsOf = (markdown: string, heading: string): string[] =>
  sectionOf(markdown, heading)
    .split('\n')
    .filter((line) => line.startsWith('- '))
