#!/usr/bin/env node
'use strict'
const { argv } = process
if (argv.length === 3 && (argv[2] === '--version' || argv[2] === '-V')) {
  // Scripts ask for it often; the program itself need not be loaded.
  process.stdout.write(`${require('../package.json').version}\n`)
} else {
  try {
    void require('../dist/cli.cjs').main(process)
  } catch (error) {
    if (error?.code !== 'MODULE_NOT_FOUND' || !String(error.message).includes('dist/cli.cjs')) throw error
    process.stderr.write('handoff is not built here yet. Run: npm ci && npm run build\n')
    process.exitCode = 2
  }
}
