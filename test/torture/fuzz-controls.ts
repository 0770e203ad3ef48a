import type { Adapter } from '../../src/types/agent.ts'
import type { SessionEvent } from '../../src/types/session.ts'
import type { Subject } from './fuzz-hunt.ts'
import { hunt } from './fuzz-hunt.ts'
import { type DamagedSession, sessionSubjects } from './fuzz-sessions.ts'
import type { Context } from './part.ts'

/** A reader that does this with every batch it reads. */
const spoilt =
  (spoil: (batch: readonly SessionEvent[]) => void) =>
  (adapter: Adapter): Adapter => ({
    ...adapter,
    async *read(ref, options) {
      for await (const batch of adapter.read(ref, options)) {
        spoil(batch)
        yield batch
      }
    },
  })

/** JSON writes such a half as an escape, wherever it stands. */
const hasLone = (batch: readonly SessionEvent[]): boolean => /\\ud[89a-f]/.test(JSON.stringify(batch))

/** Defects planted in the reader, each of which a hunt must find; and what must be said of it. */
const PLANTED: Readonly<
  Record<string, { wrap: (adapter: Adapter) => Adapter; says: RegExp; isSlow?: true }>
> = {
  'a reader that throws on a lone surrogate': {
    wrap: spoilt((batch) => {
      if (hasLone(batch)) throw new Error('planted: a lone surrogate')
    }),
    says: /planted: a lone surrogate/,
  },
  'a reader that leaves a rejection to nobody': {
    wrap: spoilt((batch) => {
      if (hasLone(batch)) void Promise.reject(new Error('planted: nobody waits'))
    }),
    says: /nobody handles: Error: planted/,
  },
  'a reader that hangs at a lone surrogate': {
    wrap: spoilt((batch) => {
      const end = performance.now() + 1.1 * HANGS
      if (hasLone(batch)) while (performance.now() < end);
    }),
    says: /it took \d+ ms/,
    isSlow: true,
  },
}

/** What hangs here, in ms: the planted reader need not take a minute. */
const HANGS = 5000

/** Far more inputs than any of them takes. */
const MOST = 1500

/** Negative controls: with a defect planted the hunt must come back with it. */
export async function runControls(context: Context): Promise<void> {
  for (const [name, { wrap, says, isSlow = false }] of Object.entries(PLANTED)) {
    if (isSlow && !context.long) continue
    const subjects = await sessionSubjects(context, wrap)
    const subject = subjects.find(({ kind }) => kind.endsWith('claude-code')) as Subject<DamagedSession>
    const seed = Math.floor(context.random() * 2 ** 31)
    const { found, runs } = await hunt(subject, MOST, seed, { shrinking: 2000, hangs: HANGS })
    const isFound = found !== null && says.test(found.why)
    context.case({ control: name, seed, runs, found })
    context.row(
      `planted: ${name}`,
      'fuzz',
      1,
      isFound,
      isFound
        ? `found by input ${runs}, seed ${seed}`
        : `not found in ${runs}; ${found?.why.split('\n')[0] ?? ''}`,
    )
  }
}
