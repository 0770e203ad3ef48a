/**
 * Preloaded into a measured process: writes its own peak memory in KB and processor time in ms at its end, children not
 * counted. Linux carries the peak of the parent over into `ru_maxrss` of a new process, so `VmHWM` is taken where it is told.
 */
const { readFileSync, writeFileSync } = require('node:fs')

const out = process.env.HANDOFF_BENCH_USAGE
if (out !== undefined) {
  // Only the process itself: whatever it starts must not write here too.
  delete process.env.HANDOFF_BENCH_USAGE
  delete process.env.NODE_OPTIONS
  process.on('exit', () => {
    const { user, system } = process.cpuUsage()
    writeFileSync(out, JSON.stringify({ peakKb: peakKb(), cpuMs: (user + system) / 1000 }))
  })
}

function peakKb() {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS
  return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1])
}
