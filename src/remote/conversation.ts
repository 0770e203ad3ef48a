import type { Trajectory } from '../agents/atif/write.ts'
import { readCheckout } from '../briefs/current.ts'
import type { Invocation } from '../command.ts'
import { conversationMissing, workPushRefused } from '../errors/work.ts'
import { treesWith } from '../git/build-tree.ts'
import { writeCommit } from '../git/commit-files.ts'
import { objectId } from '../git/files.ts'
import { type Far, fetchRefs, listRemote, pushRefs } from '../git/network.ts'
import { writeObjects } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { originUrl, readConfig } from '../git/settings.ts'
import { hideHomes } from '../secrets/scanner.ts'
import { readConversation } from '../session/conversation.ts'
import { findSessionBehind } from '../session/session-behind.ts'
import { readLedger } from '../store/ledger.ts'
import { recordWork, writeSaid } from '../store/works.ts'
import { bytesText, plural } from '../text/count.ts'
import { SAID } from '../work/send-work.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'
import { openScanner, privateNames } from '../workspace/input-secrets.ts'
import type { RepoWorkspace } from '../workspace/workspace.ts'

const FILE = 'conversation.json'
/** Bytes of a conversation that is sent; of a longer one its end. */
const MOST = 4 << 20

/** What was sent, as `--json` has it. */
export interface SentConversation {
  ref: string
  steps: number
  bytes: number
}

/**
 * Sends the conversation behind the open brief, without secrets and homes, after it has said what that holds. Null: the person did not want
 * that then, or `dryRun`. Throws `conversationMissing`, `workPushRefused` and what reading and pushing throw.
 */
export async function sendConversation(
  invocation: Invocation,
  { repo, root, roots, loaded }: RepoWorkspace,
  far: Far,
  dryRun: boolean,
): Promise<SentConversation | null> {
  const { out, place } = invocation
  const { current } = await readCheckout(repo)
  const picked = current && (await findSessionBehind(invocation, repo, roots, current, true))
  if (current === null || picked === null) throw conversationMissing(current?.id ?? null)
  const { id } = current
  const scanner = await openScanner(place, root, loaded.config)
  const { document, redacted } = await readConversation(invocation, picked, scanner)
  const { identity } = await readConfig(repo)
  const { userNames } = privateNames(invocation, identity.name)
  const told = { ...document, agent: { ...document.agent, extra: { ...document.agent.extra, root } } }
  const { steps, text } = endOf(hideHomes(told, place.home, userNames))
  const own = steps.filter(({ source }) => source === 'user').length
  const secrets = Object.values(redacted).reduce((sum, count) => sum + count, 0)
  const cut = document.steps.length - steps.length
  const parts = [
    `${plural(steps.length, 'step')}, ${own} of them yours`,
    bytesText(Buffer.byteLength(text)),
    ...(cut > 0 ? [`without the first ${cut} steps`] : []),
    `${plural(secrets, 'secret')} replaced`,
  ]
  out.say(
    `The conversation behind ${id}: ${parts.join(', ')}. Requests, replies, commands and their output; whoever may read ${far.remote} may read it.`,
  )
  if (dryRun || (mayAsk(invocation) && !(await isWanted(invocation)))) return null
  const blob = { type: 'blob', content: Buffer.from(text) } as const
  const none = { commit: null, text: '', folders: new Map() }
  const { root: tree, trees } = treesWith(repo, none, [{ path: FILE, oid: objectId(repo, blob) }])
  await writeObjects(repo, [blob, ...trees])
  const message = `handoff: the conversation behind ${id}\n`
  const { commit } = await writeCommit(repo, { tree, parents: [], message, sign: false })
  const ref = `${SAID}${id}`
  const before = (await listRemote(repo, far, [ref])).get(ref) ?? ''
  const { pushed } = await pushRefs(repo, far, [[commit, ref, before]], ['--no-verify'])
  const [one] = pushed
  if (one === undefined || one.state === 'refused') throw workPushRefused(far.remote, id, one?.says ?? '')
  const at = place.now().toISOString()
  const branch = current.parsed.meta.branch ?? ''
  const record = { id: `${id}.said`, at, branch, commit, state: 'said', remote: far.remote, ref } as const
  await recordWork(repo.commonDir, record)
  return { ref, steps: steps.length, bytes: Buffer.byteLength(text) }
}

/** As many of the last steps as fit. */
function endOf(document: Trajectory): { steps: Trajectory['steps']; text: string } {
  let left = MOST
  const first = document.steps.findLastIndex((step) => {
    left -= Buffer.byteLength(JSON.stringify(step)) + 1
    return left < 0
  })
  const steps = document.steps.slice(first + 1).map((step, at) => ({ ...step, step_id: at + 1 }))
  const notes = first < 0 ? {} : { notes: `Without the first ${first + 1} steps.` }
  const { schema_version, session_id, agent } = document
  return { steps, text: `${JSON.stringify({ schema_version, session_id, agent, ...notes, steps })}\n` }
}

const isWanted = (invocation: Invocation): Promise<boolean> =>
  ask(invocation, (questions) =>
    questions.one({
      message: 'Send it?',
      choices: [
        { value: 'no', label: 'No' },
        { value: 'yes', label: 'Yes' },
      ],
      initial: 'no',
      onEscape: 'no',
    }),
  ).then((answer) => answer === 'yes')

/**
 * Fetches the conversation beside a brief, for `ask`, from an origin that the person trusts: nothing binds it to the brief. A line that says
 * so, or how to; null where there is none.
 */
export async function takeConversation(
  repo: Repo,
  far: Far,
  listed: ReadonlyMap<string, string>,
  id: string,
): Promise<string | null> {
  const ref = `${SAID}${id}`
  const oid = listed.get(ref)
  if (oid === undefined) return null
  const { origin } = await readLedger(repo.commonDir)
  if (far.remote !== 'origin' || origin === null || origin !== (await originUrl(repo)))
    return 'Its conversation is there, too; it is read only from an origin that you trust: `git handoff trust --origin`, then open it again.'
  await fetchRefs(repo, far, [ref])
  const [blob] = await repo.objects.read([`${oid}:${FILE}`], 2 * MOST)
  if (blob?.type !== 'blob') return null
  await writeSaid(repo.commonDir, id, blob.content.toString('utf8'))
  return 'Its conversation came along: `git handoff ask "<question>"` and `why` quote it.'
}
