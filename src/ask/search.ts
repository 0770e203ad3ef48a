import { assentedTo } from '../facts/decisions.ts'
import { isOwnCall, ownShare, withoutOwnText } from '../facts/shell.ts'
import type { SessionEvent } from '../types/session.ts'
import { chooseHits, type Hit } from './hits.ts'
import { createPool, type Match, type Passage, queryWords, type Speaker } from './pool.ts'

export interface Search {
  /** Begins the next source, older ones first. */
  begin(): void
  add(event: SessionEvent): void
  /** One piece of a text that is no session. */
  tell(text: string, at: string | null): void
  hits(most: number): Hit[]
}

/** UTF-16 units of one passage: a paragraph or two. */
const PASSAGE = 900
/**
 * What a passage is worth by where it stands: the person's own words first, then replies that end a turn, then what was said on the
 * way; what commands printed comes last. A long message is mostly pasted, and counts as any other text.
 */
const WORTH = { own: 2, said: 1, onTheWay: 0.6, command: 0.2 }
/**
 * Searches what was said and done for the words of a question, in one pass: passages without any of them are only counted. The order
 * of equal hits is that of time, so the same input gives the same answer.
 */
export function createSearch(question: string): Search {
  const words = queryWords(question)
  const prose = createPool(words)
  const done = createPool(words)
  const commands = new Map<string, string>()
  /** Questions of the question tool that wait for an answer, by call. */
  const asked = new Map<string, string[]>()
  /** The reply that may turn out to be what the turn came to, and its passages. */
  let reply: { text: string; matches: Match[] } = { text: '', matches: [] }
  let plan: Match[] = []
  let [source, turn, order, message] = [-1, 0, 0, 0]

  const passageOf = (who: Speaker, text: string, at: string | null, to: string | null): Passage => ({
    source,
    turn,
    at,
    who,
    text,
    to,
    message,
    order: order++,
  })
  const take = (
    who: Speaker,
    text: string,
    at: string | null,
    worth: number,
    to: string | null = null,
  ): Match[] => {
    message++
    return piecesOf(text).flatMap((piece) => {
      const match = { passage: passageOf(who, piece, at, to), has: 0, worth, agreed: null }
      return (who === 'command' ? done : prose).add(match)
    })
  }
  const endTurn = (): typeof reply => {
    const ended = reply
    for (const match of ended.matches) match.worth = WORTH.said
    reply = { text: '', matches: [] }
    return ended
  }

  return {
    begin() {
      endTurn()
      source++
      turn = 0
      commands.clear()
      asked.clear()
      plan = []
    },
    add(event) {
      switch (event.kind) {
        case 'prompt': {
          const before = endTurn()
          turn++
          const text = withoutOwnText(event.text)
          const to = assentedTo(text, before.text)
          take('user', text, event.at, text.length <= PASSAGE ? WORTH.own : WORTH.said, to)
          if (to === null) return
          const agreed = passageOf('user', text, event.at, to)
          for (const match of before.matches) match.agreed = agreed
          return
        }
        case 'question': {
          const text = [event.text, ...event.options.map((option) => `- ${option}`)].join('\n')
          asked.set(event.id, [...(asked.get(event.id) ?? []), text])
          take('agent', text, event.at, WORTH.onTheWay)
          return
        }
        case 'answer': {
          const [to = null, ...rest] = asked.get(event.id) ?? []
          asked.set(event.id, rest)
          take('user', event.text, event.at, WORTH.own, to)
          return
        }
        case 'reply': {
          const matches = take('agent', event.text, event.at, WORTH.onTheWay)
          if (event.sub === null) reply = { text: event.text, matches }
          return
        }
        case 'proposal':
          // A plan that was drawn up again counts as it is now.
          for (const match of plan) match.worth = WORTH.onTheWay
          plan = take('agent', event.text, event.at, WORTH.said)
          return
        case 'compaction':
          take('summary', event.summary, event.at, WORTH.said)
          return
        case 'call':
          if (isOwnCall(event.tool, event.action)) return
          if (event.action.type === 'run' && ownShare(event.action.command) === 'none')
            commands.set(event.id, event.action.command)
          else if (event.action.type === 'edit')
            take(
              'command',
              `${event.tool}: ${event.action.files.map(({ path }) => path).join(', ')}`,
              event.at,
              WORTH.command,
            )
          return
        case 'result': {
          const command = commands.get(event.id)
          commands.delete(event.id)
          if (command !== undefined) take('command', `$ ${command}\n${event.text}`, event.at, WORTH.command)
        }
      }
    },
    tell: (text, at) => void take('brief', text, at, WORTH.said),
    hits(most) {
      endTurn()
      const ranked = [...prose.matches, ...done.matches]
        .map(prose.rater())
        // A word inside of another one is none.
        .filter(({ counts }) => counts.size > 0)
        .sort((a, b) => b.score - a.score || a.passage.order - b.passage.order)
      return chooseHits(ranked, most, words)
    },
  }
}

/** Whole paragraphs up to the size of a passage; longer ones are cut at lines. */
function piecesOf(text: string): string[] {
  if (text.length <= PASSAGE) return text.trim() === '' ? [] : [text]
  const pieces: string[] = []
  let piece = ''
  for (const line of text.split('\n')) {
    if (piece !== '' && piece.length + line.length > PASSAGE) {
      pieces.push(piece)
      piece = ''
    }
    piece = piece === '' ? line : `${piece}\n${line}`
  }
  return [...pieces, piece].filter((one) => one.trim() !== '')
}
