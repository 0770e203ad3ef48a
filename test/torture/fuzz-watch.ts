import { Worker } from 'node:worker_threads'

/**
 * An input that is not done after so much processor time, or so long on the clock, never is, in ms. The clock alone says little: other
 * programs may hold the processor.
 */
const MOST_CPU = 60_000
const MOST_CLOCK = 600_000

/** Looks at a counter from another thread, since a thread that hangs cannot look at itself. */
const WATCH = `
const { writeSync } = require('node:fs')
const { workerData: { beats, label, mostCpu, mostClock } } = require('node:worker_threads')
const spent = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000 }
let seen = -1, since = Date.now(), before = spent()
setInterval(() => {
  const now = Atomics.load(beats, 0)
  if (now !== seen) { seen = now; since = Date.now(); before = spent() }
  else if (spent() - before > mostCpu || Date.now() - since > mostClock) {
    writeSync(2, 'fuzz: input ' + now + ' of ' + label + ' hangs\\n')
    process.kill(process.pid, 'SIGKILL')
  }
}, 1000)
`

/** Ends this process with a word on which input it was when one takes forever; `beat` before each, `stop` after the last. */
export function startWatch(label: string): { beat(): void; stop(): void } {
  const beats = new Int32Array(new SharedArrayBuffer(4))
  const workerData = { beats, label, mostCpu: MOST_CPU, mostClock: MOST_CLOCK }
  const worker = new Worker(WATCH, { eval: true, workerData })
  worker.unref()
  return { beat: () => void Atomics.add(beats, 0, 1), stop: () => void worker.terminate() }
}
