import { Worker } from 'node:worker_threads'

/** An input that is not done after so long never is, in ms: far more than 2 s, since other programs may hold the processor. */
const FOREVER = 120_000

/** Looks at a counter from another thread, since a thread that hangs cannot look at itself. */
const WATCH = `
const { writeSync } = require('node:fs')
const { workerData: { beats, label, forever } } = require('node:worker_threads')
let seen = -1, since = Date.now()
setInterval(() => {
  const now = Atomics.load(beats, 0)
  if (now !== seen) { seen = now; since = Date.now() }
  else if (Date.now() - since > forever) {
    writeSync(2, 'fuzz: input ' + now + ' of ' + label + ' hangs\\n')
    process.kill(process.pid, 'SIGKILL')
  }
}, 1000).unref()
require('node:worker_threads').parentPort.on('message', () => process.exit(0))
`

/** Ends this process with a word on which input it was when one takes forever; `beat` before each, `stop` after the last. */
export function startWatch(label: string): { beat(): void; stop(): void } {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const worker = new Worker(WATCH, { eval: true, workerData: { beats, label, forever: FOREVER } })
  worker.unref()
  return { beat: () => void Atomics.add(beats, 0, 1), stop: () => void worker.terminate() }
}
