import { readsBrief } from '../agents/tools.ts'
import type { Invocation } from '../command.ts'
import { createDigest, type Digest } from '../facts/digest.ts'
import { anchorPath } from '../facts/paths.ts'
import { isOwnPath } from '../facts/shell.ts'
import type { Scanner } from '../secrets/scanner.ts'
import type { Adapter } from '../types/agent.ts'
import type { Place } from '../types/config.ts'
import type { FileTouch, SessionEvent } from '../types/session.ts'
import type { PickedSession } from './pick-session.ts'

/** Lines that are named before the rest of them is only counted. */
const NAMED = 3

export interface ReadSession {
  digest: Digest
  /** Lines of the transcript that could not be used, by reason. */
  skipped: Partial<Record<'torn' | 'not-json' | 'unknown', number>>
  damaged: number[]
  /** It looked into a brief: it took up what was handed over. */
  hasReadBrief: boolean
}

/**
 * Streams a session into a digest, its raw bytes past the secret scan. Whoever tells the facts cleans them: a digest cuts no word, and
 * events searched one by one once more took 15 % of the time at 44 MB. Throws what the adapter throws.
 */
export async function readSession(
  picked: PickedSession | null,
  place: Pick<Place, 'home' | 'env' | 'signal'>,
  scanner: Pick<Scanner, 'onRaw'>,
): Promise<ReadSession> {
  const session: ReadSession = {
    digest: createDigest({ sessionCwd: picked?.ref.cwd ?? null, home: place.home }),
    skipped: {},
    damaged: [],
    hasReadBrief: false,
  }
  if (picked === null) return session
  const batches = picked.adapter.read(picked.ref, {
    signal: place.signal,
    place,
    onRaw: scanner.onRaw,
    onSkip: (reason, line) => {
      session.skipped[reason] = (session.skipped[reason] ?? 0) + 1
      if (reason === 'not-json' && line !== undefined && session.damaged.length < NAMED)
        session.damaged.push(line)
    },
  })
  for await (const batch of batches)
    for (const event of batch) {
      session.hasReadBrief ||= event.kind === 'call' && readsBrief(event)
      session.digest.add(withoutMiddle(event))
    }
  return session
}

/** Characters of a prompt that are looked into: what was pasted into the middle of a longer one tells nothing that fits into a brief. */
const LONGEST_PROMPT = 1 << 20

/** A prompt with both ends alone, of whole words: half a secret is not known for one. */
function withoutMiddle(event: SessionEvent): SessionEvent {
  if (event.kind !== 'prompt' || event.text.length <= LONGEST_PROMPT) return event
  const head = event.text.slice(0, LONGEST_PROMPT / 2)
  const tail = event.text.slice(-LONGEST_PROMPT / 2)
  const text = `${head.slice(0, head.lastIndexOf(' '))}\n\n${tail.slice(tail.indexOf(' ') + 1)}`
  return { ...event, text }
}

/** The session; `note` is told every event of it as it is read, once. */
export function watchEvents(picked: PickedSession, note: (event: SessionEvent) => void): PickedSession {
  const read: Adapter['read'] = async function* (ref, options) {
    for await (const batch of picked.adapter.read(ref, options)) {
      for (const event of batch) note(event)
      yield batch
    }
  }
  return { ...picked, adapter: { ...picked.adapter, read } }
}

/** What `create` has to know of a session besides its facts: what was done after a page was written, and what was asked for. */
export type Work = ReturnType<typeof watchWork>

/** `HANDOFF.md` is one anywhere. */
const DOCUMENT = /\/HANDOFF(?:[-_.][\w.-]*)?\.md$/
const LIKE = /handoff[^/]*\.(?:md|markdown)$/i
const IN_FOLDER = /\/handoffs\/.*\.md$/
/** Where documents with such a name are papers of an agent: temporary, hidden or `handoffs` folders, but none of commands. */
const PAPERS = /^(?:\/private)?\/(?:tmp|var\/folders)\/|(?:^|\/)(?:\.[\w-]+|handoffs)\//
const NO_PAPERS = /(?:^|\/)(?:commands|agents|skills|prompts|rules|plugins|templates|\.git|\.github)\//
/** A shell that writes such a document, and one that changes some file. */
const INTO = /(?:>{1,2}|\btee(?: -a)?) *["']?([^\s"'|;&<>]*handoff[^\s"'|;&<>]*\.md)\b/i
const CHANGES = /\b(?:sed|perl) (?:-\S+ )*-i|\bgit (?:mv|rm|apply|revert|cherry-pick)\b/

/** A goal that the person types: `/handoff <goal>`, `hand this off: <goal>`. */
const ASKS =
  /^\s*(?:[/$](?:skill:)?handoff[ \t]+|(?:please )?hand (?:(?:this|it|the work) )?(?:off|over)[ \t]*:\s*)(\S[\s\S]*)/i

/** `roots`: the worktrees, which a temporary folder may hold. */
export function watchWork(roots: readonly string[], home: string) {
  const edits: string[] = []
  const open = new Map<string, Extract<SessionEvent, { kind: 'call' }>>()
  /** A handoff document that the agent wrote as a file, by whatever skill; an absolute path. */
  let document = null as { path: string; at: string } | null
  let asked: string | null = null

  function settle(files: readonly FileTouch[], at: string | null, cwd: string | null): void {
    for (const { path, change } of files)
      if ((change === 'delete' || !isDocument(path, at, cwd)) && !isOwnPath(path) && at !== null)
        edits.push(at)
  }
  function isDocument(given: string, at: string | null, cwd: string | null): boolean {
    const path = anchorPath(given, cwd, home)
    if (path === null || at === null || isOwnPath(path) || NO_PAPERS.test(path)) return false
    const root = roots.find((top) => path.startsWith(`${top}/`))
    const isPaper = PAPERS.test(path.slice(root?.length ?? 0)) && (LIKE.test(path) || IN_FOLDER.test(path))
    if (!isPaper && !DOCUMENT.test(path)) return false
    document = { path, at }
    return true
  }
  function add(event: SessionEvent, started: string | null): void {
    if (event.kind === 'prompt' && event.sub === null) asked = ASKS.exec(event.text)?.[1]?.trim() ?? null
    if (event.kind === 'call' && (event.action.type === 'edit' || event.action.type === 'run'))
      open.set(event.id, event)
    if (event.kind !== 'result') return
    const call = open.get(event.id)
    open.delete(event.id)
    if (!event.ok || event.refused) return
    const [at, cwd] = [event.at ?? call?.at ?? null, call?.cwd ?? started]
    if (call?.action.type !== 'run') {
      settle(event.files ?? (call?.action.type === 'edit' ? call.action.files : []), at, cwd)
      return
    }
    const { command } = call.action
    const into = INTO.exec(command)?.[1]
    if ((into === undefined || !isDocument(into, at, cwd)) && CHANGES.test(command) && at !== null)
      edits.push(at)
    if (event.files !== undefined) settle(event.files, at, cwd)
  }

  return {
    watch: (picked: PickedSession) => watchEvents(picked, (event) => add(event, picked.ref.cwd)),
    /** How many edits came after that time. */
    editsAfter: (at: string) => edits.filter((edit) => edit > at).length,
    document: () => document,
    /** The goal that the person typed for a handoff, where that is the last that was said; else null. */
    askedFor: () => asked,
  }
}

/** Says that records in the middle of a session are damaged; the last one may still be written. */
export function warnDamaged({ out }: Pick<Invocation, 'out'>, { skipped, damaged }: ReadSession): void {
  const count = skipped['not-json'] ?? 0
  if (count === 0) return
  const more = count > damaged.length && damaged.length > 0 ? ' and others' : ''
  const where = damaged.length === 0 ? '' : ` (line ${damaged.join(', ')}${more})`
  out.warn(
    `${count === 1 ? 'A record' : `${count} records`} of the session cannot be read${where}: what stood there is left out`,
  )
}
