import type { PlanItem } from '../../types/session.ts'
import { planStatus } from '../tools.ts'

interface Todo {
  title: string
  status: PlanItem['status']
  needs: string[]
}

/** A quoted SQL text, or a bare word. */
const VALUE = /'((?:[^']|'')*)'|([^\s,()';]+)/g
const ROW = /\(((?:'(?:[^']|'')*'|[^'()])*)\)/g

/**
 * The agent keeps its plan as rows of a SQLite table and writes them with SQL (tool `sql`, 1.0.102). `apply` takes a statement
 * that succeeded, with the table it printed, and answers the whole plan when it changed. Forms of SQL that no one writes for such
 * a table are passed over; the next listing by the agent puts them right.
 */
export function createTodos(): (query: string, output: string) => PlanItem[] | null {
  const todos = new Map<string, Todo>()
  let shown = '[]'
  return (query, output) => {
    for (const statement of statements(query)) write(todos, statement)
    list(todos, output)
    const items = [...todos].map(
      ([id, { title, status, needs }]): PlanItem => ({
        text: title || id,
        status,
        ...(needs.length > 0 ? { blockedBy: needs } : {}),
        id,
      }),
    )
    const now = JSON.stringify(items)
    if (now === shown) return null
    shown = now
    return items
  }
}

const statements = (query: string): string[] =>
  (query.match(/(?:'(?:[^']|'')*'|[^';])+/g) ?? []).map((part) => part.trim())

function write(todos: Map<string, Todo>, statement: string): void {
  const insert =
    /^INSERT\s+(?:OR\s+\w+\s+)?INTO\s+(todos|todo_deps)\s*\(([^)]*)\)\s*VALUES\s*([\s\S]*)$/i.exec(statement)
  if (insert) {
    const names = (insert[2] ?? '').split(',').map((name) => name.trim().replaceAll('"', ''))
    for (const [, row = ''] of (insert[3] ?? '').matchAll(ROW)) {
      const given = valuesOf(row)
      const fields = new Map(names.map((name, index) => [name, given[index] ?? '']))
      if (insert[1]?.toLowerCase() === 'todos') put(todos, fields)
      else todos.get(fields.get('todo_id') ?? '')?.needs.push(fields.get('depends_on') ?? '')
    }
  }
  const [, set = '', where] =
    /^UPDATE\s+todos\s+SET\s+([\s\S]*?)(?:\sWHERE\s([\s\S]*))?$/i.exec(statement) ?? []
  if (set !== '') {
    const status = /\bstatus\s*=\s*'([^']*)'/i.exec(set)?.[1]
    const title = /\btitle\s*=\s*'((?:[^']|'')*)'/i.exec(set)?.[1]
    for (const id of named(todos, where)) {
      const todo = todos.get(id)
      if (todo && status !== undefined) todo.status = planStatus(status)
      if (todo && title !== undefined) todo.title = title.replaceAll("''", "'")
    }
  }
  const removed = /^DELETE\s+FROM\s+todos(?:\s+WHERE\s([\s\S]*))?$/i.exec(statement)
  if (removed) for (const id of named(todos, removed[1])) todos.delete(id)
}

/** Ids that a condition names: `id = 'x'`, `id IN ('x', 'y')`, `status = 'x'`, or all without one. */
function named(todos: ReadonlyMap<string, Todo>, where: string | undefined): string[] {
  if (where === undefined) return [...todos.keys()]
  const [, what, values = ''] = /^\s*(id|status)\s*(?:=|IN)\s*([\s\S]*)$/i.exec(where) ?? []
  const given = valuesOf(values)
  return what?.toLowerCase() === 'status'
    ? [...todos].filter(([, { status }]) => given.map(planStatus).includes(status)).map(([id]) => id)
    : what === undefined
      ? []
      : given
}

function put(todos: Map<string, Todo>, fields: ReadonlyMap<string, string>): void {
  const id = fields.get('id') ?? ''
  const before = todos.get(id)
  if (id === '') return
  todos.set(id, {
    title: fields.get('title') ?? before?.title ?? '',
    status: planStatus(fields.get('status') ?? before?.status ?? 'pending'),
    needs: before?.needs ?? [],
  })
}

function list(todos: Map<string, Todo>, output: string): void {
  const [head, , ...rows] = output.split('\n').filter((line) => line.startsWith('| '))
  const names = cells(head ?? '')
  if (!names.includes('id') || !names.includes('status') || !names.includes('title')) return
  for (const row of rows) {
    const given = cells(row)
    // A cell with a bar in it would move the others.
    if (given.length === names.length)
      put(todos, new Map(names.map((name, index) => [name, given[index] ?? ''])))
  }
}

const cells = (line: string): string[] =>
  line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim())

const valuesOf = (text: string): string[] =>
  [...text.matchAll(VALUE)].map(([, quoted, bare]) => quoted?.replaceAll("''", "'") ?? bare ?? '')
