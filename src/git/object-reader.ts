import type { ChildProcess } from 'node:child_process'
import type { Socket } from 'node:net'
import { gitFailed } from '../errors/git.ts'
import type { Repo } from './open-repo.ts'
import { openGit } from './spawn.ts'
import { watch } from './watch.ts'

export interface GitObject {
  oid: string
  type: string
  size: number
  content: Buffer
}

/** One `git cat-file --batch` that stays open: a command asks for objects without a process for each question. */
export interface ObjectReader {
  /** It does not see what `git replace` puts in the place of an object. */
  isBlind: boolean
  /**
   * What each revision expression names at this moment, in order; null for what is missing or larger than `most` bytes. What git could not
   * read it calls missing, without a word, so that is asked twice. Throws `gitFailed`; rejects with the signal's reason on abort.
   */
  read(names: readonly string[], most?: number): Promise<(GitObject | null)[]>
  /** Lets the process go; a later question starts another. */
  close(): void
}

interface Question {
  name: string
  most: number
  /** It was called missing once. */
  isAgain?: true
  resolve(object: GitObject | null): void
  reject(error: unknown): void
}

const ARGS = ['cat-file', '--batch']
const NONE = Buffer.alloc(0)

/** The process starts with the first question. */
export function openObjects(repo: Pick<Repo, 'child' | 'signal'>): ObjectReader {
  let child: ChildProcess | null = null
  let waiting: Question[] = []

  const ask = (questions: readonly Question[]): void => {
    child ??= begin()
    keepAlive(child, true)
    child.stdin?.write(questions.map(({ name }) => `${name}\n`).join(''))
  }
  const leave = (): ChildProcess | null => {
    const left = child
    child = null
    return left
  }
  const begin = (): ChildProcess => {
    const started = openGit(ARGS, repo.child())
    let stderr = ''
    let held: Buffer = NONE
    started.stderr?.on('data', (block: Buffer) => {
      stderr += block.toString('utf8')
    })
    started.stdout?.on('data', (block: Buffer) => {
      if (child !== started) return
      held = held.length === 0 ? block : Buffer.concat([held, block])
      for (let question = waiting[0]; question !== undefined; question = waiting[0]) {
        const end = held.indexOf(10)
        if (end === -1) return
        const header = readHeader(held.toString('utf8', 0, end))
        if (header !== null && header.size > question.most) {
          // What nobody wants to hold is not worth being sent; the rest is asked of another process.
          leave()?.kill('SIGTERM')
          waiting.shift()
          question.resolve(null)
          if (waiting.length > 0) ask(waiting)
          return
        }
        const stop = end + 1 + (header === null ? 0 : header.size + 1)
        if (held.length < stop) return
        waiting.shift()
        const content = held.subarray(end + 1, stop - 1)
        held = held.subarray(stop)
        if (header === null && question.isAgain !== true) {
          const again = { ...question, isAgain: true as const }
          waiting.push(again)
          ask([again])
        } else question.resolve(header === null ? null : { ...header, content })
      }
      keepAlive(started, false)
    })
    // An answer that is on its way already must not count any more.
    const stop = () => {
      fail(repo.signal?.reason)
      started.kill('SIGTERM')
    }
    repo.signal?.addEventListener('abort', stop, { once: true })
    const fail = (error: unknown): void => {
      repo.signal?.removeEventListener('abort', stop)
      if (child !== started) return
      leave()
      const failed = waiting
      waiting = []
      for (const { reject } of failed) reject(repo.signal?.aborted ? repo.signal.reason : error)
    }
    started.on('error', fail)
    started.on('close', (code) => fail(gitFailed(ARGS, stderr || `exit ${code ?? 'by a signal'}`)))
    return started
  }

  return {
    isBlind: false,
    async read(names, most = Number.POSITIVE_INFINITY) {
      repo.signal?.throwIfAborted()
      const asked: Question[] = []
      const answers = names.map(
        (name) =>
          new Promise<GitObject | null>((resolve, reject) => asked.push({ name, most, resolve, reject })),
      )
      waiting.push(...asked)
      if (asked.length > 0) ask(asked)
      const unwatch = watch(repo.child().slow, ARGS)
      return Promise.all(answers).finally(unwatch)
    },
    close() {
      if (waiting.length === 0) leave()?.stdin?.end()
    },
  }
}

/** The same, blind to `git replace`: what was committed, not what somebody put in its place. */
export const openCommitted = (repo: Pick<Repo, 'child' | 'signal'>): ObjectReader => ({
  ...openObjects({
    child: (extra = {}) => repo.child({ ...extra, env: { ...extra.env, GIT_NO_REPLACE_OBJECTS: '1' } }),
    signal: repo.signal,
  }),
  isBlind: true,
})

/** Nobody waits for the end of this process, only for its answers. */
function keepAlive(child: ChildProcess, isAsked: boolean): void {
  for (const part of [child, child.stdin, child.stdout, child.stderr] as (ChildProcess | Socket | null)[])
    if (isAsked) part?.ref()
    else part?.unref()
}

/** The line before an object in the answers of `git cat-file`; null for every other line, as `<name> missing`. */
export function readHeader(line: string): Omit<GitObject, 'content'> | null {
  const [, oid, type, size] = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(line) ?? []
  return oid === undefined || type === undefined ? null : { oid, type, size: Number(size) }
}
