import type { Action } from '../../types/session.ts'
import { numbered, withoutLeadingBlocks } from '../content.ts'
import { type Draft, type DraftOf, endOf } from '../draft.ts'
import { type Fields, fieldsOf, jsonOf, listOf, numberOf, textOf } from '../fields.ts'
import { actionBy, isCopy, questionsIn, TOOLS } from '../tools.ts'

/** The kind of the step that holds the result of a tool; those of other tools have `GENERIC` or a kind of their own. */
const RESULTS: Readonly<Record<string, string>> = {
  run_command: 'RUN_COMMAND',
  view_file: 'VIEW_FILE',
  write_to_file: 'CODE_ACTION',
  replace_file_content: 'CODE_ACTION',
  multi_replace_file_content: 'CODE_ACTION',
  grep_search: 'GREP_SEARCH',
  list_dir: 'LIST_DIRECTORY',
  search_web: 'SEARCH_WEB',
  read_url_content: 'READ_URL_CONTENT',
  generate_image: 'GENERATE_IMAGE',
  invoke_subagent: 'INVOKE_SUBAGENT',
  ask_question: 'ASK_QUESTION',
}
const KINDS: ReadonlySet<string> = new Set(Object.values(RESULTS))

const PATHS = ['AbsolutePath', 'TargetFile', 'SearchPath', 'DirectoryPath']

/** A value as it is: in the shorter of two transcripts each is written as JSON once more. */
function plain(value: unknown): unknown {
  const text = textOf(value)
  if (!/^["[{]/.test(text)) return value
  // A command may begin with a quote.
  return jsonOf(text) ?? value
}

function actionOf(tool: string, input: Fields): Action {
  const paths = PATHS.map((key) => textOf(input[key]).replace(/^file:\/\//, '')).filter((path) => path !== '')
  // A document about the work, in a folder of the client.
  if (input.IsArtifact === true || input.IsArtifact === 'true') return { type: 'other', paths }
  const prompts = listOf(input.Subagents).map((one) => textOf(fieldsOf(one).Prompt))
  const prompt = textOf(input.Prompt) || prompts.join('\n')
  const fields = { command: input.CommandLine, pattern: input.Query, prompt }
  return actionBy(TOOLS.get(tool), fields, paths)
}

interface Open {
  id: string
  tool: string
  cwd: string | null
}

/** Neither calls nor results have ids: a result belongs to the oldest call of its kind that has none. */
export function createAntigravityCalls() {
  const open: Open[] = []
  /** Results that stand before their call: the client writes them as they come. */
  const early: { type: string; step: Fields }[] = []

  function take(type: string): Open | null {
    const alike = open.findIndex(({ tool }) => RESULTS[tool] === type)
    // A kind that no known tool has is that of another tool, or of the only one that waits.
    const other = KINDS.has(type) ? -1 : open.findIndex(({ tool }) => RESULTS[tool] === undefined)
    const only = !KINDS.has(type) && open.length === 1 ? 0 : -1
    const index = [alike, other, only].find((found) => found !== -1)
    return index === undefined ? null : (open.splice(index, 1)[0] ?? null)
  }

  return {
    /** A new request: what never had a result takes none of a later call. */
    begin(): void {
      open.length = 0
      early.length = 0
    },
    call(id: string, { name, args }: Fields, place: number): Draft[] {
      const tool = textOf(name).replace(/^default_api:/, '')
      const given = Object.entries(fieldsOf(args)).map(([key, value]) => [key, plain(value)] as const)
      const input: Fields = Object.fromEntries(given)
      const cwd = textOf(input.Cwd) || null
      open.push({ id, tool, cwd })
      const call: Draft = { kind: 'call', id, tool, action: actionOf(tool, input), by: 'agent', cwd }
      const asked =
        tool === 'ask_question' ? questionsIn(input.questions, (index) => numbered(id, index)) : []
      const held = early.findIndex(
        ({ type, step }) => (RESULTS[tool] ?? 'GENERIC') === type && (numberOf(step.step_index) ?? 0) > place,
      )
      const [found] = held === -1 ? [] : early.splice(held, 1)
      return [call, ...asked, ...(found ? this.result(found.type, found.step) : [])]
    },
    /** Empty while the call is still to come. */
    result(type: string, step: Fields): Draft[] {
      const made = take(type)
      if (made === null) {
        early.push({ type, step })
        return []
      }
      const { id, tool, cwd } = made
      const result = resultOf(id, tool, step)
      if (tool !== 'ask_question') return [{ ...result, cwd }]
      const answers = [...textOf(step.content).matchAll(/^A(\d+): *(.+)$/gm)]
      return [
        result,
        ...answers.map(
          ([, place, text = '']): Draft => ({ kind: 'answer', id: numbered(id, Number(place) - 1), text }),
        ),
      ]
    },
  }
}

const EXITED = /^[ \t]*The command (?:completed successfully|failed with exit code: (-?\d+))/m
/** What the client writes before the output of a command. */
const FRAME =
  /^(?:[ \t]*(?:(?:Created|Completed) At: .*|The command (?:completed|failed) .*|Output:)?\n)*(?:[ \t]*Output:$)?/

function resultOf(id: string, tool: string, { status, content }: Fields): DraftOf<'result'> {
  const whole = textOf(content)
  const deed = TOOLS.get(tool)
  const text = deed === 'run' ? undented(whole.replace(FRAME, '')) : isCopy(deed) ? '' : whole
  if (status === 'ERROR') return endOf(id, false, whole)
  const result = endOf(id, true, text)
  if (deed !== 'run') return result
  const ended = EXITED.exec(whole)
  if (ended === null || status === 'RUNNING') return { ...result, unsure: true }
  const exitCode = Number(ended[1] ?? 0)
  return { ...result, ok: exitCode === 0, exitCode }
}

/** The client indents all lines of an output by the same tabs. */
function undented(text: string): string {
  const lines = text.split('\n')
  let depth = Number.POSITIVE_INFINITY
  for (const line of lines)
    if (line.trim() !== '') depth = Math.min(depth, /^\t*/.exec(line)?.[0].length ?? 0)
  return lines
    .map((line) => line.slice(depth))
    .join('\n')
    .trim()
}

/** The person's own words in what the client sends: what it adds stands in tags of its own. */
export function antigravityPrompt(content: string): string {
  const said = /<USER_REQUEST>([\s\S]*?)(?:<\/USER_REQUEST>|$)/.exec(content)?.[1]
  return said?.trim() ?? withoutLeadingBlocks(content)
}

/** The model that was chosen last, from a sentence of the client; empty where it says nothing. */
export const antigravityModel = (content: string): string =>
  /`?Model Selection`? from .{1,80}? to ([^\n<]{1,80}?)(?:\. |\.?$|\.?\n|\.?<)/m.exec(content)?.[1]?.trim() ??
  ''
