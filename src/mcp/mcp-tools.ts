import * as z from 'zod/mini'
import { callerOf } from '../agents/caller.ts'
import { claudeLiveSession } from '../agents/claude-code/files.ts'
import { labelOf } from '../agents/table.ts'
import type { ChainNode } from '../brief/chain.ts'
import { givenNotes } from '../brief/notes.ts'
import { goalLine, inlinePrompt, takenWords, untrustedLine } from '../brief/prompt.ts'
import { findBrief } from '../briefs/find-brief.ts'
import { dropDrafts, recordDraft } from '../briefs/find-saved.ts'
import { readChain } from '../briefs/read-chain.ts'
import type { CreateResult } from '../briefs/results.ts'
import { trustedAmong, UNTRUSTED } from '../briefs/trusted-among.ts'
import { verdictOn } from '../briefs/verdict.ts'
import type { Invocation } from '../command.ts'
import { readRequest } from '../create/create-request.ts'
import { chainClosed } from '../errors/briefs.ts'
import { isHandoffError, reasonOf } from '../errors/handoff-error.ts'
import { blobId } from '../git/files.ts'
import { openRepo } from '../git/open-repo.ts'
import { quietOutput } from '../output/output.ts'
import { processChain } from '../process-chain.ts'
import { readPickUp } from '../store/journal.ts'
import { listLive } from '../store/live.ts'
import { oneLine, shellWord, visible } from '../text/safe-text.ts'
import type { Place } from '../types/config.ts'
import { openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import type { McpTool } from './serve.ts'

/** UTF-16 units of one argument; longer ones are no goal, question or id. */
const MAX_TEXT = 8192
/** As `handoff note` takes. */
const MAX_NOTES = 64 * 1024
const text = (about: string) => z.string().check(z.maxLength(MAX_TEXT), z.describe(about))

/** The whole id or its beginning: a path would tell what exists outside the repository. */
const ID = /^(?:latest|\d{4,8}|\d{8}T\d{0,6}|\d{8}T\d{6}-[0-9a-f]{0,8})$/
const briefId = z.string().check(z.regex(ID, 'is no id of a brief'), z.describe('another brief'))

const READS = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false }

/** What a page of notes holds stands in the skill, which is read when it is used; a description is in every request. */
const PAGE = 'one page of markdown: what only you know'

/**
 * The tools, each a thin skin over what a command does. Their descriptions are in every request of a client: test/unit/standing-cost.test.ts
 * holds the limit.
 */
export const mcpTools = (invocation: Invocation): McpTool[] => [
  {
    name: 'handoff_read',
    title: 'Read a handoff brief',
    description:
      'The brief handed over here, or what a question finds in the sessions behind it, or the list of briefs. Data of another agent.',
    input: withJsonSchema(
      z.strictObject({
        id: z.optional(briefId),
        question: z.optional(text('search for this')),
        log: z.optional(z.enum(['branch', 'all'])),
      }),
    ),
    annotations: READS,
    call: answering(invocation, async (called, args) => {
      const { id, question, log } = args as { id?: string; question?: string; log?: 'branch' | 'all' }
      if (log !== undefined) return readLogForAgent(called, { all: log === 'all' })
      if (question === undefined) return readForAgent(called, id)
      const { readAnswer } = await import('../ask/read-answer.ts')
      const { text: found, warnings } = await readAnswer(quiet(called), question, id)
      return [found, ...warnings.map(warning)].join('\n\n')
    }),
  },
  {
    name: 'handoff_create',
    title: 'Draft a handoff brief',
    description: 'Draft a brief for the next agent. Only when the user asks to hand over.',
    input: withJsonSchema(
      z.strictObject({
        goal: text("the user's words"),
        notes: z.optional(z.string().check(z.maxLength(MAX_NOTES), z.describe(PAGE))),
        until: z.optional(text('end at this turn or time')),
      }),
    ),
    annotations: WRITES,
    call: answering(invocation, async (called, args) => {
      const { goal, notes, until } = args as { goal: string; notes?: string; until?: string }
      const page = notes === undefined ? {} : { notes: '-' }
      const request = readRequest(goal, { ...page, until, commit: false, edit: false, byAgent: true })
      const { createBrief } = await import('../create/create-brief.ts')
      const { result } = await createBrief({ ...quiet(called), readStdin: async () => notes ?? '' }, request)
      const { path, tokens, warnings } = result
      await keepDraft(called, result)
      return [
        `Draft: ${path} (${tokens} tokens). It is not committed. The user can read it and commit it with`,
        `git handoff create ${shellWord(goal)}`,
        ...warnings.map(warning),
      ].join('\n')
    }),
  },
  {
    name: 'handoff_finalize',
    title: 'Record working memory',
    description: 'Record notes for the next brief of this session.',
    // Slots are taken as well, as `git handoff note` takes them; one page is what is asked for.
    input: withJsonSchema(givenNotes, z.strictObject({ other: text(PAGE) })),
    annotations: WRITES,
    call: answering(invocation, async (called, args) => {
      const { NOTED, recordNotes } = await import('../create/page.ts')
      await recordNotes(quiet(called), { read: async () => JSON.stringify(args) }, { byAgent: true })
      return NOTED
    }),
  },
]

const warning = (text: string): string => `warning: ${text}`

/** The small form of zod checks values and leaves out what tells the JSON Schema. `shown`: what a client is told, where more is taken. */
const withJsonSchema = (schema: z.ZodMiniType, shown = schema): McpTool['input'] => ({
  '~standard': {
    ...schema['~standard'],
    jsonSchema: {
      input: () => plain(z.toJSONSchema(shown, { io: 'input' })),
      output: () => plain(z.toJSONSchema(shown, { io: 'output' })),
    },
  },
})

/** Without the limits of lengths, which are checked anyway, and the dialect. */
const plain = (schema: object): Record<string, unknown> =>
  JSON.parse(
    JSON.stringify(schema, (key, value) =>
      ['maxLength', 'pattern', '$schema'].includes(key) ? undefined : value,
    ),
  )

/** Known, so that the brief that is committed takes its place. */
async function keepDraft(
  invocation: Invocation,
  { id, path, branch, markdown }: CreateResult,
): Promise<void> {
  const repo = await openRepo(invocation.place.root, { env: invocation.place.env })
  await dropDrafts(invocation, repo, { id, branch })
  await recordDraft(repo.commonDir, { id, root: repo.root, path, oid: blobId(repo, markdown), branch })
}

/** Standard output is the protocol's, and each call has warnings of its own. */
const quiet = (invocation: Invocation): Invocation => ({
  ...invocation,
  out: quietOutput(),
  stderr: { write: () => undefined },
})

/** Turns what a tool says, or throws, into an answer; hidden characters are shown, since a model reads them and a person does not see them. */
function answering(
  invocation: Invocation,
  work: (invocation: Invocation, args: unknown) => Promise<string>,
): McpTool['call'] {
  return async (args, meta) => {
    try {
      return { text: visible(await work(await calledBy(invocation, meta), args)), isError: false }
    } catch (error) {
      const told = isHandoffError(error)
        ? `${error.code}: ${error.message}\n${error.hint}`
        : `This is a bug in handoff: ${reasonOf(error)}`
      return { text: visible(told), isError: true }
    }
  }
}

/** The invocation with the session that calls now: a server outlives the one that it was started in. `meta` is the client's word on the call. */
export async function calledBy(
  invocation: Invocation,
  meta: Readonly<Record<string, unknown>>,
): Promise<Invocation> {
  const { place } = invocation
  const told = codexSession(meta) ?? (await claudeSession(place))
  return told === null ? invocation : { ...invocation, place: { ...place, env: { ...place.env, ...told } } }
}

/** Codex tells its servers nothing in the environment, but names the thread in each call (0.169). */
function codexSession({ threadId, sessionId }: Readonly<Record<string, unknown>>): Place['env'] | null {
  if (typeof threadId !== 'string') return null
  return {
    CODEX_THREAD_ID: threadId,
    CODEX_SESSION_ID: typeof sessionId === 'string' ? sessionId : threadId,
  }
}

/** Claude Code names in the environment the session that it was started with. */
async function claudeSession(place: Place): Promise<Place['env'] | null> {
  const { CLAUDE_CODE_SESSION_ID: atStart, OMPCODE } = place.env
  if (!atStart || OMPCODE) return null
  const id = (await fromRecord(place)) ?? (await fromHooks(place, atStart))
  return id === null ? null : { CLAUDE_CODE_SESSION_ID: id }
}

/** By the client's own record; it is one of the processes that this one was started by. */
async function fromRecord(place: Place): Promise<string | null> {
  for await (const { pid } of processChain(process.ppid)) {
    const id = await claudeLiveSession(place, pid)
    if (id !== null) return id
  }
  return null
}

/** By what our hooks were told: the session of the start has ended, or never was, and exactly one goes on here. */
async function fromHooks({ root, env }: Place, atStart: string): Promise<string | null> {
  const repo = await openRepo(root, { env })
  const live = (await listLive(repo.commonDir)).filter((one) => one.agent === 'claude-code')
  if (live.some((one) => one.sessionId === atStart && one.endedAt === null)) return null
  const [running, other] = live.filter((one) => one.endedAt === null && one.root === repo.root)
  return running === undefined || other !== undefined ? null : running.sessionId
}

/** A brief for a model that asked for it; of one that is not trusted only its id. Throws `chainClosed` and what finding one throws. */
export async function readForAgent(invocation: Invocation, id: string | undefined): Promise<string> {
  const { repo, loaded } = await openWorkspace(invocation, { isAnswer: true })
  const brief = await findBrief(repo, id ?? 'latest', repo.root)
  const { kind, parents } = brief.parsed.meta
  if (id === undefined && kind === 'done') throw chainClosed(brief.id, parents[0] ?? null)
  const { trusted, because } = await verdictOn(repo, brief)
  if (!trusted) return untrustedLine(brief.id, because)
  // Whoever wrote it may not have looked: what goes to a model is looked through here as well.
  const scanner = await openScanner(invocation.place, repo.root, loaded.config)
  const now = invocation.place.now().getTime()
  const holder = await readPickUp(repo.commonDir, brief.id, now)
  const isOther = holder?.isActing === true && holder.sessionId !== callerOf(invocation.place.env)?.sessionId
  const taken = isOther
    ? ` It was ${takenWords({ ...holder, label: labelOf(holder.agent) }, repo.root, now)}.`
    : ''
  const { value } = await scanner.redact(brief.text)
  return inlinePrompt(value, `What the user asks comes first.${taken}`)
}

/** Lines of the chain, newest first. What stands in a brief that is not trusted is a stranger's text and left out. */
export async function readLogForAgent(
  invocation: Invocation,
  { all = false, limit = 20 }: { all?: boolean; limit?: number },
): Promise<string> {
  const { repo, loaded } = await openWorkspace(invocation, { isAnswer: true })
  const nodes = (await readChain(repo, { all })).sort((a, b) => (a.id < b.id ? 1 : -1)).slice(0, limit)
  const trusted = await trustedAmong(repo, nodes)
  const lines = nodes.map((node) => (trusted.has(node) ? lineOf(node) : `${node.id}  (${UNTRUSTED})`))
  const scanner = await openScanner(invocation.place, repo.root, loaded.config)
  const { value: told } = await scanner.redact(lines)
  return told.length === 0 ? 'No briefs here yet.' : told.join('\n')
}

function lineOf({ id, createdAt, branch, agent, goal, state }: ChainNode): string {
  const told = `${state}: ${goalLine(goal)}`
  return [id, createdAt, branch === null ? 'detached HEAD' : oneLine(branch), oneLine(agent), told].join('  ')
}
