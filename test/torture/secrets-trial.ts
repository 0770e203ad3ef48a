import type { Context } from './part.ts'
import { createDetector, createMint, type Fake, KINDS } from './secrets-fakes.ts'
import type { Plant } from './secrets-gathered.ts'
import { makeWorld, type Traces, type World } from './secrets-world.ts'
import { sideBySide } from './side-by-side.ts'

/** A secret that was found where none may be; told by kind and place, never by value. */
export interface Leak {
  kind: string
  place: string
  where: string
}

/** One world in which secrets are planted and looked for. */
export interface Trial {
  world: World
  plant: Plant
  /** Places so far, each with the kinds that were put there. */
  planted: ReadonlyMap<string, string[]>
  /** What came out since the last look, in the world or among `more`. */
  leaks(more?: Traces): Leak[]
}

/**
 * Opens a world. `turn` settles which kind comes to which place: over as many turns as there are kinds every kind has been in every
 * place once.
 */
export function openTrial(program: string, seed: number, turn: number): Trial {
  const mint = createMint(seed + turn)
  const world = makeWorld(program)
  const all: { place: string; fake: Fake }[] = []
  const planted = new Map<string, string[]>()
  const order = new Map<string, number>()
  const plant: Plant = (place, { isName = false, isValue = false } = {}) => {
    if (!order.has(place)) order.set(place, order.size)
    let fake = mint('random value', '{A-Za-z0-9:24}')
    // A name takes no address and no line break: there the next kind that may be one.
    for (let step = 0; !isValue && (step === 0 || (isName && !fake.isName)); step++) {
      const [kind, shape] = KINDS[(turn + (order.get(place) ?? 0) + step) % KINDS.length] ?? ['', '']
      fake = mint(kind, shape)
    }
    all.push({ place, fake })
    planted.set(place, [...(planted.get(place) ?? []), fake.kind])
    return fake
  }
  return {
    world,
    plant,
    planted,
    leaks(more = []) {
      const detect = createDetector(all.map((one) => [one, one.fake.cores] as const))
      return [...world.traces(), ...more].flatMap(({ where, text }) =>
        [...detect(text)].map(({ place, fake }) => ({ kind: fake.kind, place, where })),
      )
    },
  }
}

/** Worlds at a time in the long form: a run waits for git and for its disk as long as it computes. */
const WORLDS = 4

/** The first turn, or in the long form every one of them; each has a world of its own. */
export const eachTurn = (
  { long }: Pick<Context, 'long'>,
  most: number,
  deal: (turn: number) => Promise<void>,
): Promise<void> => sideBySide(WORLDS, long ? Array.from({ length: most }, (_, turn) => turn) : [0], deal)

/** `where` of each leak, each once, with the kind. */
export const tellLeaks = (leaks: readonly Leak[]): string =>
  [...new Set(leaks.map(({ kind, where }) => `${kind} in ${where}`))].slice(0, 4).join('; ')
