import { createPicker, type Rule, wordsIn } from './cues.ts'
import { isProhibition } from './demands.ts'
import { wordsOf } from './path-text.ts'

/** A sentence that takes an earlier demand back, and what it is about. */
export interface Retraction {
  type: 'forget' | 'permit' | 'switch' | 'correct'
  /** Words naming the thing; any earlier demand about it is dropped. */
  about: string
}

const PERMITTED =
  'touch edit change modify use add remove delete rename move update rewrite refactor commit push install run break drop'

interface TakeBack extends Rule {
  type: Retraction['type']
  /** The first of the pattern's groups that can name the thing; 1 unless told. */
  from?: number
  /** The group names what takes the place of the thing. */
  isRival?: true
}

/** The first that fits counts. */
export const TAKE_BACKS: readonly TakeBack[] = [
  {
    type: 'forget',
    cue: ['ignore forget disregard scrap drop nevermind mind', 'said wrote asked told my the'],
    shape:
      /\b(?:ignore|forget|disregard|scrap|drop|never ?mind)\b,?\s+(?:(?:about\s+)?(?:what|everything|anything) (?:i|I) (?:said|wrote|asked|told you)(?: (?:earlier|before))?|my (?:earlier |previous |last )?(?:\w+ )?(?:rule|instruction|request|constraint|comment|message|point|wish)s?|the (?:earlier |previous )?(?:\w+ )?(?:rule|instruction|constraint|requirement|restriction)s?)(?:\s+(?:about|on|regarding|for|that|to|not to|with))?\s+(.+)$/i,
  },
  {
    type: 'forget',
    cue: ['forget nevermind mind'],
    shape: /\b(?:forget about|never ?mind(?: about)?)\s+(.+)$/i,
  },
  {
    type: 'permit',
    cue: ['may can allowed ok okay fine safe free ahead', PERMITTED],
    shape:
      /\b(?:you (?:may|can|are allowed to|['’]re allowed to)|it(?:['’]s| is)(?: now)? (?:ok|okay|fine|allowed|safe)(?: now)? (?:to|if you|for you to)|feel free to|go ahead and)\s+(?:now\s+|also\s+)?(?:touch|edit|change|modify|use|add|remove|delete|rename|move|update|rewrite|refactor|commit|push|install|run|break|drop)\s+(.+)$/i,
  },
  {
    type: 'permit',
    cue: ['ok okay fine free allowed safe', PERMITTED],
    shape:
      /^(?:ok(?:ay)?,?\s+|actually,?\s+)?(.+?)\s+(?:is|are) (?:now )?(?:ok|okay|fine|free|allowed|safe) to (?:touch|edit|change|modify|use|remove|delete)\b/i,
  },
  {
    type: 'switch',
    from: 2,
    cue: ['instead rather not', 'use switch go take prefer'],
    shape:
      /\b(?:use|switch to|go with|take|prefer)\s+(.+?)\s+(?:instead of|rather than|not|and not)\s+(.+)$/i,
  },
  {
    type: 'switch',
    isRival: true,
    cue: ['actually thought thoughts correction instead mind switch', 'use switch go take'],
    shape:
      /\b(?:actually|on second thoughts?|correction|instead|changed my mind)\b.*?\b(?:use|switch (?:back )?to|go with|take)\s+(.+?)(?:\s+instead)?[.!]?$|\b(?:use|switch (?:back )?to|go with|take)\s+(.+?)\s+instead[.!]?$|\bswitch (?:back )?to\s+(.+?)[.!]?$/i,
  },
  {
    type: 'correct',
    cue: ['no nope actually wait sorry correction scratch meant rather'],
    shape:
      /^(?:(?:ok(?:ay)?|but|oh|no|nope|wait|sorry|hm+),?\s+)*(?:no|nope|actually|wait|sorry|correction|scratch that|i meant|rather)\b[,.:;!—–-]*\s+(.+)$/i,
  },
]
const takeBacksIn = createPicker(TAKE_BACKS)

/** What a sentence takes back; empty for most. `words` are those of the sentence. */
export function retractionsOf(sentence: string, words: readonly string[] = wordsIn(sentence)): Retraction[] {
  for (const { type, from = 1, isRival, shape } of takeBacksIn(sentence, words)) {
    if (type === 'permit' && /[?？]$/.test(sentence)) continue
    const thing = shape
      .exec(sentence)
      ?.slice(from)
      .find((group) => group !== undefined)
    if (thing === undefined) continue
    if (isRival) {
      const rivals = rivalsOf(thing).map((rival) => ({ type, about: rival }))
      if (rivals.length > 0) return rivals
      continue
    }
    if (type === 'correct' && (/[?？]$/.test(sentence) || ADDS.test(sentence))) continue
    return [{ type, about: type === 'permit' ? thing.replace(ASIDE, '') : thing }]
  }
  return []
}

/** Words of a permission that do not name what it is about. */
const ASIDE = /\b(?:now|again|after all|anyway|too|as well|if needed)\b/gi

/** What adds to an earlier demand leaves it standing. */
const ADDS = /\b(?:also|too|as well|either|neither|still|another|add(?:itionally)?)\b/i

/**
 * Whether an earlier demand no longer stands after a retraction: a function that is asked about each demand. `held`: what
 * `subjectsOf` tells of the demand, for a caller who asks about it often.
 */
export function retracts(retraction: Retraction): (demand: string, held?: ReadonlySet<string>) => boolean {
  const about = subjectOf(retraction.about)
  return (demand, held = subjectsOf(demand)) => {
    // A demand that shares nothing is not taken back, and most share nothing.
    if (!about.some((word) => held.has(word))) return false
    if (retraction.type === 'permit' && !isProhibition(demand)) return false
    if (retraction.type === 'correct') return isCorrected(demand, held, retraction.about, about)
    // "do not use X" already says what "use Y instead of X" says; the newer one does not contradict it.
    if (retraction.type === 'switch' && isProhibition(demand) && !wants(demand, about)) return false
    const shared = about.filter((word) => held.has(word)).length
    return (
      shared > 0 && shared * 2 >= about.length && (retraction.type !== 'permit' || shared === about.length)
    )
  }
}

/** Words that name what a demand is about. */
export const subjectsOf = (demand: string): ReadonlySet<string> => new Set(subjectOf(demand))

/**
 * A correction is about the same thing and puts another in its place: it shares most of the words of the shorter one, leaves
 * one of the demand out and brings one that is new. Both ask or both forbid.
 */
function isCorrected(
  demand: string,
  held: ReadonlySet<string>,
  correction: string,
  said: readonly string[],
): boolean {
  const shared = said.filter((word) => held.has(word)).length
  const least = Math.min(said.length, held.size)
  return (
    shared > 0 &&
    shared < held.size &&
    shared < said.length &&
    shared * 2 >= least &&
    (shared > 1 || least <= 2) &&
    isProhibition(demand) === isProhibition(correction)
  )
}

/** The demand asks for these words and does not forbid them: "use npm, not yarn" wants npm. */
function wants(demand: string, about: readonly string[]): boolean {
  const asked = demand.split(/,?\s+(?:not|instead of|rather than|never|without)\b/i)[0] ?? ''
  if (/\b(?:do not|don['’]?t|never|avoid)\b/i.test(asked)) return false
  const words = new Set(subjectOf(asked))
  return about.some((word) => words.has(word))
}

/** Things of which one replaces the other. */
const RIVALS = [
  'npm pnpm yarn bun',
  'jest vitest mocha jasmine ava',
  'tabs spaces',
  'postgres postgresql mysql sqlite mariadb mongodb',
  'rest graphql grpc trpc',
  'axios fetch got',
  'zod yup valibot joi ajv',
  'rebase merge squash',
  'eslint biome oxlint',
  'webpack vite esbuild rollup parcel',
  'unittest pytest',
  'pip poetry uv',
  'redux zustand mobx',
  'sass tailwind',
  'moment dayjs luxon',
  'single double',
  'camelcase snakecase',
  'promises callbacks',
  'main master',
  'express fastify hono koa',
  'docker podman',
].map((line) => line.split(' '))

function rivalsOf(chosen: string): string[] {
  const words = new Set(subjectOf(chosen))
  return RIVALS.filter((group) => group.some((word) => words.has(word))).flatMap((group) =>
    group.filter((word) => !words.has(word)),
  )
}

const EMPTY = new Set(
  `the a an to of in on at for with and or not no do don t dont it its this that these those you your my our we i is are be was were
  please never always must should may can use using used touch change edit modify only just now again files file folder directory
  code all any anything everything from by as if so then about instead rather actually said rule rules`.split(
    /\s+/,
  ),
)

/** Words that name things: paths whole, other words in lower case without their plural. */
function subjectOf(text: string): string[] {
  const paths = text.match(/[\w.@-]*[/.][\w./@-]*\w/g) ?? []
  const rest = paths.reduce((left, path) => left.replace(path, ' '), text)
  const words = wordsOf(rest)
    .filter((word) => !EMPTY.has(word))
    .map((word) => (word.length > 4 ? word.replace(/s$/, '') : word))
  return [...new Set([...paths.map((path) => path.toLowerCase().replace(/\/$/, '')), ...words])]
}
