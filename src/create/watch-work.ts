import { anchorPath } from '../facts/paths.ts'
import { isOwnPath } from '../facts/shell.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { watchEvents } from '../session/read-session.ts'
import type { FileTouch, SessionEvent } from '../types/session.ts'

/** What `create` has to know of a session besides its facts: what was done after a page was written, and what was asked for. */
export type Work = ReturnType<typeof watchWork>

/** `HANDOFF.md` is one anywhere. */
const NAMED = /\/HANDOFF(?:[-_.][\w.-]*)?\.md$/
const LIKE = /handoff[^/]*\.(?:md|markdown)$/i
const IN_FOLDER = /\/handoffs\/.*\.md$/
/** Where documents with such a name are papers of an agent: temporary, hidden or `handoffs` folders, but none of commands. */
const PAPERS = /^(?:\/private)?\/(?:tmp|var\/folders)\/|(?:^|\/)(?:\.[\w-]+|handoffs)\//
const NO_PAPERS = /(?:^|\/)(?:commands|agents|skills|prompts|rules|plugins|templates|\.git|\.github)\//
/** A shell that writes such a document, and one that changes some file. */
const INTO = /(?:>{1,2}|\btee(?: -a)?) *["']?([^\s"'|;&<>]*handoff[^\s"'|;&<>]*\.md)\b/i
const CHANGES = /\b(?:sed|perl) (?:-\S+ )*-i|\bgit (?:mv|rm|apply|revert|cherry-pick)\b/

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
    if (!isPaper && !NAMED.test(path)) return false
    document = { path, at }
    return true
  }
  function add(event: SessionEvent, started: string | null): void {
    if (event.kind === 'prompt' && event.sub === null)
      asked = /^\s*[/$](?:skill:)?handoff[ \t]+(\S[\s\S]*)/.exec(event.text)?.[1]?.trim() ?? null
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
    /** The words after `/handoff`, where that is the last that the person said; else null. */
    askedFor: () => asked,
  }
}
