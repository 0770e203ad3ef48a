import { partTexts } from '../content.ts'
import { type Fields, fieldsOf, itemsOf, listOf, numberOf, recordOf, textOf } from '../fields.ts'

const EXIT = /(?:^|\n)(?:Process exited with code|Exit code:) ?(-?\d+)/
const SESSION = /(?:^|\n)Process running with session ID (\d+)/
const REFUSED = /(?:^|\n)aborted (?:by user|before dispatch)|rejected by (?:the )?user(?! approval)/
const REJECTED =
  /^(?:[\w.]+ failed(?: for|:)|failed to parse|unsupported call|apply_patch verification failed|patch rejected|execution error|command timed out)/

/**
 * Reads the output of a function call: a header with the status and `Output:` (0.98 … 0.169), or JSON
 * `{"output", "metadata": {"exit_code"}}` (0.98 and before), or bare text. `session`: the process goes on, and its end is told to whoever asks
 * for this later. `refused`: by the person; `rejected`: the tool itself gave up, so nothing ran.
 */
export function readOutput(output: unknown) {
  const raw = outputText(output)
  const json = raw.startsWith('{"output":') ? recordOf(raw) : {}
  if ('output' in json)
    return {
      exitCode: numberOf(fieldsOf(json.metadata).exit_code),
      text: textOf(json.output),
      session: null,
      refused: false,
      rejected: false,
    }
  // The status stands before the output, which may quote anything; a long command line may stand before the status.
  const cut = raw.search(/(?:^|\n)Output:(?:\n|$)/)
  const header = cut === -1 ? raw : raw.slice(0, cut)
  const exit = EXIT.exec(header)
  return {
    exitCode: exit ? Number(exit[1]) : null,
    text: cut === -1 ? raw : raw.slice(raw.indexOf('Output:', cut) + 8),
    session: SESSION.exec(header)?.[1] ?? null,
    refused: !exit && REFUSED.test(raw),
    rejected: !exit && REJECTED.test(raw),
  }
}

export const outputText = (output: unknown): string => partTexts(output).join('\n')

interface ScriptEnd {
  state: 'completed' | 'failed' | 'running'
  cell: string | null
  /** The one exit status that the script printed; null when it printed none or several. */
  exitCode: number | null
  /** The one process that the script printed as still running; null when it printed none or several. */
  session: string | null
  /** Time that this answer took, in seconds; null when it does not say. */
  seconds: number | null
  text: string
  parts: Answer[]
}

/** Reads the output of code mode's `exec` and `wait` (0.142 … 0.169). */
export function readScriptEnd(output: unknown): ScriptEnd {
  const [first = '', ...parts] = partTexts(output)
  const lead = first.slice(first.indexOf('Output:\n') + 8)
  const rest = [...(first.includes('Output:\n') && lead.trim() ? [lead] : []), ...parts]
  const answers = rest.map(answerIn)
  const codes = answers.flatMap((answer) => answer?.exitCode ?? [])
  const sessions = answers.flatMap((answer) => answer?.session ?? [])
  return {
    state: first.startsWith('Script failed')
      ? 'failed'
      : first.startsWith('Script running')
        ? 'running'
        : 'completed',
    cell: /^Script running with cell ID (\S+)/.exec(first)?.[1] ?? null,
    exitCode: codes.length === 1 ? (codes[0] ?? null) : null,
    session: sessions.length === 1 && codes.length === 0 ? (sessions[0] ?? null) : null,
    seconds: numberOf(Number(/^Wall time ([\d.]+) seconds/m.exec(first)?.[1] ?? undefined)),
    text: rest.flatMap((part, index) => answers[index]?.text ?? (answers[index] ? [] : part)).join('\n'),
    parts: rest.map((part, index) => answers[index] ?? { exitCode: null, session: null, text: part }),
  }
}

interface Answer {
  exitCode: number | null
  session: string | null
  /** What the command said; null when the answer is its status alone. */
  text: string | null
}

// Scripts print a whole answer as JSON, or its status alone; anything else could be a quotation.
function answerIn(part: string): Answer | null {
  const alone = /^\s*(exit(?:[_ ]?code)?|session[_ ]?id)\s*[:=]\s*(-?\d+)\s*$/i.exec(part)
  if (alone) {
    const isExit = alone[1]?.toLowerCase().startsWith('exit')
    return {
      exitCode: isExit ? Number(alone[2]) : null,
      session: isExit ? null : (alone[2] ?? null),
      text: null,
    }
  }
  if (!part.startsWith('{') || !/"(?:exit_code|session_id)"/.test(part)) return null
  // Cut by the client's own limit, or not JSON after all, it is text.
  const answer = recordOf(part)
  const [exitCode, session] = [numberOf(answer.exit_code), numberOf(answer.session_id)]
  if (exitCode === null && session === null) return null
  return { exitCode, session: session === null ? null : String(session), text: textOf(answer.output) }
}

type UserPart =
  | { is: 'words'; text: string }
  | { is: 'skill'; name: string }
  | { is: 'shell'; command: string; exitCode: number | null; output: string }
  | { is: 'injected' }

/** Rows that the client writes in the person's name (0.98 … 0.169; names from its binary). */
const INJECTED = new RegExp(
  [
    '^(?:# AGENTS\\.md instructions|<(?:environment_context|user_instructions|permissions instructions|INSTRUCTIONS',
    '|skills_instructions|plugins_instructions|apps_instructions|collaboration_mode|multi_agent_mode|personality_spec',
    '|app-context|turn_aborted|hook_prompt|recommended_plugins|subagent_notification|codex_internal_context|user_action',
    '|realtime_conversation|image_resize_notice|current_time_unavailable|token_budget|rollout_budget|model_switch',
    '|proposed_plan|external_[a-z_]+)[ >])',
  ].join(''),
)
const SKILL = /^<skill>\s*<name>([^<]+)<\/name>/
const SHELL =
  /^<user_shell_command>\s*<command>\n?([\s\S]*?)\n?<\/command>\s*<result>\n(?:Exit code: (-?\d+)\n)?(?:Duration: [^\n]*\n)?(?:Output:\n)?([\s\S]*?)\n?<\/result>/
/** The desktop client puts mentioned files and open tabs before the words. */
const REQUEST = /^# (?:Files mentioned|Context from my)[\s\S]*?\n## My request for Codex:\n/

/** Tells a person's words from what the client wrote in their name. */
export function userPart(raw: string): UserPart {
  const text = raw.trim()
  const skill = SKILL.exec(text)
  if (skill) return { is: 'skill', name: (skill[1] ?? '').trim() }
  const shell = SHELL.exec(text)
  if (shell)
    return {
      is: 'shell',
      command: shell[1] ?? '',
      exitCode: shell[2] === undefined ? null : Number(shell[2]),
      output: shell[3] ?? '',
    }
  const words = text.replace(REQUEST, '').trim()
  if (words === '' || INJECTED.test(words)) return { is: 'injected' }
  return { is: 'words', text: words }
}

/** Texts of a `message` of the role user, without the parts that its provenance says a person did not write. */
export function messageTexts(message: Fields): string[] {
  const source = listOf(fieldsOf(message.internal_chat_message_metadata_passthrough).content_item_metadata)
  return itemsOf(message.content)
    .filter((part, index) => {
      const from = textOf(fieldsOf(fieldsOf(source[index]).provenance).type)
      // Skill texts come from `skills`, and their names are wanted.
      return from !== 'harness' && from !== 'tool' && textOf(part.text) !== ''
    })
    .map((part) => textOf(part.text))
}

/** The fixed text before a summary that another model wrote (0.98 … 0.169). */
const SUMMARY_PREFIX = /^Another language model started to solve this problem[\s\S]*?\n(?=\S)/

export const summaryText = (message: string): string => message.replace(SUMMARY_PREFIX, '').trim()
