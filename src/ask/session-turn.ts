import { createTurnCount } from '../facts/shell.ts'
import type { SessionEvent } from '../types/session.ts'
import { MOST_LINES, type Quote } from './turns.ts'

/** A turn of a session: what was asked, what the agent said last, and whether it made the commit or only changed the file. */
interface Turn {
  turn: number
  request: string
  reply: string
  about: Quote['about'] | null
}

/** Digits of an id that git prints at least. */
const SHORT = 7

/**
 * Finds the turn that made a commit, else the last one before it that changed the file. `shas`: its ids, now and before a rebase; `paths`:
 * those that the file has and had, from the root.
 */
export function createTurnFinder(shas: readonly string[], at: string, paths: readonly string[]) {
  const turns = createTurnCount()
  const found: Turn[] = []
  /** Commands that may commit, and edits of the file. */
  const calls = new Map<string, Quote['about']>()
  const isFile = (path: string): boolean => paths.some((one) => path === one || path.endsWith(`/${one}`))
  const mark = (about: Quote['about'], time: string | null): void => {
    const last = found.at(-1)
    const isLate = time !== null && about === 'file' && Date.parse(time) > Date.parse(at)
    if (last !== undefined && last.about !== 'commit' && !isLate) last.about = about
  }
  return {
    add(event: SessionEvent): void {
      const request = turns.begins(event)
      if (request !== null) found.push({ turn: turns.turn, request, reply: '', about: null })
      if (event.kind === 'reply' && event.sub === null) (found.at(-1) ?? { reply: '' }).reply = event.text
      if (event.kind === 'call') {
        const { action } = event
        if (action.type === 'run' && action.command.includes('git')) calls.set(event.id, 'commit')
        if (action.type === 'edit' && action.files.some(({ path }) => isFile(path)))
          calls.set(event.id, 'file')
      }
      if (event.kind !== 'result' || !event.ok) return
      const about = calls.get(event.id)
      if (about === 'commit' && shas.some((sha) => namesCommit(event.text, sha))) mark('commit', event.at)
      else if (about === 'file' || event.files?.some(({ path }) => isFile(path))) mark('file', event.at)
    },
    end: (): Turn | null =>
      found.findLast(({ about }) => about === 'commit') ??
      found.findLast(({ about }) => about === 'file') ??
      null,
  }
}

/** As `git commit` tells what it made: `[main 1a2b3c4] subject`. */
const namesCommit = (output: string, sha: string): boolean =>
  [...output.matchAll(/^\[[^\]\n]* ([0-9a-f]+)\] /gm)].some(
    ([, id = '']) => id.length >= SHORT && sha.startsWith(id),
  )

/** Its words as lines of a quote. */
export const linesOfTurn = ({ request, reply }: Turn): string[] => {
  const lines = (text: string): string[] => text.split('\n').filter((line) => line.trim() !== '')
  const asked = lines(request).slice(0, MOST_LINES / 2)
  return [...asked, ...lines(reply).slice(0, MOST_LINES - asked.length)]
}
