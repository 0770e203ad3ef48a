import { isProhibition } from './demands.ts'
import { wordsOf } from './path-text.ts'

/** A sentence that takes an earlier demand back, and what it is about. */
export interface Retraction {
  type: 'forget' | 'permit' | 'switch'
  /** Words naming the thing; any earlier demand about it is dropped. */
  about: string
}

/** Words without which the pattern of the same name cannot fit; looked for first, since those are slow to compile. */
const MAY = {
  forget: /\b(?:ignore|forget|disregard|scrap|drop|never ?mind)\b/i,
  permit: /\b(?:you (?:may|can)|allowed|ok(?:ay)?|fine|safe|free|go ahead)\b/i,
  switchOf: /\s(?:instead of|rather than|not)\s/i,
  switch: /\b(?:actually|on second thought|correction|instead|changed my mind|switch)/i,
}
const FORGET =
  /\b(?:ignore|forget|disregard|scrap|drop|never ?mind)\b,?\s+(?:(?:about\s+)?(?:what|everything|anything) (?:i|I) (?:said|wrote|asked|told you)(?: (?:earlier|before))?|my (?:earlier |previous |last )?(?:\w+ )?(?:rule|instruction|request|constraint|comment|message|point|wish)s?|the (?:earlier |previous )?(?:\w+ )?(?:rule|instruction|constraint|requirement|restriction)s?)(?:\s+(?:about|on|regarding|for|that|to|not to|with))?\s+(.+)$/i
const FORGET_SHORT = /\b(?:forget about|never ?mind(?: about)?)\s+(.+)$/i
const PERMIT =
  /\b(?:you (?:may|can|are allowed to|['’]re allowed to)|it(?:['’]s| is)(?: now)? (?:ok|okay|fine|allowed|safe)(?: now)? (?:to|if you|for you to)|feel free to|go ahead and)\s+(?:now\s+|also\s+)?(?:touch|edit|change|modify|use|add|remove|delete|rename|move|update|rewrite|refactor|commit|push|install|run|break|drop)\s+(.+)$/i
const FREE =
  /^(?:ok(?:ay)?,?\s+|actually,?\s+)?(.+?)\s+(?:is|are) (?:now )?(?:ok|okay|fine|free|allowed|safe) to (?:touch|edit|change|modify|use|remove|delete)\b/i
const SWITCH_OF =
  /\b(?:use|switch to|go with|take|prefer)\s+(.+?)\s+(?:instead of|rather than|not|and not)\s+(.+)$/i
const SWITCH =
  /\b(?:actually|on second thoughts?|correction|instead|changed my mind)\b.*?\b(?:use|switch (?:back )?to|go with|take)\s+(.+?)(?:\s+instead)?[.!]?$|\b(?:use|switch (?:back )?to|go with|take)\s+(.+?)\s+instead[.!]?$|\bswitch (?:back )?to\s+(.+?)[.!]?$/i

/** What a sentence takes back; empty for most. */
export function retractionsOf(sentence: string): Retraction[] {
  const forget = MAY.forget.test(sentence)
    ? (FORGET.exec(sentence)?.[1] ?? FORGET_SHORT.exec(sentence)?.[1])
    : undefined
  if (forget) return [{ type: 'forget', about: forget }]
  const permit =
    !MAY.permit.test(sentence) || /[?？]$/.test(sentence)
      ? undefined
      : (PERMIT.exec(sentence)?.[1] ?? FREE.exec(sentence)?.[1])
  if (permit)
    return [
      {
        type: 'permit',
        about: permit.replace(/\b(?:now|again|after all|anyway|too|as well|if needed)\b/gi, ''),
      },
    ]
  const of = MAY.switchOf.test(sentence) ? SWITCH_OF.exec(sentence)?.[2] : undefined
  if (of) return [{ type: 'switch', about: of }]
  const to = MAY.switch.test(sentence) ? SWITCH.exec(sentence) : null
  const chosen = to?.[1] ?? to?.[2] ?? to?.[3]
  if (chosen === undefined) return []
  return rivalsOf(chosen).map((rival) => ({ type: 'switch', about: rival }))
}

/** Whether an earlier demand no longer stands after a retraction. */
export function isRetracted(demand: string, retraction: Retraction): boolean {
  if (retraction.type === 'permit' && !isProhibition(demand)) return false
  const about = subjectOf(retraction.about)
  if (about.length === 0) return false
  const held = new Set(subjectOf(demand))
  // "do not use X" already says what "use Y instead of X" says; the newer one does not contradict it.
  if (retraction.type === 'switch' && isProhibition(demand) && !wants(demand, about)) return false
  const shared = about.filter((word) => held.has(word)).length
  return shared > 0 && shared * 2 >= about.length && (retraction.type !== 'permit' || shared === about.length)
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
