import { closeSync, fstatSync, openSync, readSync, type Stats } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { SHARE_ENV, Worker } from 'node:worker_threads'
import { isPacked } from '../agents/session-files.ts'
import type { RawFinds } from '../secrets/raw.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { scanFile } from './scan-file.ts'

declare const __SCAN_THREAD__: string | undefined
/** The thread's file; run from source there is none, and all is scanned in the thread that reads. */
const THREAD = typeof __SCAN_THREAD__ === 'string' ? join(__dirname, __SCAN_THREAD__) : null

/**
 * Bytes from which a thread of its own pays on two cores: a session of 200 MB takes 1.46 instead of 1.80 s by median, one of
 * 44 MB 452 instead of 467 ms for a quarter more of processor time.
 */
const LEAST = 64 << 20
const NEWLINE = 10
/** Far more than what it keeps, and no more than a session costs that is read here. */
const LIMITS = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 2, stackSizeMb: 1 }

/** Looks for secrets in the raw bytes of a session. */
export interface RawScan {
  /** Takes the blocks that are read; those the thread looks at are passed over. */
  onRaw(block: Buffer, from: { path: string; offset: number }): void
  /** Everything that was read has been looked at, and the scanner knows what was found. */
  finish(): Promise<void>
  /** Ends the thread; what it found is lost. */
  stop(): void
}

/**
 * Starts to look for secrets in a session, a large one on a thread of its own, which reads the file by itself. It takes
 * the whole lines among the bytes that the file has now; what is read beyond them, and any other file, is looked at here.
 */
export function startRawScan(
  scanner: Scanner,
  path: string | null,
  { thread = THREAD, least = LEAST }: { thread?: string | null; least?: number } = {},
): RawScan {
  const ahead = path === null || thread === null || isPacked(path) ? null : openAhead(path, thread, least)
  if (ahead === null) return { onRaw: scanner.onRaw, finish: async () => {}, stop: () => {} }
  return {
    onRaw(block, from) {
      if (from.path !== path) return scanner.onRaw(block)
      // Up to the last newline before the end, as the thread does.
      const covered = block.subarray(0, Math.max(0, ahead.end - from.offset)).lastIndexOf(NEWLINE) + 1
      if (covered < block.length) scanner.onRaw(block.subarray(covered))
    },
    async finish() {
      for (const finds of await ahead.finds()) scanner.learn(finds)
    },
    stop: ahead.stop,
  }
}

/** What a thread finds in the first `end` bytes of a file. */
interface Ahead {
  end: number
  /** Of the file as it was; as it is now too, where more happened to it than that lines were added. */
  finds(): Promise<RawFinds[]>
  stop(): void
}

/** Null for a file that is small or not to be opened, and where no thread can be had. */
function openAhead(path: string, thread: string, least: number): Ahead | null {
  const opened = openLarge(path, least)
  if (opened === null) return null
  // Asked for a large file alone: the module takes a millisecond to load.
  if (availableParallelism() < 2) {
    closeSync(opened.fd)
    return null
  }
  const { fd, stat } = opened
  const end = stat.size
  const tail = tailOf(fd, end)
  let worker: Worker
  try {
    worker = new Worker(thread, { workerData: { fd, end }, env: SHARE_ENV, resourceLimits: LIMITS })
  } catch {
    // No room for a thread: all is scanned here.
    closeSync(fd)
    return null
  }
  const answer = new Promise<RawFinds | null>((resolve) => {
    worker.once('message', resolve)
    // It could not be started or ran out of memory; what it was to do is done here then.
    worker.once('error', () => resolve(null))
    worker.once('exit', () => resolve(null))
  })
  return {
    end,
    async finds() {
      const finds = (await answer) ?? scanFile(fd, end)
      const now = openLarge(path, 0)
      if (now === null) return [finds]
      try {
        const isSame = now.stat.ino === stat.ino && now.stat.dev === stat.dev
        if (isSame && tail.equals(tailOf(now.fd, end))) return [finds]
        return [finds, scanFile(now.fd, now.stat.size)]
      } finally {
        closeSync(now.fd)
      }
    },
    // Closed only when nobody reads it any more: its number may be given to another file.
    stop: () => void worker.terminate().finally(() => closeSync(fd)),
  }
}

const TAIL = 4096

/** The last bytes of the first `end`; fewer when the file became shorter. */
function tailOf(fd: number, end: number): Buffer {
  const bytes = Buffer.alloc(Math.min(TAIL, end))
  return bytes.subarray(0, readSync(fd, bytes, 0, bytes.length, end - bytes.length))
}

function openLarge(path: string, least: number): { fd: number; stat: Stats } | null {
  try {
    const fd = openSync(path, 'r')
    const stat = fstatSync(fd)
    if (stat.isFile() && stat.size >= least) return { fd, stat }
    closeSync(fd)
    return null
  } catch {
    // Who reads the session tells what is wrong with it.
    return null
  }
}
