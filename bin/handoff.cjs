#!/usr/bin/env node
'use strict'
try {
  void require('../dist/cli.cjs').main(process)
} catch (error) {
  if (error?.code !== 'MODULE_NOT_FOUND' || !String(error.message).includes('dist/cli.cjs')) throw error
  process.stderr.write('handoff is not built here yet. Run: npm ci && npm run build\n')
  process.exitCode = 2
}
