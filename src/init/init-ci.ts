import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { usage } from '../errors/usage.ts'
import type { Wish } from '../hooks/plan.ts'
import type { SetupRecord } from '../hooks/record.ts'
import type { Output } from '../output/output.ts'
import { readPlain } from '../store/plain-file.ts'
import type { SetupEdit } from '../types/agent.ts'
import { isOfRegistry, lockedIn, packageFolder } from '../workspace/find-program.ts'

/** Owner of what a CI server reads. */
const CI = 'ci'

const PIPELINE = '.gitlab-ci.yml'
const JOB = '.gitlab/handoff.gitlab-ci.yml'

/** What each server gets, by the name that `--ci` takes: templates by the path they are written to. */
const SERVERS = {
  github: {
    '.github/actions/handoff/action.yml': 'github-action/action.yml',
    '.github/workflows/handoff.yml': 'github-action/workflow.yml',
  },
  gitlab: { [JOB]: 'gitlab/handoff.gitlab-ci.yml' },
} as const satisfies Record<string, Record<string, string>>

type Server = keyof typeof SERVERS

const NAMES = Object.keys(SERVERS) as Server[]
export const CI_NAMES = [...NAMES, 'none'].join(', ')

/** What there is to know for a wish: the version that CI shall run, and what an earlier run wrote. */
interface Before {
  root: string
  version: string
  /** Edits of the record that were made for CI. */
  recorded: readonly SetupEdit[]
}

/**
 * What the repository shall have for the server that was asked for, beside what the record has for another one; nothing asked:
 * what there is stays. A pipeline of GitLab that includes other files already is told of, since it must not have that key twice.
 * Throws `usage`.
 */
export async function ciWishes(asked: unknown, before: Before, out: Pick<Output, 'warn'>): Promise<Wish[]> {
  if (asked === undefined) return []
  if (asked === 'none') return [{ owner: CI, edits: [] }]
  if (asked !== 'github' && asked !== 'gitlab')
    throw usage(`--ci takes ${CI_NAMES}, not ${String(asked)}.`, 'Example: `git handoff init --ci github`.')
  const { root, version, recorded } = before
  if (!isOfRegistry(packageFolder()))
    out.warn(
      `CI fetches git-handoff@${version} from npm, and this one did not come from there. Until it is published, put the address of its repository in place of ${version} in ${Object.keys(SERVERS[asked])[0]}: git+https://<host>/<path>.git#<commit>`,
    )
  const files = filesOf(root, asked, { version, digest: digestOf(packageFolder()) })
  const block = asked === 'gitlab' ? [included(root)] : []
  const own = new Set([...files, ...block].map(({ path }) => path))
  const kept = recorded.filter(({ path }) => !own.has(path))
  const pipeline = block.length === 0 ? '' : ((await readPlain(root, PIPELINE)) ?? '')
  const hasOwn = /^include[ \t]*:/m.test(pipeline) && !/^# >>> handoff\b/m.test(pipeline)
  if (hasOwn) out.warn(`${PIPELINE} has an \`include:\` of its own; put \`- local: ${JOB}\` into it`)
  return [{ owner: CI, edits: [...kept, ...files, ...(hasOwn ? [] : block)] }]
}

/** Edits that an earlier run made for CI, in this worktree. */
export const ciEdits = ({ files }: SetupRecord, isHere: (path: string) => boolean): SetupEdit[] =>
  Object.entries(files).flatMap(([path, { edits }]) =>
    isHere(path) ? edits.filter(({ owners }) => owners.includes(CI)).map(({ edit }) => edit) : [],
  )

/** The same to be taken away, whichever server it was. */
export const ciFarewell = (root: string): { owners: string[]; known: SetupEdit[] } => ({
  owners: [CI],
  known: [...ciKnown(root), included(root)],
})

/** Files of ours that are here, as the version that wrote them did: another clone may have. */
export const ciKnown = (root: string): SetupEdit[] => NAMES.flatMap((server) => filesOf(root, server, null))

/** `pins`: what CI shall run; null: what the file that is there says. */
const filesOf = (root: string, server: Server, pins: Pins | null): SetupEdit[] =>
  Object.entries(SERVERS[server]).map(([path, name]) => {
    const template = readFileSync(join(packageFolder(), 'templates', name), 'utf8')
    const file = join(root, path)
    const content = template.replaceAll(
      PIN,
      (mark, key: keyof Pins) => pins?.[key] ?? pinIn(file, template, mark),
    )
    return { type: 'file', path: file, content }
  })

/** The package that CI fetches: a later one is fetched when somebody says so. */
interface Pins {
  version: string
  /** As npm writes it into lock files; empty where it was not told. */
  digest: string
}

/** Stands in a template for one of them. */
const PIN = /\{\{(version|digest)\}\}/g

/** What npm wrote down of the package that it put into a folder. */
function digestOf(folder: string): string {
  const { integrity } = lockedIn(folder)
  return typeof integrity === 'string' ? integrity : ''
}

/** The pin that a file was written with, on the line that the mark has in the template; empty when it tells none. */
function pinIn(path: string, template: string, mark: string): string {
  const lines = template.split('\n')
  const at = lines.findIndex((one) => one.includes(mark))
  if (at === -1 || !existsSync(path)) return ''
  const [before = '', after = ''] = lines[at]?.split(mark) ?? []
  const found = readFileSync(path, 'utf8').split('\n')[at]?.trimEnd() ?? ''
  if (!found.startsWith(before) || !found.endsWith(after)) return ''
  return found.slice(before.length, found.length - after.length)
}

const included = (root: string): SetupEdit => ({
  type: 'block',
  path: join(root, PIPELINE),
  comment: '#',
  text: `include:\n  - local: ${JOB}\n`,
})
