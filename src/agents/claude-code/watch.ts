import { isBoundary, isSince, isTurn, lastNames } from './rewinds.ts'
import { type Fields, textOf } from '../fields.ts'
import type { Block } from '../lines.ts'

/** Watches the rows of a transcript pass for one of the person that does not go on from the turn before it. */
export interface Watch {
  /** Takes a row and where its line stands; true when it may take back what came before. */
  row(record: Fields, block: Pick<Block, 'bytes' | 'offset'>, start: number, stop: number): boolean
  /** The block has passed. */
  end(bytes: Buffer): void
  readonly isRewound: boolean
}

/** Suspects more than `findRewinds` finds, never less: it does not look for the row that a turn goes on from. */
export function createWatch(): Watch {
  /** Offset of the turn before in the file. */
  let previous: number | null = null
  /** No turn has begun since the last compaction: what the next one goes on from does not count. */
  let isFresh = false
  let carried: ReadonlySet<string> = new Set()
  let isRewound = false
  return {
    row(record, { bytes, offset }, start, stop) {
      if (record.type === 'system') {
        if (record.subtype === 'compact_boundary' && isBoundary(bytes.subarray(start, stop))) isFresh = true
        return false
      }
      if (!isTurn(record)) return false
      const parent = textOf(record.parentUuid)
      isRewound =
        previous !== null &&
        !isFresh &&
        parent !== '' &&
        !isSince(previous - offset, bytes, start, parent, carried)
      previous = offset + start
      isFresh = false
      return isRewound
    },
    end(bytes) {
      carried = lastNames(bytes)
    },
    get isRewound() {
      return isRewound
    },
  }
}
