import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { extname, join, resolve } from 'node:path'
import { briefToJson } from '../brief/json.ts'
import type { Invocation } from '../command.ts'
import { hideHomes } from '../secrets/hide-homes.ts'
import { mapTexts } from '../secrets/walk.ts'
import type { Built } from './build-brief.ts'
import type { Gathered } from './gather.ts'

/** Home and work tree as evaluation cases name them; nobody else's home is shown. */
const NEUTRAL = '/home/dev'
/** Stands for the neutral home while other homes are hidden. */
const HELD = '\u{1}home\u{1}'

/**
 * Keeps one run of `create` under `HANDOFF_TRACE_DIR`, so that a real session can become an evaluation case:
 * `<id>.json` with what went in and came out, and `<id>.session.jsonl` with the session itself. Secrets are replaced, the
 * work tree and the home get neutral names. A trace that cannot be written is a warning: the brief matters more.
 */
export async function writeTrace(
  invocation: Invocation,
  gathered: Gathered,
  built: Built,
  startedAt: number,
): Promise<void> {
  const { place, out } = invocation
  const folder = resolve(place.root, place.env.HANDOFF_TRACE_DIR ?? '')
  try {
    await writeFiles(folder, invocation, gathered, built, startedAt)
    out.say(`Trace: ${join(folder, `${built.brief.meta.id}.json`)}`)
  } catch (error) {
    place.signal?.throwIfAborted()
    out.warn(`no trace was kept: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function writeFiles(
  folder: string,
  { place }: Invocation,
  gathered: Gathered,
  built: Built,
  startedAt: number,
): Promise<void> {
  const { request, picked, git, scanner, session, workspace } = gathered
  const { meta } = built.brief
  const clean = async <T>(value: T): Promise<T> =>
    neutral((await scanner.redact(value)).value, workspace.root, place.home)
  const own = (await picked?.adapter.text?.(picked.ref, { place })) ?? null
  const kind = own !== null ? '.json' : extname(picked?.ref.path ?? '') || '.jsonl'
  const name = picked === null ? null : `${meta.id}.session${kind}`
  const trace = await clean({
    trace_id: meta.id,
    timestamp: meta.createdAt,
    session_file: name,
    goal: request.goal,
    input: {
      agent: picked?.adapter.id ?? null,
      focus: request.focus,
      reason: request.reason,
      skipped: session.skipped,
      git: git && {
        branch: git.branch,
        head: git.head,
        base: git.base,
        changes: git.changes,
        commits: git.commits,
      },
    },
    output: briefToJson(built.brief),
    dropped: built.brief.dropped ?? [],
    final_prompt: built.text,
    // Briefs are made without a model.
    model_used: null,
    latency_ms: Date.now() - startedAt,
    tokens: meta.tokens,
  })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(join(folder, `${meta.id}.json`), `${JSON.stringify(trace, null, 2)}\n`, { mode: 0o600 })
  if (picked !== null && name !== null) {
    const raw = own ?? (await readFile(picked.ref.path, 'utf8'))
    await writeFile(join(folder, name), await cleanSession(raw, clean), { mode: 0o600 })
  }
}

/** A transcript with every text in it cleaned; JSON stays JSON, by line or whole. */
async function cleanSession(raw: string, clean: <T>(value: T) => Promise<T>): Promise<string> {
  const whole = parsed(raw)
  if (whole !== undefined) return `${JSON.stringify(await clean(whole))}\n`
  const lines = raw.split('\n')
  const values = lines.map((line) => (line.trim() === '' ? undefined : parsed(line)))
  // One pass for all lines, so that a value seen in one is replaced in each.
  const cleaned = await clean({ values, rest: lines.map((line, i) => (values[i] === undefined ? line : '')) })
  return cleaned.values
    .map((value, i) => (value === undefined ? cleaned.rest[i] : JSON.stringify(value)))
    .join('\n')
}

function neutral<T>(value: T, root: string, home: string): T {
  const name = (text: string, path: string, other: string): string =>
    path.length > 1 ? text.replace(new RegExp(`${literal(path)}(?![\\w-])`, 'g'), () => other) : text
  const held = mapTexts(value, (text) => name(name(text, root, `${HELD}/repo`), home, HELD))
  return mapTexts(hideHomes(held, ''), (text) => text.replaceAll(HELD, NEUTRAL))
}

const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
