import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findSessions } from '../agents/find.ts'
import { checkGoal } from '../brief/goal.ts'
import type { Invocation } from '../command.ts'
import { badGoal, GOAL_EXAMPLE, GOAL_GUIDANCE, goalTooLong } from '../errors/goal.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { shorten } from '../extract/prose.ts'
import { adapterOf } from '../session/pick-session.ts'
import { readSession } from '../session/read-session.ts'
import { openHere } from '../session/session-place.ts'
import { writePrivate } from '../store/private.ts'
import { shellWord } from '../text/shell-word.ts'
import type { Evidence } from '../types/evidence.ts'
import { ask, mayAsk } from '../workspace/at-terminal.ts'
import { maskSecrets, openScanner } from '../workspace/input-secrets.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { CreateRequest } from './create-request.ts'
import { editDraft, editorOf } from './edit-brief.ts'

/** The goal, asked for again at a terminal when it says too little. Throws `badGoal`, `goalTooLong`. */
export async function settleGoal(
  invocation: Invocation,
  request: CreateRequest,
  workspace: Workspace,
): Promise<{ goal: string; vague: boolean }> {
  const { minLength } = workspace.loaded.config.goal
  let { goal } = request
  let proposal: string | null = null
  for (;;) {
    const verdict = checkGoal(goal, { minLength, allowVague: request.allowVague === true })
    if (verdict.ok) return { goal, vague: verdict.vague }
    if (verdict.rule === 'too-long') {
      const name = `drafts/goal-${invocation.place.now().toISOString().replace(/[:.]/g, '-')}.txt`
      const scanner = await openScanner(invocation.place, workspace.root, workspace.loaded.config)
      const { value: clean } = await scanner.redact(goal)
      const kept = workspace.repo === null ? null : await writePrivate(workspace.repo.commonDir, name, clean)
      throw goalTooLong(verdict.bytes, kept)
    }
    const problem = badGoal(verdict.rule, verdict.detail)
    if (!mayAsk(invocation)) throw problem
    proposal ??= await proposeGoal(invocation, workspace)
    goal = await askGoal(invocation, { ...verdict, goal, proposal })
  }
}

/**
 * Asks for the goal, with the guidance, an example, a proposal and what was wrong with the one given; one of several lines in the
 * person's editor. Throws `cancelled`, and what `editDraft` throws.
 */
const askGoal = (
  invocation: Invocation,
  { rule, detail, goal, proposal }: { rule: string; detail: string; goal: string; proposal: string },
): Promise<string> =>
  ask(invocation, async (questions) => {
    const lines = [
      ...(rule === 'empty' ? [] : [`${rule}: ${detail} (\`--allow-vague\` accepts it)`]),
      `Example: ${GOAL_EXAMPLE}`,
    ]
    const isLong = goal.includes('\n')
    if (isLong) invocation.out.say([GOAL_GUIDANCE, ...lines].join('\n'))
    const typed = isLong
      ? goal
      : await questions.text({
          message: GOAL_GUIDANCE,
          lines: [...lines, ...(proposal === '' ? [] : [`Proposed: ${proposal}`])],
          keys:
            proposal === ''
              ? 'Enter alone opens your editor, for several lines.'
              : `${goal.trim() === '' ? 'Enter' : 'An empty line'} accepts it, e edits it.`,
          initial: goal.trim() === '' ? '' : goal,
        })
    if (proposal !== '' && typed === '') return proposal
    if (proposal !== '' && typed === 'e') return editGoal(invocation, proposal)
    return typed === '' || typed.includes('\n') ? editGoal(invocation, typed) : typed
  })

/** The file stays where it is when the editor fails: what was typed is named, not lost. */
async function editGoal({ place }: Invocation, typed: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'handoff-goal-'))
  const draft = join(folder, 'goal.txt')
  await writeFile(draft, typed)
  const goal = await editDraft(editorOf(place.env, null), draft, place)
  await rm(folder, { recursive: true, force: true })
  return goal.trim()
}

/** Says a goal that was typed at a question again where nothing came of it; one that was refused for a secret stays unsaid. */
export async function tellGoal({ out, place }: Invocation, goal: string, error: unknown): Promise<void> {
  if (isHandoffError(error) && error.code === 'E_SECRET_INPUT') return
  const word = shellWord(goal)
  out.say('The goal that was typed, for the next call:')
  out.quote(
    await maskSecrets(`  npx git-handoff create ${word.startsWith("'-") ? '-- ' : ''}${word}`, place.env),
  )
}

/** Characters, and open items of a plan. */
const MAX_LENGTH = 200
const MAX_ITEMS = 3

/**
 * A goal for the next session, from the newest session of this worktree and branch: the open items of its plan, else its last request,
 * secrets replaced. Empty when there is none, it cannot be read, or it says too little for a goal.
 */
async function proposeGoal({ place }: Invocation, workspace: Workspace): Promise<string> {
  const { root, roots, loaded } = workspace
  const { own } = openHere(workspace)
  const found = await findSessions(place, [...roots], undefined, { own, onMissed: () => undefined })
  const [ref] = await own(found)
  if (ref === undefined) return ''
  const scanner = await openScanner(place, root, loaded.config)
  const { extractor } = await readSession({ adapter: adapterOf(ref), ref, isOurs: true }, place, scanner)
  const evidence = extractor.finish({
    ...{ git: null, goal: '', focus: null, inherited: null, agent: null },
    ...{ sessionId: ref.id, config: loaded.config },
  })
  const { value } = await scanner.redact(nextOf(evidence))
  const { minLength } = loaded.config.goal
  return value.find((goal) => checkGoal(goal, { minLength, allowVague: false }).ok) ?? ''
}

/** The open items, the items with the last request, and the request alone: what comes first says most. A request that only says a rule asks for nothing, nor does one that ended in a commit. */
function nextOf({ plan, turns, constraints }: Evidence): string[] {
  const open = plan.filter(({ status }) => status === 'in_progress' || status === 'pending')
  const rules = new Set(constraints.map(({ text }) => text))
  const items = open.slice(0, MAX_ITEMS).map(({ text }) => text.replace(/[.;]\s*$/, ''))
  const last = turns.findLast((turn) => !rules.has(turn.request.trim()))
  const request = last?.request ?? ''
  // What ended in a commit is most likely done.
  if (items.length === 0 && last?.steps.at(-1)?.kind === 'commit') return []
  const goals = items.length === 0 ? [request] : [items.join('; '), [...items, request].join('; '), request]
  return goals.map((goal) => shorten(goal.replace(/\s+/g, ' ').trim(), MAX_LENGTH))
}
