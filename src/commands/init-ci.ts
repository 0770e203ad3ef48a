import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { usage } from '../errors.ts'
import type { Wish } from '../hooks/plan.ts'
import type { Output } from '../output/output.ts'
import { readPlain } from '../store/plain-file.ts'
import type { SetupEdit } from '../types.ts'
import { packageFolder } from './package-folder.ts'

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

export type Server = keyof typeof SERVERS

export const CI_NAMES = [...Object.keys(SERVERS), 'none'].join(', ')

/**
 * What the repository shall have for the server that was asked for; nothing asked: what there is stays. A pipeline of GitLab
 * that includes other files already is told of, since it must not have that key twice. Throws `usage`.
 */
export async function ciWishes(root: string, asked: unknown, out: Pick<Output, 'warn'>): Promise<Wish[]> {
  if (asked === undefined) return []
  if (asked === 'none') return [{ owner: CI, edits: [] }]
  if (asked !== 'github' && asked !== 'gitlab')
    throw usage(`--ci takes ${CI_NAMES}, not ${String(asked)}.`, 'handoff init --ci github')
  if (asked === 'github') return [{ owner: CI, edits: filesOf(root, asked) }]
  const pipeline = (await readPlain(root, PIPELINE)) ?? ''
  const hasOwn = /^include[ \t]*:/m.test(pipeline) && !/^# >>> handoff\b/m.test(pipeline)
  if (hasOwn) out.warn(`${PIPELINE} has an \`include:\` of its own; put \`- local: ${JOB}\` into it`)
  return [{ owner: CI, edits: [...filesOf(root, asked), ...(hasOwn ? [] : [included(root)])] }]
}

/** The server whose files are here, if any. */
export const ciHere = (root: string): Server | null =>
  (Object.keys(SERVERS) as Server[]).find((server) =>
    filesOf(root, server).every(({ path }) => existsSync(path)),
  ) ?? null

/** The server that the address of a remote tells of, else what CI the repository has already. */
export function ciByRemote(url: string | null, root: string): Server | null {
  const host = /^(?:[a-z+]+:\/\/)?(?:[^@/]*@)?([^:/]+)/i.exec(url ?? '')?.[1]?.toLowerCase() ?? ''
  const has = (name: string): boolean => existsSync(join(root, name))
  if (host.includes('github')) return 'github'
  if (host.includes('gitlab')) return 'gitlab'
  return has('.github/workflows') ? 'github' : has(PIPELINE) ? 'gitlab' : null
}

/** The same to be taken away, whichever server it was. */
export const ciFarewell = (root: string): { owners: string[]; known: SetupEdit[] } => ({
  owners: [CI],
  known: [...(Object.keys(SERVERS) as Server[]).flatMap((server) => filesOf(root, server)), included(root)],
})

const filesOf = (root: string, server: Server): SetupEdit[] =>
  Object.entries(SERVERS[server]).map(([path, template]) => ({
    type: 'file',
    path: join(root, path),
    content: readFileSync(join(packageFolder(), 'templates', template), 'utf8'),
  }))

const included = (root: string): SetupEdit => ({
  type: 'block',
  path: join(root, PIPELINE),
  comment: '#',
  text: `include:\n  - local: ${JOB}\n`,
})
