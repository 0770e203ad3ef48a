/** Preloaded into a process that is looked at: writes how often each function of the program was called, and how many modules were evaluated. */
const { writeFileSync } = require('node:fs')
const { Session } = require('node:inspector')

const out = process.env.HANDOFF_BENCH_COVERAGE
if (out !== undefined) {
  delete process.env.HANDOFF_BENCH_COVERAGE
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  process.on('exit', () =>
    session.post('Profiler.takePreciseCoverage', (_, { result }) => {
      const scripts = result.filter(({ url }) => /\bdist\/[\w-]+\.cjs$/.test(url))
      writeFileSync(out, JSON.stringify({ scripts, evaluated: globalThis.handoffEvaluated ?? 0 }))
    }),
  )
}
