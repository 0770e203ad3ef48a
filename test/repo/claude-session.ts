import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TempRepo } from './make-repo.ts'

/** One step of a conversation, in the words of a test. */
export type Step =
  | { user: string }
  | { says: string }
  | { bash: string; exit?: number; output?: string }
  | { read: string; shows?: string }
  | { edit: string; fails?: boolean }
  | { write: string }
  | { skill: string }
  | { todo: { content: string; status: 'pending' | 'in_progress' | 'completed' }[] }
  | { raw: object }

export interface SessionOptions {
  id?: string
  /** Time of the last record; default a minute before `NOW`. */
  end?: Date
  cwd?: string
  /** Branch that every record names; default `main`. */
  branch?: string
  /** Text put after the last line as it is: a torn record. */
  torn?: string
}

/** Writes a Claude Code 2.1 transcript of these steps where Claude Code would, and returns its path. */
export function writeClaudeSession(
  repo: Pick<TempRepo, 'root' | 'home'>,
  steps: readonly Step[],
  options: SessionOptions = {},
): string {
  const id = options.id ?? '11111111-2222-4333-8444-555555555555'
  const cwd = options.cwd ?? repo.root
  const end = options.end ?? new Date('2026-11-22T09:59:00.000Z')
  const records: object[] = []
  let calls = 0
  const put = (record: object): void => {
    records.push(record)
  }
  const assistant = (content: object[]): void =>
    put({
      type: 'assistant',
      message: {
        id: `msg_${records.length}`,
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content,
        usage: {
          input_tokens: 100,
          output_tokens: 10,
          cache_read_input_tokens: 0,
          cache_creation_input_tokens: 0,
        },
      },
    })
  const call = (name: string, input: object, result: string, isError: boolean, detail: unknown): void => {
    const tool = `toolu_${calls++}`
    assistant([{ type: 'tool_use', id: tool, name, input }])
    put({
      type: 'user',
      message: {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: tool, content: result, ...(isError ? { is_error: true } : {}) },
        ],
      },
      toolUseResult: detail,
    })
  }
  const absolute = (path: string): string => join(cwd, path)
  for (const step of steps) {
    if ('user' in step)
      put({
        type: 'user',
        message: { role: 'user', content: step.user },
        promptSource: 'typed',
        origin: { kind: 'human' },
      })
    else if ('says' in step) assistant([{ type: 'text', text: step.says }])
    else if ('bash' in step) {
      const output = step.output ?? ''
      const failed = (step.exit ?? 0) !== 0
      const text = failed ? `Exit code ${step.exit}\n${output}` : output
      call(
        'Bash',
        { command: step.bash },
        text,
        failed,
        failed ? `Error: ${text}` : { stdout: output, stderr: '', interrupted: false, isImage: false },
      )
    } else if ('read' in step)
      call('Read', { file_path: absolute(step.read) }, `1\t${step.shows ?? 'line'}`, false, {
        type: 'text',
        file: { filePath: absolute(step.read) },
      })
    else if ('edit' in step)
      step.fails === true
        ? call(
            'Edit',
            { file_path: absolute(step.edit), old_string: 'a', new_string: 'b' },
            '<tool_use_error>String to replace not found in file.</tool_use_error>',
            true,
            'Error: String to replace not found in file.',
          )
        : call(
            'Edit',
            { file_path: absolute(step.edit), old_string: 'a', new_string: 'b' },
            'The file has been updated.',
            false,
            { filePath: absolute(step.edit), oldString: 'a', newString: 'b', structuredPatch: [] },
          )
    else if ('write' in step)
      call('Write', { file_path: absolute(step.write), content: 'x' }, 'File created successfully', false, {
        type: 'create',
        filePath: absolute(step.write),
        content: 'x',
        structuredPatch: [],
      })
    else if ('skill' in step)
      call('Skill', { skill: step.skill }, `Launching skill: ${step.skill}`, false, {
        success: true,
        commandName: step.skill,
      })
    else if ('todo' in step)
      call(
        'TodoWrite',
        { todos: step.todo.map((t) => ({ ...t, activeForm: t.content })) },
        'Todos have been modified',
        false,
        { oldTodos: [], newTodos: step.todo },
      )
    else put(step.raw)
  }
  let parent: string | null = null
  const lines = records.map((record, index) => {
    const uuid = `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
    const at = new Date(end.getTime() - (records.length - 1 - index) * 1000).toISOString()
    const line = JSON.stringify({
      parentUuid: parent,
      isSidechain: false,
      uuid,
      timestamp: at,
      sessionId: id,
      cwd,
      gitBranch: options.branch ?? 'main',
      version: '2.1.330',
      userType: 'external',
      ...record,
    })
    parent = uuid
    return line
  })
  const folder = join(repo.home, '.claude', 'projects', cwd.replace(/[^A-Za-z0-9]/g, '-'))
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${id}.jsonl`)
  writeFileSync(path, `${lines.join('\n')}\n${options.torn ?? ''}`)
  return path
}

/** A short session with a constraint, edits, a failing check and an open plan item. */
export const USUAL: readonly Step[] = [
  { user: 'Fix the retry queue. Do NOT touch src/api.ts, the public API must stay as it is.' },
  { says: 'I will look at the queue first.' },
  { read: 'src/queue.ts' },
  { edit: 'src/queue.ts' },
  { bash: 'npm test', exit: 1, output: 'FAIL test/queue.test.ts\nError: expected 3 retries, got 2' },
  {
    todo: [
      { content: 'Fix the off-by-one in retry()', status: 'in_progress' },
      { content: 'Document the limits', status: 'pending' },
    ],
  },
  { says: 'The queue is ported; one test still fails.' },
]
