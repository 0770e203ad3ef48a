import { spawn, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import { makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { root } from './build.ts'

const GUIDANCE = 'Be specific: what should the next thread accomplish?'
/** The one of util-linux; that of BSD has other options. */
const hasScript = /util-linux/.test(spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout ?? '')
const scriptTest = (name: string, body: () => Promise<void>): void =>
  hasScript ? test(name, body) : test.skip(`${name} [not run: script of util-linux is not installed]`, body)

/** Answers the first question of `create` in a pseudo terminal that is no screen of tmux. */
function createIn(repo: TempRepo, keys: string): Promise<{ code: number | null; output: string }> {
  const command = `'${process.execPath}' '${join(root, 'bin/handoff.cjs')}' create`
  const child = spawn('script', ['-qec', command, '/dev/null'], {
    cwd: repo.root,
    env: { ...repo.env, LC_ALL: 'C.UTF-8', TERM: 'vt100', SHELL: '/bin/sh' },
    timeout: 60_000,
  })
  let output = ''
  let isAnswered = false
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text
    if (isAnswered || !output.includes('└')) return
    isAnswered = true
    child.stdin.write(keys)
  })
  return new Promise((done) => child.on('close', (code) => done({ code, output })))
}

function world(): TempRepo {
  const repo = makeRepo()
  repo.commit('queue', { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n' })
  writeClaudeSession(repo, USUAL, { end: new Date(Date.now() - 60_000) })
  return repo
}

scriptTest('the goal is asked for in the terminal of script as well', async () => {
  const repo = world()
  const { code, output } = await createIn(repo, 'finish the retry queue and document its limits\r')
  expect([code, output]).toEqual([0, expect.stringContaining(GUIDANCE)])
  expect(repo.git(['log', '--format=%s', '-1'])).toMatch(/^chore\(handoff\): finish the retry queue/)
})

scriptTest('and left with Esc', async () => {
  const repo = world()
  const { code, output } = await createIn(repo, '\u001b')
  expect([code, output]).toEqual([130, expect.stringContaining('Handoff cancelled')])
  expect(repo.git(['status', '--porcelain'])).toBe('')
})
