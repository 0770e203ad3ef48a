#!/usr/bin/env node
'use strict'
const { argv, env } = process
const only = argv.length === 3 ? argv[2] : undefined
// Scripts and agents ask for these two often; the program itself need not be loaded.
if (only === '--version' || only === '-V') print(`${require('../package.json').version}\n`)
// A pane that is narrower than the text has it broken between words.
else if ((only !== '--help' && only !== '-h') || process.stdout.columns < 80) void start()
else
  try {
    print(require('node:fs').readFileSync(`${__dirname}/../dist/help.txt`))
  } catch {
    void start() // It says what is missing.
  }

/** As the program itself does: a reader that went away is nothing, a disk that is full is said. */
function print(text) {
  process.stdout.on('error', ({ code, message }) => {
    if (code === 'EPIPE') return
    process.stderr.write(`handoff: standard output: ${message}\n`)
    process.exitCode = 1
  })
  process.stdout.write(text)
}

async function start() {
  // Agents wait for their hooks; those have a program of their own, a fraction of the whole.
  const isHook = argv[2] === 'hook' && argv.length === 6 && argv[4] === '--agent'
  let program
  try {
    const file = require.resolve(isHook ? '../dist/hook.cjs' : '../dist/cli.cjs')
    program = require('./load-cached.cjs').loadCached(file, env)
  } catch (error) {
    if (error?.code !== 'MODULE_NOT_FOUND' || !/dist.(?:cli|hook)\.cjs/.test(error.message)) throw error
    process.stderr.write('handoff is not built here yet. Run: npm ci && npm run build\n')
    process.exitCode = 2
    return
  }
  const reader = await program.exports.main(process)
  const what = isHook || argv[2] === 'sessions' ? argv[2] : 'create'
  const isCreate = argv[2] === 'create' || /\s/.test(argv[2] ?? '')
  // A run that made a brief has compiled most of what other runs need, but for the readers of other agents; a list of sessions reads many.
  if (!process.exitCode && (what !== 'create' || isCreate)) program.keep(reader ?? what)
}
