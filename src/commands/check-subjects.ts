import { relative, resolve } from 'node:path'
import { attributesText, pointerText } from '../brief/latest.ts'
import { isHandoffError } from '../errors.ts'
import { changedBlobs, stagedBlobs } from '../git/changed-blobs.ts'
import { readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { listBriefFiles } from '../store/briefs.ts'
import { ATTRIBUTES, BRIEFS, HANDOFF, LATEST } from '../store/folder.ts'
import { readPlain } from '../store/plain-file.ts'

/** A brief to judge; `text` null when it cannot be judged as a text and `problem` says why. */
export interface Subject {
  path: string
  text: string | null
  problem: string | null
}

export interface Asked {
  /** Absolute or relative to `cwd`. */
  paths: readonly string[]
  cwd: string
  staged: boolean
  range: string | null
}

/** What `check` was asked to look at, and what is wrong with the constant files beside the briefs. */
export async function subjectsOf(repo: Repo, asked: Asked): Promise<Subject[]> {
  if (asked.range !== null) return blobSubjects(repo, await changedBlobs(repo, asked.range, HANDOFF))
  if (asked.staged) return blobSubjects(repo, await stagedBlobs(repo, HANDOFF))
  const paths =
    asked.paths.length > 0
      ? asked.paths.map((path) => relative(repo.root, resolve(asked.cwd, path)))
      : (await listBriefFiles(repo.root)).map(({ path }) => path)
  const briefs = await Promise.all(paths.map((path) => fileSubject(repo, path)))
  return asked.paths.length > 0 ? briefs : [...briefs, ...(await constantFiles(repo))]
}

async function fileSubject(repo: Repo, path: string): Promise<Subject> {
  try {
    const text = await readPlain(repo.root, path)
    return { path, text, problem: text === null ? 'there is no such file' : null }
  } catch (error) {
    // One odd file is a finding; the others are still judged.
    if (!isHandoffError(error)) throw error
    return { path, text: null, problem: error.message.replace(`${path} `, '').replace(/;.*$/, '') }
  }
}

async function constantFiles(repo: Repo): Promise<Subject[]> {
  const files = await Promise.all([LATEST, ATTRIBUTES].map((path) => fileSubject(repo, path)))
  const present = files.filter(({ problem }) => problem !== 'there is no such file')
  const judged = await Promise.all(
    present.map((file) => constantProblem(repo, file.path, file.text, file.problem)),
  )
  return judged.flatMap((subject) => subject ?? [])
}

async function blobSubjects(
  repo: Repo,
  changed: readonly { path: string; oid: string | null; mode: string }[],
): Promise<Subject[]> {
  const present = changed.flatMap(({ path, oid, mode }) =>
    oid !== null && (path.startsWith(`${BRIEFS}/`) || path === LATEST || path === ATTRIBUTES)
      ? [{ path, oid, mode }]
      : [],
  )
  const contents = await readBlobs(
    repo,
    present.map(({ oid }) => oid),
  )
  const subjects = await Promise.all(
    present.map(async ({ path, oid, mode }): Promise<Subject | null> => {
      const text = contents.get(oid)?.toString('utf8') ?? null
      const problem =
        mode !== '100644'
          ? `mode ${mode}: it must be a plain file`
          : text === null
            ? 'larger than 256 KB'
            : null
      if (!path.startsWith(`${BRIEFS}/`)) return constantProblem(repo, path, text, problem)
      return { path, text: problem === null ? text : null, problem }
    }),
  )
  return subjects.flatMap((subject) => subject ?? [])
}

/** Agents are told to read `latest.md`, so nothing but the pointer, or a brief that is judged elsewhere, may stand there. */
async function constantProblem(
  repo: Repo,
  path: string,
  text: string | null,
  problem: string | null,
): Promise<Subject | null> {
  const fail = (why: string): Subject => ({ path, text: null, problem: why })
  if (text === null || problem !== null) return fail(problem ?? 'cannot be read')
  if (path === ATTRIBUTES) {
    const lines = text.split('\n')
    const missing = attributesText()
      .split('\n')
      .some((line) => line !== '' && !lines.includes(line))
    return missing ? fail('lacks the lines that keep the copy of the brief out of git') : null
  }
  const kept = text.replace(/^<!-- handoff:begin[\s\S]*$/m, '')
  if (kept === pointerText()) return null
  const id = /^id: ["']?(\d{8}T\d{6}-[0-9a-f]{8})["']?$/m.exec(text)?.[1]
  const brief =
    id === undefined ? undefined : (await listBriefFiles(repo.root)).find((file) => file.id === id)
  if (brief !== undefined && (await fileSubject(repo, brief.path)).text === text) return null
  return fail(
    'is neither the pointer that git should keep nor the text of a brief; `git checkout -- .handoff/latest.md`, or `handoff create` writes it anew',
  )
}
