import type { Action, FileTouch, PlanItem } from '../types/session.ts'
import { firstText, labelsOf, pathsUnder } from './content.ts'
import { callOf, type Draft, type DraftOf, endOf, type Known } from './draft.ts'
import { type Fields, itemsOf, textOf } from './fields.ts'

/** What a tool does: `list` searches for any name, `create` and `update` change the files that are named, `patch` those in a text. */
type Deed = 'read' | 'run' | 'search' | 'list' | 'task' | 'create' | 'update' | 'patch'
export type Tools = ReadonlyMap<string, Deed>

const NAMES: Readonly<Record<Deed, string>> = {
  read: `fs_read NotebookRead Read read read_file read_file_range read_files read_many_files readCode ReadFile readFile
    readMultipleFiles view view_file view_image`,
  create: 'Create create create_file create_new_file fsWrite Write',
  update: `Edit edit edit_existing_file edit_file edit_notebook_file editCode EditNotebook editor fs_write fsAppend
    insert_edit_into_file multi_edit multi_replace_file_content multi_replace_string_in_file MultiEdit multiedit NotebookEdit
    notebook_edit replace replace_file_content replace_string_in_file search_replace single_find_and_replace str_replace
    str_replace_editor StrReplace strReplace undo_edit write write_file write_to_file`,
  patch: 'apply_patch ApplyPatch patch',
  run: `Bash bash bash_command container.exec exec_command Execute execute_bash execute_cmd executeBash executePwsh
    local_shell PowerShell powershell run_command run_commands run_in_terminal run_shell_command run_terminal_cmd
    run_terminal_command shell Shell shell_command terminal unified_exec`,
  search: `ast_grep codebase_search codebase_search_agent file_glob_search file_search fileSearch find finder Glob glob
    Grep grep grep_search grepSearch list_code_usages rg Search search search_codebase search_file_content
    search_workspace_symbols semantic_search SemanticSearch`,
  list: 'list List list_dir list_directory listDirectory LS ls tree view_subdirectory',
  task: `Agent agent delegate execute_task execution_subagent followup_task invoke_agent invoke_subagent invokeSubAgent
    runSubagent search_subagent send_input send_message spawn_agent subagent Subagent Task task team_run_task use_subagent`,
}

const named = (names: Partial<Record<Deed, string>>): [string, Deed][] =>
  Object.entries(names).flatMap(([deed, all]) =>
    all.split(/\s+/).map((name): [string, Deed] => [name, deed as Deed]),
  )

/** The tools of all agents by name: of 130 names three mean two things. Other names come from MCP servers and extensions. */
export const TOOLS: Tools = new Map(named(NAMES))

/** The same for an agent that means other things by some names. */
export const toolsBy = (names: Partial<Record<Deed, string>>): Tools => new Map([...TOOLS, ...named(names)])

/** What a call attempts; what an agent names as no other does, it hands over under the first of these names. */
export function actionBy(deed: Deed | undefined, input: Fields, paths = pathsUnder(input)): Action {
  switch (deed) {
    case 'read':
      return { type: 'read', paths }
    case 'run':
      return { type: 'run', command: firstText(input.command, input.cmd) }
    case 'search':
      return {
        type: 'search',
        pattern: firstText(input.pattern, input.glob_pattern, input.filePattern, input.query),
        paths,
      }
    case 'list':
      return { type: 'search', pattern: '*', paths }
    case 'task':
      return { type: 'task', prompt: firstText(input.prompt, input.description) }
    case 'create':
    case 'update':
      return { type: 'edit', files: paths.map((path) => ({ path, change: deed })) }
    case 'patch':
      return { type: 'edit', files: patchFiles(firstText(input.patchText, input.input, input.patch)) }
    default:
      return { type: 'other', paths }
  }
}

export const isCopy = (deed: Deed | undefined): boolean =>
  deed !== undefined && deed !== 'run' && deed !== 'task'

/** Our own skill, also under the name of our plugin. */
export const isOwnSkill = (name: string): boolean => name.split(':').includes('handoff')

/** A skill by its name; our own is the way a session ends, not something the next one needs. */
export const skillOf = (name: string): DraftOf<'skill'>[] =>
  name === '' || isOwnSkill(name) ? [] : [{ kind: 'skill', name }]

/** A file that the person named with `@`: the client reads it into the conversation. */
export const readByUser = (id: string, path: string, type: 'read' | 'other' = 'read'): Draft[] =>
  path === '' ? [] : [callOf(id, '@', { type, paths: [path] }, { by: 'user' }), endOf(id, true)]

/** A command that the person ran with `!`, and how it ended. */
export const shellByUser = (
  id: string,
  command: string,
  { ok, text, ...more }: Known & { ok: boolean; text: string },
): Draft[] => [callOf(id, '!', { type: 'run', command }, { by: 'user' }), endOf(id, ok, text, more)]

export const questionsIn = (
  questions: unknown,
  idOf: (index: number, question: Fields) => string,
): DraftOf<'question'>[] =>
  itemsOf(questions).map((asked, index) => ({
    kind: 'question',
    id: idOf(index, asked),
    text: textOf(asked.question),
    options: labelsOf(asked.options),
  }))

/** The items of a plan, whose texts stand under `key`; `more`: what else an agent says of one. */
export const planItems = (
  items: unknown,
  key: string,
  more: (item: Fields) => Partial<PlanItem> = () => ({}),
): PlanItem[] =>
  itemsOf(items)
    .map((item) => ({ text: textOf(item[key]).trim(), status: planStatus(item.status), ...more(item) }))
    .filter(({ text }) => text !== '')

const STATUS: ReadonlyMap<string, PlanItem['status']> = new Map([
  ['done', 'done'],
  ['completed', 'done'],
  ['in_progress', 'in_progress'],
  ['in-progress', 'in_progress'],
  ['cancelled', 'cancelled'],
  ['abandoned', 'cancelled'],
])

export const planStatus = (word: unknown): PlanItem['status'] =>
  STATUS.get(textOf(word).toLowerCase()) ?? 'pending'

const PATCH_LINE = /^\*\*\* (Add File|Update File|Delete File|Move to): (.+?)[ \t\r]*$/gm
const CHANGES = { 'Add File': 'create', 'Update File': 'update', 'Delete File': 'delete' } as const

/** Files that an apply_patch text names, in its order; empty when it is no patch. */
export function patchFiles(patch: string): FileTouch[] {
  const files: FileTouch[] = []
  for (const [, what, path = ''] of patch.matchAll(PATCH_LINE)) {
    const last = files.at(-1)
    if (what === 'Move to') {
      if (last) files[files.length - 1] = { path, change: 'rename', from: last.path }
    } else files.push({ path, change: CHANGES[what as keyof typeof CHANGES] })
  }
  return files
}

/** A call that looks into a brief. Before the name of our tool stands the server's, as each client writes it. */
export function readsBrief({ tool, action }: { tool: string; action: Action }): boolean {
  if (/(?:^|[^a-z])handoff_read$/.test(tool)) return true
  if (action.type === 'run')
    return /\.handoff\/(?:latest\.md|briefs\/)|\bhandoff (?:show|resume)\b/.test(action.command)
  const paths = action.type === 'read' ? action.paths : []
  return paths.some((path) => /(?:^|[\\/])\.handoff[\\/](?:latest\.md$|briefs[\\/])/.test(path))
}
