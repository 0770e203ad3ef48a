import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import fc from 'fast-check'
import { findSessions } from '../../src/agents/find.ts'
import { opencode } from '../../src/agents/opencode/index.ts'
import { sessionPath } from '../../src/agents/sqlite.ts'
import { adapters } from '../../src/agents/table.ts'
import type { SessionRef } from '../../src/types/session.ts'
import { codeOf, makeSound } from './fuzz-brief.ts'
import { type Damage, damage, damagedJson, damagedLines, damagedText } from './fuzz-bytes.ts'
import type { Subject } from './fuzz-hunt.ts'
import type { Context } from './part.ts'

const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url))
const ROOT = '/home/dev/repo'

/** Sessions as they are found in a home, and those that are rows of a database. */
export function homeSubjects(context: Context): Subject[] {
  const home = filledHome(context.scratch('home'))
  return [found(home), rows(home)] as Subject[]
}

interface Home {
  place: { home: string; env: Record<string, string> }
  /** Everything an agent left there. */
  files: { path: string; text: string }[]
  conversation: { path: string; text: string }
}

function filledHome(folder: string): Home {
  for (const name of readdirSync(join(FIXTURES, 'agents-home')))
    cpSync(join(FIXTURES, 'agents-home', name), join(folder, name === 'opencode' ? 'opencode' : '.'), {
      recursive: true,
    })
  const put = (path: string, text: string | Buffer): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  const claude = readFileSync(join(FIXTURES, 'agents/claude-code/compaction/session.jsonl'))
  for (const name of ['-home-dev-repo/11111111-2222-4333-8444-555555555555', '-home-dev-repo/x'])
    put(`.claude/projects/${name}.jsonl`, claude)
  // What only OpenCode itself can open, and its program.
  put('.local/share/opencode/opencode.db', `no database, but it names ${ROOT} somewhere`)
  put(
    'bin/opencode',
    `#!/bin/sh\ncase "$2" in *recursive*) exec cat '${folder}/opencode/conversation.tsv' ;; *) exec cat '${folder}/opencode/sessions.tsv' ;; esac\n`,
  )
  chmodSync(join(folder, 'bin/opencode'), 0o755)
  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => statSync(join(folder, path)).isFile() && !/^bin\/|\.db$/.test(path))
    .sort()
    .map((path) => ({ path: join(folder, path), text: readFileSync(join(folder, path), 'utf8') }))
  const isConversation = ({ path }: { path: string }): boolean => path.endsWith('conversation.tsv')
  const conversation = all.find(isConversation)
  if (conversation === undefined) throw new Error('no recorded conversation of OpenCode')
  return {
    place: { home: folder, env: { PATH: `${folder}/bin:/usr/bin:/bin` } },
    files: all.filter((file) => !isConversation(file)),
    conversation,
  }
}

const found = ({ place, files }: Home): Subject<{ file: number; damage: Damage }> => ({
  kind: 'sessions in a home',
  operation: 'find, order',
  counts: [30, 1000],
  inputs: fc.record({ file: fc.nat(files.length - 1), damage }),
  async meets({ file, damage: done }) {
    const { path, text } = files[file] ?? { path: '', text: '' }
    const lines = text.split('\n')
    writeFileSync(
      path,
      path.endsWith('.jsonl')
        ? damagedLines(text, [], done)
        : path.endsWith('.json')
          ? damagedJson(text, done)
          : damagedText(text, lines, done),
    )
    try {
      let refs = 0
      for (const agent of adapters.map(({ id }) => id)) {
        const list = await findSessions(place, [ROOT, '/home/dev'], agent)
        for (const ref of list) soundRef(ref)
        refs += list.length
      }
      return `${refs} found`
    } catch (error) {
      return codeOf(error)
    } finally {
      writeFileSync(path, text)
    }
  },
})

/** What every command relies on: an order by time, and names that are texts. */
function soundRef({ id, path, updatedAt, startedAt, cwd, bytes, title = '', branch = '' }: SessionRef): void {
  if (Number.isNaN(Date.parse(updatedAt))) throw new Error(`${path}: last written ${updatedAt}`)
  if (startedAt !== null && Number.isNaN(Date.parse(startedAt)))
    throw new Error(`${path}: begun ${startedAt}`)
  for (const text of [id, path, title, branch, cwd ?? ''])
    if (typeof text !== 'string') throw new Error(`${path}: ${JSON.stringify(text)} is no text`)
  if (id === '' || !(bytes >= 0)) throw new Error(`${path}: id "${id}", ${bytes} bytes`)
}

const rows = ({ place, conversation: { path, text } }: Home): Subject<{ damage: Damage }> => ({
  kind: 'database rows of opencode',
  operation: 'read, join, make a brief',
  counts: [30, 900],
  inputs: fc.record({ damage }),
  async meets({ damage: done }) {
    const [head = '', ...lines] = text.split('\n')
    writeFileSync(path, Buffer.concat([Buffer.from(`${head}\n`), damagedLines(lines.join('\n'), [], done)]))
    const ref: SessionRef = {
      ...{ agent: 'opencode', id: 'ses_dfdaefdeeffennYlkKytRSFkMI', cwd: ROOT, startedAt: null },
      ...{ updatedAt: '2026-11-22T09:00:00.000Z', bytes: text.length },
      path: sessionPath(
        join(place.home, '.local/share/opencode/opencode.db'),
        'ses_dfdaefdeeffennYlkKytRSFkMI',
      ),
    }
    try {
      const copy = await opencode.text?.(ref, { place })
      if (typeof copy === 'string') JSON.parse(copy)
      return await makeSound({ session: { adapter: opencode, ref }, env: place.env })
    } catch (error) {
      return codeOf(error)
    } finally {
      writeFileSync(path, text)
    }
  },
})
