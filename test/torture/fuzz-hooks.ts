import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { adapters } from '../../src/agents/table.ts'
import { HOOK_EVENTS } from '../../src/hook/agent-hook.ts'
import { GIT_EVENTS } from '../../src/hooks/runner.ts'
import { cli } from '../repo/cli.ts'
import type { TempRepo } from '../repo/make-repo.ts'
import { type Cut, cuts, cutUp } from './fuzz-bytes.ts'
import { heldTo } from './fuzz-held.ts'
import type { Subject } from './fuzz-hunt.ts'
import { oddText } from './fuzz-texts.ts'
import { type Edit, edit, edited, jsonOf } from './fuzz-values.ts'

/** What agents and git hand to their hooks. */
export const hookSubjects = (repo: TempRepo): Subject[] =>
  [payloads, hooks(repo), gitHooks(repo)] as Subject[]

const PAYLOAD = {
  ...{
    session_id: 's',
    sessionId: 's',
    transcript_path: '/x.jsonl',
    transcriptPath: '/x.jsonl',
    cwd: '/r',
    hook_event_name: 'SessionStart',
  },
  ...{
    source: 'startup',
    trigger: 'auto',
    reason: 'clear',
    stopReason: 'end',
    prompt: 'go on',
    initialPrompt: 'go',
    last_assistant_message: 'done',
  },
  ...{
    prompt_response: 'done',
    tokens: 90,
    window: 100,
    turn_id: 't',
    model: 'm',
    stop_hook_active: false,
    permission_mode: 'default',
  },
}
const agents = adapters.filter(({ hooks: dialect }) => dialect !== undefined).map(({ id }) => id)
const edits = fc.array(edit, { maxLength: 5 })
const someCuts = fc.oneof({ weight: 3, arbitrary: fc.constant<Cut[]>([]) }, { weight: 1, arbitrary: cuts })

const payloads: Subject<{ edits: Edit[]; said: string; told: string | null }> = {
  kind: 'hook payloads of every dialect',
  operation: 'read, answer',
  counts: [80, 1500],
  inputs: fc.record({ edits, said: oddText, told: fc.oneof(fc.constant(null), oddText) }),
  async meets({ edits: all, said, told }) {
    const text = jsonOf(edited(PAYLOAD, all))
    const payload: unknown = JSON.parse(text)
    for (const { id, hooks: dialect } of adapters)
      for (const event of dialect === undefined ? [] : HOOK_EVENTS) {
        const call = dialect?.read(payload)
        for (const name of ['sessionId', 'path', 'cwd', 'source', 'text'] as const)
          if (call?.[name] !== null && typeof call?.[name] !== 'string')
            throw new Error(`${id}: ${name} is no text`)
        const answer = dialect?.answer(event, { context: told, notice: said }) ?? ''
        if (answer !== '') JSON.parse(answer)
        dialect?.goOn?.(said)
        if (call !== undefined) dialect?.isHeard?.(event, call)
      }
    return 'answered'
  },
}

const hooks = (
  repo: TempRepo,
): Subject<{ edits: Edit[]; cuts: Cut[]; agent: string; event: string; file: string | null }> => ({
  kind: 'hook payloads on standard input',
  operation: 'handoff hook <event> --agent <id>',
  counts: [12, 400],
  inputs: fc.record({
    edits,
    cuts: someCuts,
    agent: fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...agents) }, { weight: 1, arbitrary: oddText }),
    event: fc.oneof(
      { weight: 9, arbitrary: fc.constantFrom(...HOOK_EVENTS) },
      { weight: 1, arbitrary: oddText },
    ),
    file: fc.oneof(
      fc.constant(null),
      oddText,
      edits.map((all) =>
        jsonOf(edited({ type: 'assistant', message: { model: 'm', usage: { input_tokens: 9 } } }, all)),
      ),
    ),
  }),
  async meets({ edits: all, cuts: some, agent, event, file }) {
    const path = join(repo.base, 'transcript.jsonl')
    writeFileSync(path, file ?? '')
    const payload = edited({ ...PAYLOAD, cwd: repo.root, transcript_path: path, transcriptPath: path }, all)
    const stdin = cutUp(Buffer.from(jsonOf(payload)), some).toString('utf8')
    return heldTo('hook', await cli(repo, ['hook', event, '--agent', agent], { stdin }), [0, 2])
  },
})

const ZERO = '0'.repeat(40)

const gitHooks = (
  repo: TempRepo,
): Subject<{ event: string; args: string[]; lines: string[]; cuts: Cut[] }> => ({
  kind: 'arguments and lines of git hooks',
  operation: 'handoff hook <event> -- …',
  counts: [8, 250],
  inputs: fc.record({
    event: fc.constantFrom(...GIT_EVENTS.map(({ name }) => name)),
    args: fc.array(
      fc.oneof(oddText, fc.constantFrom('origin', 'amend', 'rebase', '1', ZERO, 'message', 'HEAD', 'no')),
      { maxLength: 4 },
    ),
    lines: fc.array(
      fc
        .array(
          fc.oneof(oddText, fc.constantFrom('refs/heads/main', 'HEAD', ZERO, 'a'.repeat(40), 'f'.repeat(64))),
          { maxLength: 5 },
        )
        .map((words) => words.join(' ')),
      { maxLength: 4 },
    ),
    cuts: someCuts,
  }),
  async meets({ event, args, lines, cuts: some }) {
    const stdin = cutUp(Buffer.from(lines.map((line) => `${line}\n`).join('')), some).toString('utf8')
    const env = { HANDOFF_GIT_HOOKS_PRE_PUSH: 'true', HANDOFF_GITHOOKS_PREPUSH: 'true' }
    return heldTo(`hook ${event}`, await cli(repo, ['hook', event, '--', ...args], { stdin, env }), [0, 65])
  },
})
