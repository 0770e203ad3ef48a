import { agentOf, type Carried, withoutTold } from '../brief/carry.ts'
import { handedDown } from '../brief/chain.ts'
import { type Claim, verifyNotes } from '../brief/claims.ts'
import { draftBrief, type ParentSummary } from '../brief/draft.ts'
import { fitBrief } from '../brief/fit.ts'
import { renderBrief } from '../brief/render.ts'
import { fillTemplate } from '../brief/template.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import type { Invocation } from '../command.ts'
import { defaultConfig } from '../config/keys.ts'
import { nothingToHandOff, sessionNotUnderstood } from '../errors/session.ts'
import { emptyBrief } from '../errors/writing.ts'
import type { Extractor } from '../extract/extractor.ts'
import type { Inherited } from '../extract/inherit.ts'
import { hideHomes } from '../secrets/hide-homes.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { readPlain } from '../store/plain-file.ts'
import type { Brief, FrontMatter } from '../types/brief.ts'
import type { Config } from '../types/config.ts'
import type { Evidence } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import { privateNames } from '../workspace/input-secrets.ts'
import type { CreateRequest } from './create-request.ts'
import type { Gathered, Resumed } from './gather.ts'

/** A brief as a value and as the text that is written. */
export interface Built {
  brief: Brief
  text: string
  /** Secrets replaced in what was gathered, by rule. */
  redacted: Record<string, number>
  /** What the notes claim, and what became of it. */
  claims: Claim[]
  /** The session behind it as it may be told: file and folder may be named with a key. */
  session: { id: string; path: string } | null
}

/** Fewest prompts and replies worth handing over. */
const MIN_MESSAGES = 2

/**
 * The brief of what was gathered, as the child of `parent`, which hands its words down only when `gathered.inherits`.
 * Pure but for the repository's own preamble template. Throws `nothingToHandOff`, `emptyBrief`, `badTemplate`.
 */
export async function buildBrief(
  invocation: Invocation,
  gathered: Gathered,
  parent: CurrentBrief | null,
  id: string,
): Promise<Built> {
  const { request, picked, session, scanner, workspace, notes } = gathered
  const open = gathered.inherits ? parent : null
  const git = await withoutNamed(gathered.git, scanner)
  const finish = (extractor: Extractor, inherited: Inherited | null): Evidence =>
    extractor.finish({
      git,
      goal: request.goal,
      focus: request.focus,
      inherited,
      agent: picked === null ? null : { id: picked.adapter.id, label: picked.adapter.label },
      sessionId: picked?.ref.id ?? null,
      config: gathered.config,
      skipped: session.skipped,
    })
  const { home, userNames } = privateNames(invocation, gathered.git?.identity.name ?? '')
  const hide = <T>(value: T): T => hideHomes(value, home ?? '', userNames)
  const resumed =
    gathered.resumed === undefined || open === null ? null : { ...gathered.resumed, meta: open.parsed.meta }
  const clean = async (evidence: Evidence): Promise<Evidence> => hide((await scanner.redact(evidence)).value)
  const { raw, carried } =
    resumed === null
      ? { raw: finish(session.extractor, open === null ? null : handedDown(open.parsed)), carried: null }
      : await resumedEvidence(resumed, session.extractor, finish, clean)
  if (picked !== null && raw.messages < MIN_MESSAGES)
    throw session.skipped.unknown !== undefined
      ? sessionNotUnderstood(picked.ref.path, 'The')
      : nothingToHandOff()
  const { extracted } = gathered
  const { mission: standing, personas } = gathered.config
  const { value, counts } = await scanner.redact({
    evidence: extracted?.join(raw) ?? raw,
    git: textsOf(gathered.git),
    carried,
    parent: open === null ? null : summary(open),
    // Ours, and still gathered: nobody typed it for this brief.
    settings: { mission: standing, personas },
    drift: resumed?.drift ?? null,
    preamble: await overridden(workspace.repo?.root ?? null),
    behind: picked === null ? null : { id: picked.ref.id, path: picked.ref.path },
  })
  const { evidence, git: shown, carried: kept, parent: told, drift } = hide(value)
  const { preamble } = value
  const config = { ...gathered.config, ...value.settings }
  // What the person says, or is about to write in the editor, is something to hand over.
  const isAlone = notes.notes === null && open === null && request.focus === null && !request.edit
  if (isAlone && isEmpty(evidence, gathered.git)) throw emptyBrief()
  const checked = verified(gathered, raw)
  const draft = draftBrief({
    id,
    createdAt: invocation.place.now().toISOString(),
    goal: request.goal,
    vague: gathered.vague,
    focus: hide(request.focus),
    reason: hide(request.reason),
    git: gathered.git === null || shown === null ? null : { ...gathered.git, ...shown },
    evidence,
    notes: checked === null ? null : hide(checked.notes),
    notesAge: notes.age,
    notesChecked: gathered.unseen !== undefined || notes.isChecked === true,
    parent: told,
    persona: request.persona,
    skills: [...(personaOf(request, open, config)?.skills ?? []), ...request.skills],
    ...(resumed === null || kept === null
      ? { resumedFrom: null }
      : {
          resumedFrom: { id: resumed.meta.id, createdAt: resumed.meta.createdAt },
          resumed: { carried: kept, changed: resumed.changed, drift },
        }),
    extraction: extracted?.meta ?? { mode: 'none', attempts: 0 },
    config,
    defaults: defaultConfig(),
    ...(preamble === null ? {} : { preamble }),
  })
  const linked = { ...draft, meta: { ...draft.meta, parent: parent?.id ?? null } }
  const story = { turns: evidence.turns, forgotten: evidence.forgotten }
  const fitted = await fitBrief(linked, story, config, { exact: request.exact === true })
  const claims = hide(checked?.claims ?? [])
  return { ...(await cleaned(fitted, scanner)), redacted: counts, session: value.behind, claims }
}

/** The finished text once more: what only a label or a neighbour of the page shows to be a secret is replaced, too. */
async function cleaned(brief: Brief, scanner: Scanner): Promise<Pick<Built, 'brief' | 'text'>> {
  const text = renderBrief(brief)
  const { value: safe } = await scanner.redact(text)
  if (safe === text) return { brief, text }
  const { value } = await scanner.redact(brief)
  return { brief: value, text: (await scanner.redact(renderBrief(value))).value }
}

/** The notes held against what was read. What git says counts where the session worked in this repository. */
function verified(
  { notes, unseen, git, picked }: Gathered,
  { checks }: Evidence,
): ReturnType<typeof verifyNotes> | null {
  if (notes.notes === null) return null
  if (unseen === undefined) return { notes: notes.notes, claims: [] }
  const isHere = picked === null || picked.isOurs
  return verifyNotes(notes.notes, { unseen, git: isHere ? git : null, checks })
}

/**
 * What names tickets, without secrets: a ticket is a part of a branch's name or of a subject, and where it is a part of a secret
 * nobody finds it again as one.
 */
async function withoutNamed(git: GitState | null, scanner: Scanner): Promise<GitState | null> {
  if (git === null) return null
  const { value } = await scanner.redact({
    branch: git.branch,
    words: git.commits.map(({ subject, trailers }) => ({ subject, trailers })),
  })
  return {
    ...git,
    branch: value.branch,
    commits: git.commits.map((commit, at) => ({ ...commit, ...value.words[at] })),
  }
}

/** What of git can reach a brief as text; the file list is looked up in, never shown. */
function textsOf(git: GitState | null) {
  if (git === null) return null
  const { branch, upstream, base, changes, commits } = git
  return { branch, upstream, base, changes, commits }
}

/** Nothing was said, touched, changed or committed: there is nothing the next agent would learn. */
function isEmpty(evidence: Evidence, git: GitState | null): boolean {
  const { files, commands, constraints, information, decisions, questions, plan, turns } = evidence
  const found = [files, commands, constraints, information, decisions, questions, plan, turns].flat()
  const isNew = git === null || (git.head === null && git.changes.length === 0)
  return found.length === 0 && evidence.closing === null && isNew
}

/** What the configuration says of the persona asked for, or of the one the parent hands on. */
const personaOf = (
  request: CreateRequest,
  parent: CurrentBrief | null,
  config: Config,
): Config['personas'][string] | undefined => {
  const name = request.persona ?? parent?.parsed.meta.persona
  return name !== undefined && Object.hasOwn(config.personas, name) ? config.personas[name] : undefined
}

function summary({ id, parsed }: CurrentBrief): ParentSummary {
  const { createdAt, goal, skills, persona } = parsed.meta
  return { id, createdAt, goal, skills: skills ?? [], persona: persona ?? null }
}

/** `.handoff/templates/preamble.txt` of the repository, or null. */
async function overridden(root: string | null): Promise<string | null> {
  if (root === null) return null
  const place = '.handoff/templates/preamble.txt'
  const text = await readPlain(root, place)
  return text === null ? null : fillTemplate('preamble', {}, { text, place }).trim()
}

/**
 * The evidence of a resumed brief, and what it takes over besides. With the session everything is told by it again,
 * and only what it never told is taken over: notes, what a person wrote into the brief, what came from briefs before; demands
 * and questions of those as long as the session did not take them back. Without it everything is taken over.
 * `clean`: as the texts of the saved brief were cleaned.
 */
async function resumedEvidence(
  { carried, earlier, meta }: Resumed & { meta: FrontMatter },
  session: Extractor,
  finish: (extractor: Extractor, inherited: Inherited | null) => Evidence,
  clean: (evidence: Evidence) => Promise<Evidence>,
): Promise<{ raw: Evidence; carried: Carried }> {
  if (earlier === null)
    return { raw: { ...finish(session, null), agent: agentOf(meta) }, carried: { ...carried, isAll: true } }
  const told = await clean(finish(earlier, null))
  const rest = withoutTold({ ...carried, isAll: false }, told)
  const { constraints, questions } = rest
  return {
    raw: finish(session, { id: meta.id, createdAt: meta.createdAt, constraints, questions }),
    carried: { ...rest, constraints: [], questions: [] },
  }
}
