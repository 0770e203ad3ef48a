import { randomBytes } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Command } from 'commander'
import { adapters } from '../agents/table.ts'
import { requestText } from '../brief/request-text.ts'
import { agentBusy, noPane, tmuxUnusable, usage } from '../errors.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, readHead } from '../git/read-head.ts'
import { withLock } from '../store/lock.ts'
import { type Cycle, isEnded, listOpen, type Pending, writePending } from '../store/pending.ts'
import { readPlain } from '../store/plain-file.ts'
import { fileWord } from '../store/private.ts'
import { pasteText, TmuxError } from '../switch/tmux.ts'
import { checkInput, openScanner } from './input-secrets.ts'
import { refreshLatest } from './latest-file.ts'
import { step } from './pending-step.ts'
import { checkPane, findPane, findTarget, isFree, type Target } from './request-target.ts'
import type { CommandModule, Invocation } from './table.ts'
import { openWorkspace, type Workspace } from './workspace.ts'

/** How an agent can be asked. */
export const WAYS = ['tmux', 'hook', 'print'] as const

export function define(command: Command): void {
  command
    .option('--session <id>', 'ask this session; without it the one that worked here last')
    .addOption(command.createOption('--from <agent>', 'ask this agent').choices(adapters.map(({ id }) => id)))
    .addOption(
      command
        .createOption(
          '--via <way>',
          'tmux, hook or print; without it tmux where its pane is found, else print',
        )
        .choices(WAYS),
    )
    .option('--pane <id>', 'the pane of tmux in which it waits, e.g. %3')
    .option('--reason <text>', 'why, as in create', 'manual')
    .option('--cancel <id>', 'give a request up')
    .addHelpText('after', HELP)
}

const HELP = `
Asks a running agent to write down what only it knows, and returns at once; \`handoff await\` waits for the answer, which becomes
notes for the next brief. With hook it is asked when its turn ends.

Example:
  handoff request --pane %3 && handoff await`

export const run: CommandModule['run'] = async (invocation, _args, options) => {
  const { out } = invocation
  const workspace = await openWorkspace(invocation)
  const { repo } = workspace
  await refreshLatest(invocation, repo)
  if (typeof options.cancel === 'string') return cancel(invocation, repo, options.cancel)
  const reason = String(options.reason)
  const scanner = await openScanner(invocation.place, repo.root, workspace.loaded.config)
  await checkInput(scanner, 'reason', reason, false)
  const { target, via, pane } = await chooseWay(invocation, repo, options)
  if ((await openRequestTo(repo, target)) === null && !(await isFree(invocation, repo, target, pane)))
    throw agentBusy(target.adapter.label, target.adapter.hooks?.goOn !== undefined)
  const { pending, isNew } = await beginRequest(invocation, workspace, target, via, pane, reason, null)
  const text = await instructionFor(repo, pending)
  const asked = isNew ? await deliver(invocation, workspace, target, pending, text) : pending
  if (!isNew) out.warn(`this session has been asked already, at ${asked.askedAt}`)
  out.result(via === 'print' ? text : `${asked.requestId}\n`, {
    ok: true,
    ...summaryOf(asked),
    instruction: text,
    warnings: out.warnings,
  })
  if (via === 'print') out.say('Paste this into the session, then: `handoff await`')
  else if (via === 'hook') out.say('It is asked when its turn ends. Then: `handoff await`')
  else out.say(`Asked in pane ${asked.pane}. Then: \`handoff await\``)
  return 0
}

/** Whom to ask and how. Throws what finding the session and the pane throws. */
export async function chooseWay(
  invocation: Invocation,
  repo: Repo,
  options: Record<string, unknown>,
): Promise<{ target: Target; via: Pending['via']; pane: string | null }> {
  const text = (name: string) => (typeof options[name] === 'string' ? (options[name] as string) : undefined)
  const [from, given] = [text('from'), text('via')]
  const target = await findTarget(invocation, repo, {
    session: text('session'),
    from,
  })
  if (given === 'print') return { target, via: 'print', pane: null }
  if (given === 'hook') {
    if (target.adapter.hooks?.goOn === undefined)
      throw usage(`${target.adapter.label} cannot be asked by a hook.`, 'Use --via tmux or --via print.')
    return { target, via: 'hook', pane: null }
  }
  const pane = await findPane(invocation, repo, target.adapter, text('pane'))
  if (pane === null && given === 'tmux') throw noPane(`no pane here shows ${target.adapter.label}`, [])
  return { target, via: pane === null ? 'print' : 'tmux', pane: pane?.id ?? null }
}

/** Writes the request down, unless the session has an open one: then that is the answer. Throws `unsafeFolder`. */
export function beginRequest(
  ...asked: Parameters<typeof findOrWrite>
): Promise<{ pending: Pending; isNew: boolean }> {
  const [, { repo }, { adapter, sessionId }] = asked
  // Of two that run together the second finds the request of the first.
  return withLock(repo.commonDir, `request-${adapter.id}-${fileWord(sessionId)}`, () => findOrWrite(...asked))
}

async function findOrWrite(
  { place }: Invocation,
  { repo }: Workspace & { repo: Repo },
  target: Target,
  via: Pending['via'],
  pane: string | null,
  reason: string,
  cycle: Cycle | null,
): Promise<{ pending: Pending; isNew: boolean }> {
  const known = await openRequestTo(repo, target)
  if (known !== null) return { pending: known, isNew: false }
  const { adapter, sessionId } = target
  const at = place.now().toISOString()
  const requestId = `${at.slice(0, 19).replace(/[-:]/g, '')}-${randomBytes(4).toString('hex')}`
  const file = `.handoff/requests/${requestId}.md`
  // A folder that leads elsewhere is told before anybody is asked to write there.
  await readPlain(repo.root, file)
  const head = await repo.git(['rev-parse', '-q', '--verify', 'HEAD'], { answers: [1] })
  const pending: Pending = {
    schemaVersion: 1,
    requestId,
    agent: adapter.id,
    sessionId,
    root: repo.root,
    branch: branchName((await readHead(repo)).ref),
    head: head.trim() || null,
    reason,
    file,
    path: join(repo.root, file),
    via,
    pane,
    state: 'asked',
    askedAt: at,
    changedAt: at,
    stoppedAt: null,
    failure: null,
    cycle,
  }
  await writePending(repo.commonDir, pending)
  return { pending, isNew: true }
}

/**
 * An agent may not be allowed to make it. What it writes there nobody has looked through for secrets: git ignores the folder and all in
 * it, so that no `git add` takes it, and the work tree stays clean.
 */
async function makeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, IGNORE), '*\n', { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
  })
}

/** Stands in the folder of documents as long as that is there. */
export const IGNORE = '.gitignore'

const openRequestTo = async ({ commonDir }: Repo, { adapter, sessionId }: Target): Promise<Pending | null> =>
  (await listOpen(commonDir)).find(
    (one) => !isEnded(one) && one.agent === adapter.id && one.sessionId === sessionId,
  ) ?? null

/** The instruction, by the repository's own template where it has one. Throws `badTemplate`. */
export async function instructionFor(repo: Repo, { requestId, path }: Pending): Promise<string> {
  const place = '.handoff/templates/request.txt'
  const text = await readPlain(repo.root, place)
  return requestText(requestId, path, text === null ? null : { text, place })
}

/** Brings the instruction to the agent; a hook fetches it by itself. Throws `paneGone`, `noPane`, `tmuxUnusable`; then the request has failed. */
export async function deliver(
  invocation: Invocation,
  { repo, loaded }: Workspace & { repo: Repo },
  { adapter }: Target,
  pending: Pending,
  text: string,
): Promise<Pending> {
  const { place } = invocation
  await makeFolder(dirname(pending.path))
  if (pending.via === 'hook') return step(place, repo, pending, {}, loaded.own)
  if (pending.via === 'print' || pending.pane === null)
    return step(place, repo, pending, { state: 'delivered' }, loaded.own)
  try {
    await checkPane(invocation, repo, adapter, pending.pane)
    await pasteText(place.env, pending.pane, text)
  } catch (error) {
    const known = error instanceof TmuxError ? tmuxUnusable(error.message) : (error as Error)
    const code = 'code' in known ? String(known.code) : 'E_UNEXPECTED'
    await step(
      place,
      repo,
      pending,
      { state: 'failed', failure: { code, message: known.message } },
      loaded.own,
    )
    throw known
  }
  return step(place, repo, pending, { state: 'delivered' }, loaded.own)
}

/** What the world may know of a request, in the order in which it is told. */
const TOLD = [
  'requestId',
  'state',
  'agent',
  'sessionId',
  'path',
  'via',
  'pane',
  'askedAt',
  'changedAt',
  'stoppedAt',
  'failure',
  'cycle',
] as const satisfies readonly (keyof Pending)[]

export const summaryOf = (pending: Pending): Pick<Pending, (typeof TOLD)[number]> =>
  Object.fromEntries(TOLD.map((name) => [name, pending[name]])) as Pick<Pending, (typeof TOLD)[number]>

async function cancel(invocation: Invocation, repo: Repo, id: string): Promise<0> {
  const { place, out } = invocation
  const open = (await listOpen(repo.commonDir)).filter((one) => !isEnded(one) && one.requestId.startsWith(id))
  const [pending] = open
  if (pending === undefined || open.length > 1)
    throw usage(`There is no one open request ${id}.`, 'handoff status lists them.')
  const cancelled = await step(place, repo, pending, { state: 'cancelled' })
  out.result(`Given up: ${pending.requestId}`, { ok: true, ...summaryOf(cancelled), warnings: out.warnings })
  return 0
}
