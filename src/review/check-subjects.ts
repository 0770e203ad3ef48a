import { statSync } from 'node:fs'
import { relative, resolve } from 'node:path'
import { briefPath } from '../brief/id.ts'
import { attributesText, pointerText, readCopy } from '../brief/latest.ts'
import { parseBrief } from '../brief/parse.ts'
import { contentsOf } from '../briefs/read-metas.ts'
import { isHandoffError, orNull } from '../errors/handoff-error.ts'
import { readEntries } from '../git/commit-files.ts'
import { type BriefBlob, blobId } from '../git/files.ts'
import { checkObjects, readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { changedBlobs, type RangeBlob, stagedBlobs } from '../git/read-history.ts'
import { readSeparateHere } from '../git/separate-branch.ts'
import { ATTRIBUTES, BRIEFS, HANDOFF, LATEST, listBriefFiles, listStrayFiles } from '../store/folder.ts'
import { readPlain } from '../store/plain-file.ts'
import { typedWord } from '../text/safe-text.ts'
import { apartOfBranch } from './review-briefs.ts'

/** A brief to judge, or what is wrong with a file that cannot be judged as one. */
export interface Subject {
  path: string
  /** Null only with a `problem`. */
  text: string | null
  problem: { rule: 'size' | 'id-and-path'; message: string } | null
  /** It stood there before with another content. */
  isEdited: boolean
  /** The commit that brought it, when it does not stand like this at the end of the range. */
  goneFrom: string | null
}

interface Asked {
  /** Absolute or relative to `cwd`. */
  paths: readonly string[]
  cwd: string
  staged: boolean
  range: string | null
  /** With a range: the briefs that are kept beside this branch as well. */
  branch: string | null
}

export interface Subjects {
  /** Every path that is looked at, in the order of the findings. */
  paths: string[]
  /** Reads a few at a time, whatever their number. */
  read(): AsyncGenerator<Subject>
}

/** Files read in one go: with 256 KB each no more than 8 MB. */
const BATCH = 32
/** As in `readBlobs`. */
const MAX_BLOB = 256 * 1024
const SUBMODULE = '160000'

/** What `check` was asked to look at: briefs, and the constant files beside them when something is wrong with those. */
export async function subjectsOf(repo: Repo, asked: Asked): Promise<Subjects> {
  if (asked.range !== null) {
    const [changed, apart] = await Promise.all([
      changedBlobs(repo, asked.range, HANDOFF),
      apartOfBranch(repo, asked.branch),
    ])
    const known = new Set(changed.map(({ path }) => path))
    return blobSubjects(repo, [...changed, ...asBrought(apart.filter(({ path }) => !known.has(path)))])
  }
  const named = asked.paths.map((path) => relative(repo.root, resolve(asked.cwd, path)))
  const paths = (await Promise.all(named.map((path) => inFolder(repo, path)))).flat()
  if (asked.staged) {
    const staged = (await stagedBlobs(repo, HANDOFF)).map((blob) => ({ ...blob, commit: '', final: true }))
    const isStaged = new Set(staged.map(({ path }) => path))
    const others = paths.filter((path) => !isStaged.has(path))
    return joined(blobSubjects(repo, staged), fileSubjects(repo, others))
  }
  if (named.length > 0) return fileSubjects(repo, paths)
  const files = (await listBriefFiles(repo.root)).map(({ path }) => path)
  const here = fileSubjects(repo, [
    ...files,
    ...[LATEST, ATTRIBUTES].filter((path) => orNull(() => statSync(resolve(repo.root, path))) !== null),
  ])
  const apart = joined(here, blobSubjects(repo, await apartBlobs(repo, new Set(files))))
  return joined(apart, straySubjects(repo, await listStrayFiles(repo.root)))
}

/** Files among the briefs that are not named as one. */
const straySubjects = (repo: Repo, paths: readonly string[]): Subjects => ({
  paths: [],
  async *read() {
    for (const path of paths) {
      const text = await readPlain(repo.root, path).catch(() => null)
      const brief = orNull(() => parseBrief(text ?? '', path))
      const right = brief === null ? '' : briefPath(brief.meta.id, brief.meta.goal, brief.meta.kind)
      const isBeside = brief !== null && orNull(() => statSync(resolve(repo.root, right))) !== null
      const mend = isBeside ? `; ${right} is there` : `: \`mv ${typedWord(path)} ${right}\``
      const problem: Subject['problem'] =
        brief === null
          ? odd('is no brief and lies among them')
          : odd(`is a brief under another name, which no command finds${mend}`)
      yield { path, text: null, problem, isEdited: false, goneFrom: null }
    }
  },
})

const joined = (first: Subjects, second: Subjects): Subjects => ({
  paths: [...first.paths, ...second.paths],
  async *read() {
    yield* first.read()
    yield* second.read()
  },
})

/** The briefs of this line of work that are kept on a branch of their own, as its tree holds them, oldest first. */
async function apartBlobs(repo: Repo, known: ReadonlySet<string>): Promise<RangeBlob[]> {
  const blobs = (await readSeparateHere(repo)).filter(({ path }) => !known.has(path))
  return asBrought([...new Map(blobs.map((blob) => [`${blob.path} ${blob.oid}`, blob])).values()])
}

/** Briefs of a tree, newest first, as if the range had brought them, oldest first. */
const asBrought = (blobs: readonly BriefBlob[]): RangeBlob[] =>
  blobs
    .toReversed()
    .map(({ path, oid, mode }) => ({ path, oid, mode, state: 'added', commit: '', final: true }))

async function inFolder(repo: Repo, path: string): Promise<string[]> {
  if (orNull(() => statSync(resolve(repo.root, path)))?.isDirectory() !== true) return [path]
  const prefix = path === '' ? '' : `${path}/`
  return (await listBriefFiles(repo.root)).map((file) => file.path).filter((file) => file.startsWith(prefix))
}

function fileSubjects(repo: Repo, paths: readonly string[]): Subjects {
  const unique = [...new Set(paths)]
  return {
    paths: unique.filter(isBrief),
    async *read() {
      for (const path of unique) {
        const file = await fileSubject(repo, path)
        const problem =
          file.problem ??
          (path === LATEST ? await committedProblem(repo) : null) ??
          constantProblem(path, file.text ?? '', false)
        if (isBrief(path) || problem !== null) yield { ...file, problem }
      }
    },
  }
}

async function fileSubject(repo: Repo, path: string): Promise<Subject> {
  const subject = { path, isEdited: false, goneFrom: null }
  try {
    const text = await readPlain(repo.root, path)
    return { ...subject, text, problem: text === null ? odd('there is no such file') : null }
  } catch (error) {
    // One odd file is a finding; the others are still judged.
    if (!isHandoffError(error)) throw error
    const message = error.message.replace(`${path} `, '').split(';', 1)[0] ?? ''
    return { ...subject, text: null, problem: odd(message) }
  }
}

function blobSubjects(repo: Repo, changed: readonly RangeBlob[]): Subjects {
  const present = changed.flatMap(({ oid, ...blob }) =>
    oid !== null && (blob.path.startsWith(`${BRIEFS}/`) || !isBrief(blob.path)) ? [{ ...blob, oid }] : [],
  )
  return {
    paths: [...new Set(present.map(({ path }) => path).filter(isBrief))],
    async *read() {
      const oids = present.filter(({ mode }) => mode !== SUBMODULE).map(({ oid }) => oid)
      // Asked first: what is too large is not even sent.
      const found = await checkObjects(repo, oids)
      const sizes = new Map(found.flatMap((object) => (object === null ? [] : [[object.oid, object.size]])))
      const isSmall = ({ oid }: { oid: string }) => (sizes.get(oid) ?? Number.POSITIVE_INFINITY) <= MAX_BLOB
      for (let at = 0; at < present.length; at += BATCH) {
        const batch = present.slice(at, at + BATCH)
        const contents = await contentsOf(repo, batch.filter(isSmall))
        for (const { path, oid, mode, state, commit, final } of batch) {
          const text = contents.get(oid)?.toString('utf8') ?? null
          const isOdd = mode !== '100644' && (final || text === null)
          const problem = isOdd
            ? odd(`mode ${mode}: it must be a plain file`)
            : text === null
              ? tooLarge(sizes.get(oid))
              : final
                ? constantProblem(path, text, true)
                : null
          const isEdited = final && state === 'modified'
          if (isBrief(path) || problem !== null || !final)
            yield { path, text, problem, isEdited, goneFrom: final ? null : commit }
        }
      }
    },
  }
}

const isBrief = (path: string): boolean => path !== LATEST && path !== ATTRIBUTES

/** A constant file by name that holds nothing of ours. */
export const isForeign = ({ path, text }: Subject): boolean =>
  path === ATTRIBUTES || (path === LATEST && readCopy(text ?? '').state === 'changed')

const odd = (message: string): NonNullable<Subject['problem']> => ({ rule: 'id-and-path', message })

const tooLarge = (bytes: number | undefined): Subject['problem'] =>
  bytes === undefined
    ? odd('its content is not in this clone')
    : { rule: 'size', message: `${bytes} bytes; a brief has at most 65536` }

/** What git keeps as `latest.md`: behind the filter nobody sees it in the work tree. */
async function committedProblem(repo: Repo): Promise<Subject['problem']> {
  const oid = (await readEntries(repo, [LATEST])).get(LATEST)?.oid
  if (oid === undefined || oid === blobId(repo, pointerText())) return null
  const text = (await readBlobs(repo, [oid])).get(oid)?.toString('utf8')
  return text !== undefined && readCopy(text).state === 'ours' ? constantProblem(LATEST, text, true) : null
}

/** Agents are told to read `latest.md`, so nothing but the pointer, or its copy of a brief that is judged elsewhere, may stand there. */
function constantProblem(path: string, text: string, isInGit: boolean): Subject['problem'] {
  if (isBrief(path)) return null
  if (path === ATTRIBUTES) {
    const lines = text.split('\n')
    const missing = attributesText()
      .split('\n')
      .some((line) => line !== '' && !line.endsWith('linguist-generated') && !lines.includes(line))
    return missing ? odd('lacks the lines that keep the copy of the brief out of git') : null
  }
  const copy = readCopy(text)
  if (copy.state === 'ours' && text === copy.pointer) return null
  // What the filter hides in the work tree must not be in a commit, where everybody gets to read it.
  if (copy.state === 'ours' && !copy.isEdited && !isInGit) return null
  if (copy.state === 'ours')
    return odd(
      isInGit
        ? 'was committed with a text of its own below the pointer; the next `git handoff create` takes it out'
        : 'was changed below its marker, which git ignores; the next handoff command rewrites it and keeps the text',
    )
  if (copy.state === 'conflicted') return odd('holds the marks of a merge conflict')
  return odd(
    'is not the pointer that git should keep; `git checkout -- .handoff/latest.md`, or `git handoff create` rewrites it',
  )
}
