import type { Repo } from './open-repo.ts'

/** Commits of each side that are looked at; counting further would tell nothing more. */
export const MOST_COMMITS = 1000
/** Paths are patterns of ours here, so that handoff's own folder can be left out. */
const AS_PATTERNS = { env: { GIT_LITERAL_PATHSPECS: '0' } }
const OTHERS = ['--', '.', ':(exclude).handoff']
const OURS = ['--', '.handoff']

export interface SinceCommit {
  sha: string
  subject: string
  /** Files it changed, without those in `.handoff/`; none for a merge. */
  files: string[]
  /** Author and author date, which a rebase keeps. */
  authored: string
}

export interface LackingCommit extends SinceCommit {
  /** HEAD has it as another commit: of the same change (patch id), else of the same subject, author and author date. */
  isRewritten: boolean
}

/** How HEAD's line of work stands to the commit a brief was made at. */
export interface Since {
  /** What HEAD has more, newest first, without commits of handoff's own folder alone; at most `MOST_COMMITS`. */
  ahead: SinceCommit[]
  /** What HEAD lacks. */
  lacking: LackingCommit[]
  /** Commits that HEAD has more and that touch only handoff's own folder; at most `MOST_COMMITS`. */
  own: number
}

/** Null when one of the two commits is not in this clone. Three processes at most. Throws `gitFailed`. */
export async function readSince(repo: Repo, head: string, now: string): Promise<Since | null> {
  const range = ['--end-of-options', `${head}...${now}`]
  const [others, ours] = await Promise.all([
    repo.run(log(['--left-right'], [...range, ...OTHERS]), AS_PATTERNS),
    repo.run(log(['--full-diff'], ['--end-of-options', `${head}..${now}`, ...OURS]), AS_PATTERNS),
  ])
  if (others.code !== 0 || ours.code !== 0) return null
  const commits = parseSides(others.stdout.toString('utf8'))
  const own = parseSides(ours.stdout.toString('utf8')).filter(
    ({ files }) => files.length > 0 && files.every((file) => file.startsWith('.handoff/')),
  ).length
  const of = (side: string) => commits.flatMap(({ mark, ...commit }) => (mark === side ? [commit] : []))
  const [ahead, lacking] = [of('>'), of('<')]
  // Where a conflict was resolved by hand the change is another one, and so is its patch id.
  const here = new Set(ahead.map(identityOf))
  const isWhole = lacking.length > 0 && commits.length < MOST_COMMITS
  const picked = isWhole ? await readPicked(repo, range) : new Set<string>()
  const isRewritten = (one: SinceCommit) => picked.has(one.sha) || here.has(identityOf(one))
  return { ahead, lacking: lacking.map((one) => ({ ...one, isRewritten: isRewritten(one) })), own }
}

const identityOf = ({ subject, authored }: SinceCommit): string => `${authored} ${subject}`

/** Ids of the commits of both sides whose change the other side makes as well. */
async function readPicked(repo: Repo, range: readonly string[]): Promise<Set<string>> {
  const args = ['rev-list', '--left-only', '--cherry-mark', '--no-merges', `--max-count=${MOST_COMMITS}`]
  const marked = await repo.git([...args, ...range, ...OTHERS], AS_PATTERNS)
  return new Set(marked.split('\n').flatMap((line) => (line.startsWith('=') ? line.slice(1) : [])))
}

const log = (sides: readonly string[], rest: readonly string[]): string[] => [
  ...['log', '-z', ...sides, `--max-count=${MOST_COMMITS}`, '--no-renames', '--no-ext-diff', '--name-only'],
  ...['--format=%x01%m%H%x00%s%x00%ae %at%x00', ...rest],
]

function parseSides(text: string): (SinceCommit & { mark: string })[] {
  const commits: (SinceCommit & { mark: string })[] = []
  const fields = text.split('\0')
  for (let at = 0; at < fields.length; at++) {
    const field = (fields[at] ?? '').replace(/^\n/, '')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the marker of the format above
    const [, mark, sha] = /^\x01(.)([0-9a-f]{40,64})$/.exec(field) ?? []
    if (mark !== undefined && sha !== undefined)
      commits.push({ mark, sha, subject: fields[++at] ?? '', authored: fields[++at] ?? '', files: [] })
    else if (field !== '') commits.at(-1)?.files.push(field)
  }
  return commits
}

/** Above so many refs only those of one name are asked; walking from each takes seconds in a long history. */
const MOST_REFS = 1000

/** A branch that still has the commit, `first` or a remote's when they do, as it is called; null when none has. */
export async function refWith(
  repo: Repo,
  commit: string,
  first: string | null,
  refCount: number,
): Promise<string | null> {
  const named = first === null ? [] : [`refs/heads/${first}`, `refs/remotes/*/${first}`]
  const patterns = refCount > MOST_REFS ? named : ['refs/heads', 'refs/remotes']
  if (patterns.length === 0) return null
  const args = ['for-each-ref', '--format=%(refname:short)', `--contains=${commit}`, ...patterns]
  const { code, stdout } = await repo.run(args)
  const listing = code === 0 ? stdout.toString('utf8') : ''
  const names = listing.split('\n').filter((name) => name !== '')
  const wanted = names.find((name) => name === first || (first !== null && name.endsWith(`/${first}`)))
  return wanted ?? names[0] ?? null
}
