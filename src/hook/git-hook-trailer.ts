import { readFile, writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { readCurrent } from '../briefs/current.ts'
import type { ExitCode, Invocation } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { branchName, readHead } from '../git/refs.ts'
import { processChain } from '../process-chain.ts'
import { configOf } from '../workspace/workspace.ts'

/**
 * Says that a commit goes on with a brief. Not `Handoff-Id`: that one says that the commit brings the brief, and the current brief
 * and the commits since the last one are told by it.
 */
const TRAILER = 'Handoff-For'

/** Commits that are melted into others later; their messages are taken apart by git. */
const MELTED = /^(?:fixup|squash|amend)! /
/** Bytes of a message that somebody writes. */
const MOST = 256 * 1024

/**
 * `prepare-commit-msg`, where the configuration wants it: a commit on the branch of an open brief gets a trailer that names it. In a
 * message that was given (`-m`, `-F`) it is put in; in one that is still to be written it is offered as a comment, since with
 * anything else in it an editor left without a word would make a commit. What is there already stays byte for byte.
 */
export async function offerTrailer(
  invocation: Invocation,
  repo: Repo,
  [file = '', source = '']: readonly string[],
): Promise<ExitCode> {
  const loaded = await configOf(invocation, repo)
  if (!loaded.config.gitHooks.trailers || file === '') return 0
  if (source === 'message' && (await insideAmend(process.ppid))) return 0
  const brief = await readCurrent(repo)
  const branch = branchName((await readHead(repo)).ref)
  // What was merged here from another branch is no work of this one.
  if (brief === null || brief.parsed.meta.branch !== branch) return 0
  const path = resolve(repo.root, file)
  const bytes = await readFile(path)
  const text = bytes.toString('utf8')
  // In another encoding it would not come back as it was.
  if (bytes.length > MOST || !Buffer.from(text).equals(bytes) || MELTED.test(text)) return 0
  const line = `${TRAILER}: ${brief.id}`
  const next = source === 'message' ? await withTrailer(repo, text, line) : await withOffer(repo, text, line)
  if (next !== null && next !== text) await writeFile(path, next)
  return 0
}

/** True in a hook of `git commit --amend`; with `-m` git does not tell the hook. False where the parents cannot be read, as on Windows. */
async function insideAmend(parent: number): Promise<boolean> {
  for await (const { words } of processChain(parent)) {
    const at = words.indexOf('commit')
    if (at !== -1 && words.slice(at).some((word) => /^--am(?:e|en|end)?$/.test(word))) return true
  }
  return false
}

/** The message with the trailer as git puts it; null when more than that would change, or it has one. */
async function withTrailer(repo: Repo, text: string, line: string): Promise<string | null> {
  const args = 'interpret-trailers --no-divider --where=end --if-exists=doNothing --if-missing=add'.split(' ')
  const next = await pipe(repo, [...args, `--trailer=${line}`], text)
  const at = next.lastIndexOf(`${line}\n`)
  if (at === -1 || text.includes(`${TRAILER}:`)) return null
  const rest = next.slice(0, at) + next.slice(at + line.length + 1)
  // Git ends the last line and sets a blank one before the first trailer.
  return rest.replace(/\n+(?=\n|$)/g, '').trimEnd() === text.replace(/\n+(?=\n|$)/g, '').trimEnd()
    ? next
    : null
}

/** The message with the trailer before its first comment, as a comment; null when git will not take comments out. */
async function withOffer(repo: Repo, text: string, line: string): Promise<string | null> {
  const about = 'Uncomment the next line to say that this commit continues the open brief:'
  const offer = await pipe(repo, ['stripspace', '--comment-lines'], `${about}\n${line}\n`)
  const mark = offer.slice(0, offer.indexOf(about))
  if (mark.trim() === '') return null
  const lines = text.split('\n')
  const at = lines.findIndex((one) => one.startsWith(mark.trimEnd()))
  if (at === -1 || text.includes(`${TRAILER}:`)) return null
  // Behind a blank line, or it would be the second line of the subject.
  return [...lines.slice(0, at), '', ...offer.trimEnd().split('\n'), mark.trimEnd(), ...lines.slice(at)].join(
    '\n',
  )
}

const pipe = (repo: Repo, args: string[], input: string): Promise<string> => repo.git(args, { input })
