import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

/** What a part of a user row really is. */
type UserPart =
  | { is: 'words'; text: string }
  | { is: 'skill'; name: string }
  /** The person's own `!` command. */
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
  return listOf(message.content)
    .map(fieldsOf)
    .filter((part, index) => {
      const from = textOf(fieldsOf(fieldsOf(source[index]).provenance).type)
      // Skill texts come from `skills`, and their names are wanted.
      return from !== 'harness' && from !== 'tool' && textOf(part.text) !== ''
    })
    .map((part) => textOf(part.text))
}

/** The fixed text before a summary that another model wrote (0.98 … 0.169). */
const SUMMARY_PREFIX = /^Another language model started to solve this problem[\s\S]*?\n(?=\S)/

/** A compaction's summary without the sentence the client puts before it. */
export const summaryText = (message: string): string => message.replace(SUMMARY_PREFIX, '').trim()
