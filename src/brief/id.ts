import { badId } from '../errors/briefs.ts'

/** One case, no colon, no dot, sorts by time; safe in paths, refs and URLs of every system. */
export const ID = /^\d{8}T\d{6}-[0-9a-f]{8}$/
/** Every id in a text. */
export const IDS = /\b\d{8}T\d{6}-[0-9a-f]{8}\b/g
const FILE = /^(\d{8}T\d{6}-[0-9a-f]{8})(?:-[a-z0-9-]{1,48})?\.md$/
const SLUG_LENGTH = 48

export const isBriefId = (value: unknown): value is string => typeof value === 'string' && ID.test(value)

/**
 * A new brief id in UTC. Its time is the later of `now` and one millisecond after the parent's, so that a skewed clock
 * never sorts a child before its parent. `entropy`: five hex digits. Throws RangeError for anything else.
 */
export function makeBriefId(now: Date, entropy: string, parent: string | null): string {
  if (!/^[0-9a-f]{5}$/.test(entropy)) throw new RangeError('entropy must be five hex digits')
  const after = parent === null ? null : timeOfId(parent)
  const time = new Date(Math.max(now.getTime(), after === null ? 0 : after + 1))
  const stamp = time.toISOString().replace(/[-:]|\.\d+Z$/g, '')
  return `${stamp}-${time.getUTCMilliseconds().toString(16).padStart(3, '0')}${entropy}`
}

/** Milliseconds since the epoch that an id tells, or null when it is no id or no date. */
export function timeOfId(id: string): number | null {
  if (!isBriefId(id)) return null
  const part = (from: number, to: number): string => id.slice(from, to)
  const iso = `${part(0, 4)}-${part(4, 6)}-${part(6, 8)}T${part(9, 11)}:${part(11, 13)}:${part(13, 15)}Z`
  const time = Date.parse(iso)
  // Ids of other writers may carry more than 999 in the three digits of the milliseconds.
  return Number.isNaN(time) ? null : time + Math.min(Number.parseInt(part(16, 19), 16), 999)
}

/** Repository-relative path of a brief; the record that closes a chain shows it in its name. Throws `badId` before any path is built from a wrong id. */
export function briefPath(id: string, goal: string, kind?: 'handoff' | 'done'): string {
  if (!isBriefId(id)) throw badId(String(id))
  return `.handoff/briefs/${id}-${slug(kind === 'done' ? `done ${goal}` : goal)}.md`
}

export function idOfPath(path: string): string | null {
  return FILE.exec(path.slice(path.lastIndexOf('/') + 1))?.[1] ?? null
}

/** What a person reads in a directory listing: `[a-z0-9-]`, at most 48, never empty. */
export function slug(goal: string): string {
  const words = latin(goal)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')
  if (words.length <= SLUG_LENGTH) return words || 'handoff'
  const cut = words.slice(0, SLUG_LENGTH + 1)
  const end = cut.lastIndexOf('-')
  // A word longer than half the room is cut inside, anything else at its end.
  return (end > SLUG_LENGTH / 2 ? cut.slice(0, end) : cut.slice(0, SLUG_LENGTH)).replace(/-+$/, '')
}

/** Letters that Unicode does not take apart, as `letter=latin`. */
const LETTERS = new Map(
  (
    'ß=ss æ=ae œ=oe ø=o đ=d ð=d ł=l þ=th ı=i ' +
    'а=a б=b в=v г=g д=d е=e ж=zh з=z и=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh ' +
    'щ=shch ъ= ы=y ь= э=e ю=yu я=ya є=ye і=i ґ=g ' +
    'α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o'
  )
    .split(' ')
    .map((pair) => pair.split('=') as [string, string]),
)

function latin(text: string): string {
  const plain = text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '')
  return plain.replace(/\P{ASCII}/gu, (letter) => LETTERS.get(letter) ?? ' ')
}
