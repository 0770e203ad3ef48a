'use strict'
/**
 * The least that could be done for `create`: Node, the reading git commands that it needs, side by side, and a session read in
 * blocks, of which only the lines are parsed that may matter: no result of a tool that is not an error, no thinking. What is
 * read is thrown away. `node bench/floor.cjs <session file>`, in a repository.
 */
const { spawn } = require('node:child_process')
const { openSync, readSync } = require('node:fs')

const GIT = [
  ['rev-parse', '--is-bare-repository', '--absolute-git-dir', '--git-common-dir', '--show-toplevel'],
  ['status', '--porcelain=v2', '-z', '--branch', '--untracked-files=all', '--find-renames'],
  [
    'for-each-ref',
    '--format=%(refname) %(objectname)',
    'refs/heads/main',
    'refs/remotes/*/main',
    'refs/handoff',
  ],
  ['config', '-z', '--show-scope', '--get-regexp', '^(user.(name|email)|commit.gpgsign)$'],
  ['log', '-z', '-M', '--name-status', '--format=%H%x00%P%x00%aI%x00%s', '-n', '72'],
]
/** Bytes at the start of a line by which it is told. */
const GLANCE = 600

let bytes = 0
for (const args of GIT)
  spawn('git', args, { stdio: ['ignore', 'pipe', 'inherit'] }).stdout.on(
    'data',
    (part) => (bytes += part.length),
  )

let parsed = 0
const fd = openSync(process.argv[2], 'r')
let held = Buffer.alloc(0)
const block = Buffer.alloc(1 << 20)
for (;;) {
  const count = readSync(fd, block, 0, block.length, null)
  if (count === 0) break
  const all = held.length === 0 ? block.subarray(0, count) : Buffer.concat([held, block.subarray(0, count)])
  let from = 0
  for (let end = all.indexOf(10); end !== -1; end = all.indexOf(10, from)) {
    look(all, from, end)
    from = end + 1
  }
  held = Buffer.from(all.subarray(from))
}

process.on('exit', () => process.stdout.write(`${parsed} lines, ${bytes} bytes of git\n`))

function look(all, from, end) {
  const glance = all.latin1Slice(from, Math.min(end, from + GLANCE))
  if (glance.includes('"type":"thinking"')) return
  if (glance.includes('"type":"tool_result"') && !all.subarray(from, end).includes('"is_error":true')) return
  JSON.parse(all.utf8Slice(from, end))
  parsed++
}
