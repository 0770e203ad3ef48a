/** Loaded into a Node program before its own code: writes its largest memory and its processor time to a file when it ends. */
const { writeFileSync } = require('node:fs')

process.on('exit', () => {
  const { maxRSS, userCPUTime, systemCPUTime } = process.resourceUsage()
  const used = { peakMb: maxRSS / 1024, cpuMs: (userCPUTime + systemCPUTime) / 1000 }
  writeFileSync(process.env.HANDOFF_BENCH_USED, JSON.stringify(used))
})
