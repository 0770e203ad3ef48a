import { isContent, isReport, outlineOf } from '../text/blocks.ts'
import { plural, someOf } from '../text/count.ts'
import type { Closing, SessionWork, Step, TextFact, Turn } from '../types/evidence.ts'
import type { GitCommit, GitState } from '../types/git.ts'
import { commandText, isCheck, type Run } from './commands.ts'
import type { FileRecord } from './file-map.ts'
import { isProse, nameOf, type Resolver } from './paths.ts'
import { isRepeat, REPEATED_WITHIN } from './shell.ts'

/** UTF-16 units of one message and of all that is kept: many times what a brief can show. */
const MAX_MESSAGE = 16_000
const MAX_TOTAL = 200_000

interface OpenTurn extends Turn {
  /** Prompts and replies. */
  messages: number
  /** Calls that change or run something, that only look, and calls of handoff. */
  work: number
  looks: number
  own: number
  /** How many steps there were when the agent recorded its notes, while no other work was done since. */
  noted: number | null
  failure: TextFact | null
  /** Names of the files that it changed. */
  edited: Set<string>
}

/**
 * The conversation, turn by turn. What belongs to a handoff is left out, so that asking twice gives the same facts: a turn that only
 * hands over, and everything from a call of handoff to the next prompt or the next call that does other work.
 */
export function createTurns() {
  const turns: OpenTurn[] = []
  let size = 0
  let forgotten = 0
  let isMuted = false
  let count = 0
  let endedAt: string | null = null

  const begin = (request: string, to: string | null, at: string | null): OpenTurn => {
    const turn: OpenTurn = {
      ...{ request: cutMessage(request), to, at, steps: [], messages: 0, work: 0, looks: 0, own: 0 },
      ...{ noted: null, failure: null, edited: new Set<string>() },
    }
    turns.push(turn)
    size += turn.request.length
    return turn
  }
  const current = (): OpenTurn => turns.at(-1) ?? begin('', null, null)
  const tick = (at: string | null): void => {
    if (!isMuted && at !== null && (endedAt === null || at > endedAt)) endedAt = at
  }
  const add = (step: Step): void => {
    if (!isContent(step.text)) return
    const { steps } = current()
    const text = cutMessage(step.text)
    steps.push({ ...step, text })
    size += text.length
    while (size > MAX_TOTAL && forgetOldest());
  }
  /** The first request tells what the work is about, and the last turn is under way: both stay. */
  const forgetOldest = (): boolean => {
    const oldest = turns.length > 2 ? turns.splice(1, 1)[0] : undefined
    if (oldest !== undefined) {
      size -= oldest.steps.reduce((sum, { text }) => sum + text.length, oldest.request.length)
      forgotten++
      return true
    }
    const steps = turns.find((turn) => turn.steps.length > 0)?.steps ?? []
    size -= steps.shift()?.text.length ?? 0
    return steps.length > 1
  }
  return {
    tick,
    /** `own`: the prompt calls handoff. An empty request that is not `own` is the pointer to a brief. */
    prompt(request: string, to: string | null, at: string | null, own: boolean) {
      const last = turns.slice(-REPEATED_WITHIN).map((turn) => turn.request)
      if (isRepeat(request, last)) return
      // A plan that was accepted for a new session stands before the order to implement it.
      const before = request.endsWith(':') ? turns.at(-1)?.steps.at(-1) : undefined
      const plan = before?.kind === 'plan' ? ` ${outlineOf(before.text).split('; ')[0]}` : ''
      const turn = begin(request + plan, to, at)
      isMuted = own
      if (own) turn.own++
      else count++
      if (request === '' && !own) turn.isPointer = true
      if (request === '') return
      turn.messages++
      tick(at)
    },
    reply(text: string, at: string | null) {
      if (isMuted || text.trim() === '') return
      tick(at)
      const turn = current()
      turn.messages++
      turn.failure = null
      add({ kind: 'said', text, at })
    },
    /** `own`: of handoff, `note` where it only records; a call that only looks does not show that other work went on. False where it is left out. */
    call(how: 'own' | 'note' | 'look' | 'work', at: string | null): boolean {
      const turn = current()
      if (how === 'note') turn.noted ??= turn.steps.length
      else if (how === 'own') {
        turn.own++
        isMuted = true
        // What was said between the notes and the brief was about handing over.
        if (turn.noted !== null) turn.steps.splice(turn.noted)
      } else if (how === 'work') {
        turn.work++
        turn.noted = null
        isMuted = false
      } else turn.looks++
      if (how === 'work' || how === 'look') tick(at)
      return !isMuted
    },
    step(step: Step) {
      if (isMuted) return
      tick(step.at)
      // A newer plan takes the place of the one before.
      if (step.kind === 'plan')
        for (const turn of turns) turn.steps = turn.steps.filter(({ kind }) => kind !== 'plan')
      add(step)
    },
    /** Commits that a rewrite gave other ids; what was said of them names the old ones no more. */
    dropCommits(texts: readonly string[]) {
      const ids = texts.flatMap((text) => /^`([0-9a-f]{7})/.exec(text)?.[1] ?? [])
      if (ids.length === 0) return
      const old = new RegExp(`\\b(?:${ids.join('|')})[0-9a-f]*\\b`, 'g')
      for (const turn of turns)
        turn.steps = turn.steps.flatMap((step) =>
          step.kind === 'commit' && texts.includes(step.text)
            ? []
            : { ...step, text: step.text.replace(old, '[rewritten]') },
        )
    },
    edit(path: string) {
      current().edited.add(nameOf(path))
    },
    fail(text: string, at: string | null) {
      tick(at)
      current().failure = { text, source: 'transcript', at }
    },
    /** The last turn hands over. */
    isOwn: (): boolean => (turns.at(-1)?.own ?? 0) > 0,
    /** Turns so far that do not begin with a call of handoff. */
    get count(): number {
      return count
    },
    lastReply: (): string => lastSaid(turns)?.step.text ?? '',
    /** `hasCalls`: false of a transcript that records no calls. */
    end(hasCalls: boolean) {
      const told = turns.filter(isTold)
      const revised = revisedAfter(told)
      // A turn of work that the pointer to a brief began, and one in which the agent worked without a word, have two sides as well.
      const unsaid = ({ request, work, steps }: OpenTurn): number => {
        const isSaid = steps.some(({ kind }) => kind === 'said')
        return work === 0 && (hasCalls || !isSaid) ? 0 : Number(request === '') + Number(!isSaid)
      }
      return {
        turns: told.map(
          ({ request, to, at, steps, isPointer }, n): Turn => ({
            ...{ request, to, at, steps, ...(revised[n]?.length ? { revised: revised[n] } : {}) },
            ...(told.slice(n + 1, n + 2).some(isSettledBy) ? { isSettled: true } : {}),
            ...(isPointer === undefined ? {} : { isPointer }),
          }),
        ),
        messages: told.reduce((sum, turn) => sum + turn.messages + unsaid(turn), 0),
        forgotten,
        failure: told.at(-1)?.failure ?? null,
        endedAt,
      }
    },
  }
}

/** A command to the client alone, such as `/mode`, asks for no work unless some came of it. */
const isTold = ({ request, steps, work, looks, own }: OpenTurn): boolean =>
  own > 0 ? work > 0 : steps.length > 0 || work + looks > 0 || (request !== '' && !/^\/\S*$/.test(request))

/** A request to do all that was found or proposed. */
const DO_ALL =
  /^(?:[\w']+[ ,.!]+){0,4}?(?:fix|repair|address|resolve|apply|implement|do|mend|handle|tackle)\b[^.?!\n]{0,40}\b(?:all|these|those|them|that|it|everything|both|issues|findings|comments|feedback|points|suggestions|changes)\b/i

/** What a turn found is done once the next one was to do all of it or agreed, changed files and told of it. */
const isSettledBy = ({ request, to, edited, steps }: OpenTurn): boolean =>
  (to === null ? DO_ALL.test(request) : !request.toLowerCase().startsWith('no')) &&
  edited.size > 0 &&
  isReport(steps.findLast(({ kind }) => kind === 'said')?.text ?? '')

/** For each turn the names of files that a later turn changed and a later request names. */
function revisedAfter(turns: readonly OpenTurn[]): string[][] {
  const [edited, asked] = [new Set<string>(), new Set<string>()]
  return turns
    .toReversed()
    .map((turn) => {
      const both = [...edited].filter((name) => asked.has(name))
      for (const name of turn.edited) edited.add(name)
      for (const word of turn.request.match(/[\w-]+\.[\w.-]*\w/g) ?? []) asked.add(word)
      return both
    })
    .reverse()
}

type LastSaid = { at: number; step: Step }

export function lastSaid(turns: readonly Turn[]): LastSaid | null {
  const isSaid = ({ kind }: Step): boolean => kind === 'said'
  const at = turns.findLastIndex(({ steps }) => steps.some(isSaid))
  const step = turns[at]?.steps.findLast(isSaid)
  return step === undefined ? null : { at, step }
}

/** The turns without the last message, which is told by itself. */
export const withoutClosing = (turns: readonly Turn[], { at, step }: LastSaid): Turn[] =>
  turns.map((turn, index) =>
    index === at ? { ...turn, steps: turn.steps.filter((one) => one !== step), isUnderWay: true } : turn,
  )

/** Cut at a blank, since half a secret is not known for one. */
function cutMessage(text: string): string {
  if (text.length <= MAX_MESSAGE) return text
  const end = Math.max(text.lastIndexOf(' ', MAX_MESSAGE), text.lastIndexOf('\n', MAX_MESSAGE), 0)
  return `${text.slice(0, end)}\n[… ${text.length - end} characters left out]`
}

/** `[main (root-commit) 1a2b3c4] Subject`, which git prints for each commit that it makes. */
const COMMITTED = /^\[(.+?)(?: \(root-commit\))? ([0-9a-f]{7,40})\] (.+)$/gm
const PUSH = /\bgit\b[^|;&\n]*? push\b(?![^|;&\n]* (?:--dry-run|-n)\b)([^|;&\n]*)/
const REWRITES =
  /\bgit\b[^|;&\n]*\b(?:rebase|filter-branch|reset\b[^|;&\n]*(?:[~^@]| [0-9a-f]{7}|\borigin\/))/
/** A commit that git says nothing of, and its subject: a quoted one, or the first line of a here-document. */
const QUIET =
  /\bgit\b[^|;&\n]* commit\b[^|;&\n]*? -\w*(?:m[ =]?(["'])(?!\$\()((?:(?!\1)[^\n]){4,200})|(?:m[ =]?"\$\(cat |F ?- *)<<-?\s*['"]?\w+['"]?\n\s*([^\n]{4,200}))/g
const MAX_COMMITS = 200
/** A repository that was made elsewhere, to try something. */
const TRIAL = /\b(?:cd|mktemp)\b[^\0]*\bgit (?:-\S+ )*init\b/
/** Where a line runs that does not run where the call does. */
const PLACE = /^\s*(?:cd|git -C)\s+["']?(\/[^\s"';&|]+)/
export const WORKTREE = /worktrees?[\\/]/i
const MAX_LINE = 4_000

/** The commits that a session made, by what git printed; ids that a rewrite replaced are not told. What stands now is asked of git. */
export function createWorkLog(sessionCwd: string | null) {
  let commits: SessionWork['commits'] = []
  /** By checkout: a session may work in worktrees and in other repositories as well. */
  const branches = new Map<string, string | null>([[sessionCwd ?? '', null]])
  let isEdited = false
  const checkoutOf = (place: string | null): string =>
    [...branches.keys()].find(
      (top) => place?.startsWith(`${top}/`) && !WORKTREE.test(place.slice(top.length)),
    ) ??
    place ??
    sessionCwd ??
    ''
  return {
    branch(name: string) {
      branches.set(sessionCwd ?? '', name)
    },
    edited() {
      isEdited = true
    },
    /** `made`: the commits as they are told; `gone`: those before, where a rewrite gave them other ids. */
    ran(
      line: string,
      output: string,
      failed: boolean,
      cwd: string | null,
    ): { made: string[]; gone: string[] } {
      const command = line.slice(0, MAX_LINE)
      if (!line.includes('git') || TRIAL.test(command)) return { made: [], gone: [] }
      const place = checkoutOf(PLACE.exec(command)?.[1] ?? cwd)
      let branch = branches.get(place) ?? null
      branch = (output.split('Switched to ')[1] ?? '').split("'")[1] ?? branch
      const isCommit = /\bgit\b[^|;&\n]*\b(?:commit|cherry-pick|revert|merge)\b/.test(command)
      let gone: typeof commits = []
      const before = failed ? [] : commits.filter((one) => one.branch === branch)
      if (REWRITES.test(command)) gone = before
      else if (command.includes('--amend')) gone = before.slice(-1)
      const made: typeof commits = (isCommit ? [...output.matchAll(COMMITTED)] : []).map(
        ([, on = '', sha = '', subject = '']) => ({
          ...{ branch: on.startsWith('detached') ? null : on, sha, subject, isPushed: false, place },
        }),
      )
      // Git was told to be quiet, or its words went elsewhere. In a worktree of the line's own it may stay on no branch.
      const isSilent =
        made.length === 0 && !failed && !output.includes('to commit') && !command.includes('worktree add')
      for (const [, , quoted, document] of isSilent ? command.matchAll(QUIET) : [])
        made.push({ branch, sha: null, subject: quoted ?? document ?? '', isPushed: false, place })
      commits = [...commits.filter((one) => !gone.includes(one)), ...made].slice(-MAX_COMMITS)
      branch = made.at(-1)?.branch ?? branch
      branches.set(place, branch)
      if (made.length > 0) isEdited = false
      const [, to] = PUSH.exec(command) ?? []
      const refs = to?.match(/(?<=\s)[^\s-]\S*/g)?.slice(1) ?? []
      const isOwn =
        refs.length === 0 || refs.some((ref) => ref.startsWith('HEAD') || ref.split(':')[0] === branch)
      if (to !== undefined && isOwn && !failed && !output.includes('rejected'))
        for (const one of commits) if (one.branch === branch) one.isPushed = true
      return { made: made.filter(({ sha }) => sha !== null).map(textOf), gone: gone.map(textOf) }
    },
    /** With the ids that git has for these commits now. `otherPlace`: the folder of another repository as it is told, else null. */
    end(
      git: GitState | null,
      cwd: string | null,
      otherPlace: (folder: string) => string | null,
    ): Omit<SessionWork, 'worktree'> {
      const now = ({ place = '', ...one }: (typeof commits)[number]) => {
        const other = otherPlace(place)
        const known = git?.commits.find(
          ({ sha, subject }) => sha.startsWith(one.sha ?? ' ') || subject === one.subject,
        )
        const sha = known?.sha.slice(0, one.sha?.length) ?? one.sha
        const isOpen = [...(git?.unpushed ?? [])].some((id) => id.startsWith(sha ?? ' '))
        // Of a commit that git does not have here a push that was seen is told; where no remote has a branch, none was.
        const isLocal = known !== undefined && git?.unpushed === undefined ? false : null
        const isPushed = isOpen ? false : one.isPushed || isLocal
        return { ...one, sha, isPushed, ...(other === null ? {} : { place: other }) }
      }
      const last = otherPlace(cwd ?? '') === null ? cwd : sessionCwd
      return { branch: branches.get(checkoutOf(last)) ?? null, commits: commits.map(now), isEdited }
    },
  }
}

const textOf = ({ sha, subject }: SessionWork['commits'][number]): string => `\`${sha}\` ${subject}`

/** Stands below a last message that answers no request. */
export const UNANSWERED = 'The last request came after this message and has no answer yet.'
const MAX_FILES = 3

/** What is known of the time after the last message. */
interface Since {
  records: ReadonlyMap<string, FileRecord>
  resolver: Resolver
  runs: readonly Run[]
  /** Touches of files and runs that were counted when the agent spoke last. */
  said: { clock: number; order: number }
  /** Calls of tools since then. */
  calls: number
  /** Commits after the session, newest first. */
  commits: readonly GitCommit[]
}

/** The last message with what came after it: a request, edits, the last check, an interrupt, or calls that go on. */
export function closingOf(
  turns: readonly Turn[],
  last: LastSaid,
  { records, resolver, runs, said, calls, commits }: Since,
): Closing {
  const { text, at } = last.step
  const steps = turns.slice(last.at).flatMap((turn) => turn.steps)
  const paths = [...records].flatMap(([key, record]) => {
    const place = record.edits > 0 && record.lastEdit > said.clock ? resolver.touched(key) : { drop: '' }
    return 'drop' in place ? [] : [place.path]
  })
  const check = runs.findLast(
    ({ kind, order, outcome }) => isCheck(kind) && order > said.order && outcome !== 'unknown',
  )
  const after: string[] = []
  if (last.at < turns.length - 1) after.push(UNANSWERED)
  if (paths.length > 0) after.push(`After it the agent edited ${someOf(paths, MAX_FILES)}.`)
  if (check)
    after.push(`After it ${commandText(check.command)} ${check.outcome === 'ok' ? 'passed' : 'failed'}.`)
  if (steps.findLastIndex(({ kind }) => kind === 'interrupt') > steps.indexOf(last.step))
    after.push('After it the person interrupted the agent.')
  if (after.length === 0 && calls > 0)
    after.push(`The agent was still at work: ${plural(calls, 'tool call')} came after it.`)
  const [newest] = commits
  if (newest !== undefined)
    after.push(
      `After the session came ${commits.length === 1 ? 'a commit' : `${commits.length} commits, the last`}: \`${newest.sha.slice(0, 8)}\` ${newest.subject.slice(0, 120)}`,
    )
  return { text, at, after }
}

/** Commits of code that somebody made after a time, newest first; none after one that is not known. */
export const commitsAfter = (git: GitState | null, time: string | null): GitCommit[] =>
  (git?.commits ?? []).filter(
    ({ at, files }) =>
      time !== null && Date.parse(at) > Date.parse(time) && files.some((path) => !isProse(path)),
  )
