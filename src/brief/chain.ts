import { ambiguousId, badId, noBrief, unknownId } from '../errors/briefs.ts'
import { contentWords, sentencesOf } from '../text/blocks.ts'
import { unescapeAlone } from '../text/safe-text.ts'
import { takenBackBy } from '../text/taken-back.ts'
import type { BriefState, FrontMatter, Notes } from '../types/brief.ts'
import type { DecisionFact, QuestionFact, TextFact } from '../types/evidence.ts'
import { timeOfId } from './id.ts'
import type { ParsedBrief } from './parse.ts'

/** A brief and those that it follows. */
export interface Linked {
  id: string
  parents: readonly string[]
}

export interface Chain<N> {
  order: N[]
  /** Nodes with a parent that is not among them. */
  missing: { id: string; parent: string }[]
  /** Ids that are their own ancestors, smallest id first; ways that part and meet again in one circle are one. */
  cycles: string[][]
  heads: string[]
}

/** Links briefs by their parents, which come before them. A cycle or a missing parent is data, never an error here. */
export function linkChain<N extends Linked>(nodes: readonly N[]): Chain<N> {
  const byId = new Map([...nodes].sort((a, b) => (a.id < b.id ? -1 : 1)).map((node) => [node.id, node]))
  const followed = new Set([...byId.values()].flatMap(({ parents }) => parents))
  const { order, cycles } = walkParents([...byId.values()], byId)
  return {
    order,
    missing: order.flatMap(({ id, parents }) =>
      parents.filter((parent) => !byId.has(parent)).map((parent) => ({ id, parent })),
    ),
    cycles,
    heads: order.filter(({ id }) => !followed.has(id)).map(({ id }) => id),
  }
}

/** All known ancestors of `id` and itself, parents before children; a way ends where a parent is missing or repeats. */
export function chainOf<N extends Linked>(id: string, nodes: readonly N[]): N[] {
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const node = byId.get(id)
  return node === undefined ? [] : walkParents([node], byId).order
}

/** Depth first, the first parent first; a chain of thousands is deeper than the stack of calls. */
function walkParents<N extends Linked>(starts: readonly N[], byId: ReadonlyMap<string, N>) {
  const order: N[] = []
  const cycles: string[][] = []
  const inCycle = new Set<string>()
  const state = new Map<string, 'open' | 'done'>()
  const path: { node: N; next: number }[] = []
  const enter = (node: N | undefined): void => {
    if (node === undefined || state.get(node.id) === 'done') return
    if (state.has(node.id)) addCycle(path.slice(path.findIndex((at) => at.node === node)))
    else {
      state.set(node.id, 'open')
      path.push({ node, next: 0 })
    }
  }
  const addCycle = (steps: readonly { node: N }[]): void => {
    const turn = steps.map(({ node }) => node.id)
    if (inCycle.has(turn[0] ?? '') && inCycle.has(turn.at(-1) ?? '')) return
    for (const id of turn) inCycle.add(id)
    const first = turn.indexOf([...turn].sort()[0] ?? '')
    cycles.push([...turn.slice(first), ...turn.slice(0, first)])
  }
  for (const start of starts) {
    if (!state.has(start.id)) enter(start)
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const parent = at.node.parents[at.next++]
      if (parent !== undefined) {
        enter(byId.get(parent))
        continue
      }
      state.set(at.node.id, 'done')
      order.push(at.node)
      path.pop()
    }
  }
  return { order, cycles }
}

/**
 * The id that `input` means among `ids`: `latest`, a whole id or a unique prefix. `current` is what `latest`
 * stands for. Throws `noBrief`, `badId`, `unknownId`, and `ambiguousId` with the candidates.
 */
export function resolveId(input: string, ids: readonly string[], current: string | null): string {
  if (input === 'latest') {
    if (current === null) throw noBrief()
    return current
  }
  if (!/^[0-9]{1,8}$|^\d{8}T\d{0,6}$|^\d{8}T\d{6}-[0-9a-f]{0,8}$/.test(input)) throw badId(input)
  const found = [...new Set(ids)].filter((id) => id.startsWith(input)).sort()
  const [only, second] = found
  if (only === undefined) throw unknownId(input)
  if (second !== undefined) throw ambiguousId(input, found)
  return only
}

/**
 * What a brief hands down to the next one: the person's quoted demands and what took one back, everything still open, the open questions
 * and blockers of its notes included. Nothing else is copied.
 */
export function handedDown({ meta, brief }: ParsedBrief): {
  id: string
  createdAt: string
  constraints: TextFact[]
  questions: QuestionFact[]
  pending: TextFact[]
  decisions: DecisionFact[]
} {
  // A page may ask again what was handed down to it.
  const told = new Set(brief.questions.map(({ text }) => text))
  const asked = [...questionsOf(brief.notes), ...lastQuestion(brief.closing)]
  return {
    id: meta.id,
    createdAt: meta.createdAt,
    constraints: brief.constraints,
    questions: [...brief.questions, ...asked.filter(({ text }) => !told.has(text))],
    pending: brief.progress.pending.filter(({ source }) => source !== 'git'),
    decisions: brief.decisions.filter((one) => takenBackBy(one).length > 0),
  }
}

/** Content words with which a question says what it is about; else it needs what comes before: `Shall I push?` */
const ENOUGH = 2
/** UTF-16 units of a question with what comes before it. */
const LONGEST = 300
const COURTESY = /\b(?:any|some)thing else\b/i

/** The question that the last message of the agent ends with. */
export function lastQuestion(closing: readonly string[]): QuestionFact[] {
  const quoted = closing.flatMap((line) => /^>(.*)$/.exec(line)?.[1] ?? [])
  const said = sentencesOf(quoted).map((text) => unescapeAlone(text).replace(/^[*_]+|[*_]+$/g, ''))
  let text = said.pop() ?? ''
  if (!/[?？]$/.test(text) || COURTESY.test(text)) return []
  for (let before = said.pop(); before !== undefined; before = said.pop()) {
    if (contentWords(text).length >= ENOUGH || before.length + text.length > LONGEST) break
    text = `${before} ${text}`
  }
  return contentWords(text).length === 0 ? [] : [{ text, source: 'agent', at: null, kind: 'question' }]
}

/** The questions and blockers of the agent's page: each with its label, or in a list under a heading that says so. */
export function questionsOf(notes: Notes | null): QuestionFact[] {
  const found: QuestionFact[] = []
  let isAsking = false
  for (const line of (notes?.page ?? '').split('\n')) {
    const heading = /^#{1,6}\s+(.*)$/.exec(line)?.[1]
    if (heading !== undefined) isAsking = /\bquestions?\b/i.test(heading)
    const [, label, words = ''] = /^\s*[-*+] (?:(Open question|Blocker): )?(.+)$/.exec(line) ?? []
    if (words === '' || (label === undefined && !isAsking)) continue
    const kind = label === 'Blocker' ? 'blocker' : 'question'
    found.push({ text: unescapeAlone(words), source: 'agent', at: null, kind })
  }
  return found
}

export interface ChainFilter {
  branch?: string
  /** The id of an agent or the name people know it by, in any case. */
  agent?: string
  /** A part of the name of who committed it, in any case. */
  by?: string
  persona?: string
  /** Milliseconds since the epoch. */
  since?: number
}

export function isWanted(node: ChainNode, { branch, agent, by, persona, since }: ChainFilter): boolean {
  if (branch !== undefined && node.branch !== branch) return false
  if (persona !== undefined && node.persona !== persona) return false
  if (agent !== undefined && ![node.agentId, node.agent].some((name) => isSame(name, agent))) return false
  if (by !== undefined && !(node.author ?? '').toLowerCase().includes(by.toLowerCase())) return false
  return since === undefined || timeOf(node) >= since
}

const isSame = (name: string, wanted: string): boolean => name.toLowerCase() === wanted.toLowerCase()

/** Some other writer's time may be none; the id has one too. */
function timeOf({ createdAt, id }: ChainNode): number {
  const time = Date.parse(createdAt)
  return Number.isNaN(time) ? (timeOfId(id) ?? Number.NEGATIVE_INFINITY) : time
}

export interface BriefVersion
  extends Pick<ChainNode, 'id' | 'path' | 'oid' | 'commit' | 'ref' | 'edited' | 'author'> {
  meta: FrontMatter | null
  why?: string
}

export interface ChainNode {
  id: string
  parents: readonly string[]
  kind: 'handoff' | 'done'
  goal: string
  branch: string | null
  /** The commit that it was made at, and the branch that its work shall go into, as `ref@commit`. */
  head: string | null
  base: string | null
  /** The name people know the agent by, and its id. */
  agent: string
  agentId: string
  /** Who committed it, as git says. */
  author?: string
  persona?: string
  reason: string
  createdAt: string
  path: string
  oid: string
  commit: string
  ref: string
  /** It stands in the tree of HEAD, or at the end of the branch on which briefs of this checkout are kept. */
  inTree: boolean
  state: BriefState
  /** Nor does it stand in a trunk, or on its own branch. */
  gone?: true
  /** The file was changed after it was committed, here or on another line of work: what is told is what was added. */
  edited?: true
  duplicate?: true
  others?: { path: string; oid: string; commit: string }[]
}

/** One of which nobody has asked yet what became of it. */
export type StatelessNode = Omit<ChainNode, 'state' | 'gone'>

export interface Unreadable {
  id: string
  path: string
  commit: string
  why: string
}

/**
 * One node for each id, in the order its versions come (newest commit first), and what could be read in no version. A
 * brief is immutable, so the version as added is told, whatever was made of it since; of several the one that `inTree`
 * (path → blob) holds, else the first that was ever added.
 */
export function nodesOf(
  versions: readonly BriefVersion[],
  inTree: ReadonlyMap<string, string>,
): { nodes: StatelessNode[]; unreadable: Unreadable[] } {
  const byId = new Map<string, BriefVersion[]>()
  for (const version of versions) {
    const known = byId.get(version.id)
    if (known === undefined) byId.set(version.id, [version])
    else known.push(version)
  }
  const nodes: StatelessNode[] = []
  const unreadable: Unreadable[] = []
  for (const [id, all] of byId) {
    const told = chosen(all, inTree)
    if (told?.meta) nodes.push(nodeOf(told, told.meta, all, inTree))
    else
      for (const { path, commit, why = 'cannot be read' } of all) unreadable.push({ id, path, commit, why })
  }
  return { nodes, unreadable }
}

function chosen(all: readonly BriefVersion[], inTree: ReadonlyMap<string, string>): BriefVersion | undefined {
  const readable = all.filter(({ meta }) => meta !== null)
  const added = readable.filter(({ edited }) => edited === undefined)
  const from = added.length > 0 ? added : readable
  return from.findLast(({ path, oid }) => inTree.get(path) === oid) ?? from.at(-1)
}

function nodeOf(
  told: BriefVersion,
  meta: FrontMatter,
  all: readonly BriefVersion[],
  inTree: ReadonlyMap<string, string>,
): StatelessNode {
  const { id, path, oid, commit, ref } = told
  const others = all
    .filter((other) => other.path !== path || other.oid !== oid)
    .map(({ path, oid, commit }) => [`${path}\0${oid}`, { path, oid, commit }] as const)
  const list = [...new Map(others).values()]
  return {
    id,
    parents: meta.parents,
    kind: meta.kind ?? 'handoff',
    goal: meta.goal,
    branch: meta.branch,
    head: meta.head,
    base: meta.base ?? null,
    agent: meta.agent.label,
    agentId: meta.agent.id,
    ...(told.author === undefined ? {} : { author: told.author }),
    ...(meta.persona === undefined ? {} : { persona: meta.persona }),
    reason: meta.reason,
    createdAt: meta.createdAt,
    path,
    oid,
    commit,
    ref,
    inTree: all.some((version) => inTree.has(version.path)),
    ...(told.edited || list.some((other) => other.path === path) ? { edited: true } : {}),
    ...(list.some((other) => other.path !== path) ? { duplicate: true } : {}),
    ...(list.length === 0 ? {} : { others: list }),
  }
}
