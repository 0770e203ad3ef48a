import { sessionTorn } from '../../errors/session.ts'
import type { ReadOptions } from '../../types/session.ts'
import { type Fields, fieldsOf, listOf } from '../fields.ts'
import { parseLine, readLineBatches } from '../lines.ts'

/** What is typed and not sent, of which there are many entries. */
const DRAFT = '{"kind":1,"k":["inputState"'

/** The object that a journal of VS Code comes to, entry by entry (`chat/common/model/objectMutationLog.ts`). Throws `sessionTorn`. */
export async function replayJournal(
  path: string,
  options: ReadOptions,
): Promise<{ header: Fields; records: Fields[] }> {
  const root: { v?: unknown } = {}
  for await (const batch of readLineBatches(path, options))
    for (const line of batch) {
      if (line.bytes.toString('latin1', 0, DRAFT.length) === DRAFT) continue
      const entry = parseLine(line, options)
      if (entry !== null && !change(root, entry)) options.onSkip?.('unknown')
    }
  const header = fieldsOf(root.v)
  if (!Array.isArray(header.requests)) throw sessionTorn(path, 'its first entry is cut off or damaged')
  return { header, records: header.requests.map(fieldsOf) }
}

/** 0 is the whole, 1 sets what stands at `k`, 2 cuts a list at `i` and appends to it, 3 deletes. False for what fits nowhere. */
function change(root: { v?: unknown }, { kind, k, v, i }: Fields): boolean {
  if (kind === 0) {
    root.v = v
    return true
  }
  const keys = listOf(k) as Key[]
  const holder = keys.slice(0, -1).reduce<unknown>((at, key) => (has(at, key) ? at[key] : undefined), root.v)
  const key = keys.at(-1)
  if (key === undefined || !takes(holder, key)) return false
  if (kind === 1 || kind === 3) holder[key] = kind === 1 ? v : undefined
  else if (kind !== 2) return false
  else {
    const list = listOf(holder[key])
    if (typeof i === 'number' && i >= 0 && i < list.length) list.length = Math.floor(i)
    for (const one of listOf(v)) list.push(one)
    holder[key] = list
  }
  return true
}

type Key = string | number
type Holder = Record<Key, unknown>

const has = (at: unknown, key: Key): at is Holder =>
  typeof at === 'object' && at !== null && Object.hasOwn(at, key)

/** Whether something may stand there: not far behind the end of a list, nor where every object would have it. */
function takes(at: unknown, key: Key): at is Holder {
  if (Array.isArray(at))
    return typeof key === 'number' && key >= 0 && key <= at.length && Number.isInteger(key)
  return fieldsOf(at) === at && typeof key === 'string' && key !== '__proto__'
}
