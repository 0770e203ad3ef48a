import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import type { Repo } from '../git/open-repo.ts'
import { parseRecord, SETUP_RECORD } from '../hooks/record.ts'
import { readPrivate } from '../store/private.ts'

/** Which files say nothing of the work, since `init` wrote them and nobody went on with them. */
export interface OwnFiles {
  /** Those that stand as the record of `init` left them, from the top of the worktree. */
  recorded: ReadonlySet<string>
  /** The same of a file that git tells of; `isChanged`: somebody changed it since HEAD. */
  has(path: string, isChanged: boolean): boolean
}

/**
 * By the digests in the record of this clone; in the clone of a colleague, which has none, by our markers: a file that holds nothing but what
 * `init` writes.
 */
export async function readOwnFiles(
  { commonDir, root }: Pick<Repo, 'commonDir' | 'root'>,
  roots: readonly string[],
): Promise<OwnFiles> {
  const record = parseRecord(await readPrivate(commonDir, SETUP_RECORD))
  const recorded = new Map<string, boolean>()
  for (const [absolute, { after }] of Object.entries(record?.files ?? {}))
    for (const top of roots) {
      const path = relative(top, absolute)
      const content = path.startsWith('..') ? null : orNull(() => readFileSync(join(root, path)))
      if (content === null) continue
      const isLeft = createHash('sha256').update(content).digest('hex') === after
      recorded.set(path, isLeft || recorded.get(path) === true)
    }
  const seen = new Map<string, boolean>()
  const holdsOnlyOurs = (path: string): boolean => {
    const known = seen.get(path)
    if (known !== undefined) return known
    const text = PLACES.test(path) ? orNull(() => readFileSync(join(root, path), 'utf8')) : null
    const isOurs = text !== null && isOnlyOurs(path, text)
    seen.set(path, isOurs)
    return isOurs
  }
  return {
    recorded: new Set([...recorded].flatMap(([path, isLeft]) => (isLeft ? [path] : []))),
    has: (path, isChanged) => recorded.get(path) ?? (!isChanged && holdsOnlyOurs(path)),
  }
}

/** Where `init` writes: folders of agents, hook managers and CI, and a few files at the top. */
const PLACES =
  /^(?:\.[^/]+\/.+|\.[^/]+\.(?:json|ya?ml|toml)|(?:AGENTS|CLAUDE|GEMINI|CONVENTIONS)\.md|opencode\.jsonc?|kilo\.jsonc?)$/
/** Whole files of ours, by name. */
const WHOLE =
  /(?:^|\/)(?:skills\/handoff(?:-brief)?\/SKILL\.md|handoff(?:-brief)?\.(?:m?js|toml|md|ya?ml|json))$/
/** What Aider is told to read; it has no other way to hear of a brief. */
const AIDER = /^\s*read:\s*(?:\[\s*)?(?:-\s*)?["']?AGENTS\.md["']?\s*\]?\s*$/
/** Lines between our markers. */
const BLOCK =
  /^[ \t]*(?:<!-- |# )>>> handoff\b[^\n]*\n(?:[^\n]*\n)*?[ \t]*(?:<!-- |# )<<< handoff <<<(?: -->)?[ \t]*$/gm

function isOnlyOurs(path: string, text: string): boolean {
  if (path === '.aider.conf.yml') return AIDER.test(text)
  if (!text.includes('handoff')) return false
  if (WHOLE.test(path)) return true
  if (/\.jsonc?$/.test(path))
    return withoutOurs(orNull(() => JSON.parse(text) as unknown) ?? text) === undefined
  return text.replace(BLOCK, '').trim() === ''
}

/** A value of JSON without members named `handoff`, items that call it, and what is empty then. */
function withoutOurs(value: unknown): unknown {
  if (Array.isArray(value)) {
    const left = value.filter((item) => !/\bhandoff\b/.test(JSON.stringify(item)))
    return left.length === 0 ? undefined : left
  }
  if (typeof value !== 'object' || value === null) return value
  const left = Object.entries(value).filter(
    ([name, member]) => name !== 'handoff' && withoutOurs(member) !== undefined,
  )
  // The version of the format of a file of hooks says nothing by itself.
  return left.every(([name]) => name === 'version' || name === '$schema') ? undefined : value
}
