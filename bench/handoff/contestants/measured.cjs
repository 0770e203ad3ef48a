/** Loaded into a Node program before its own code: writes its largest memory, in KB, to a file when it ends. */
const { writeFileSync } = require('node:fs')

process.on('exit', () =>
  writeFileSync(process.env.HANDOFF_BENCH_PEAK, String(process.resourceUsage().maxRSS)),
)
