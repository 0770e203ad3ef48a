import { spawn } from 'node:child_process'
import { mkdir, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { root } from '../../e2e/build.ts'
import { makeLab } from '../../e2e/lab.ts'
import { hashFiles } from '../../repo/hash-files.ts'
import { byNight, sampled } from '../../sampled.ts'

const PROGRAM = join(root, 'bin', 'handoff.cjs')

/** Runs the built demo, sends the signals when the text is printed, and gives what it came to. */
async function demoUntil(text: string | null, signals: readonly NodeJS.Signals[]) {
  const lab = await makeLab()
  const temporary = join(lab.folder, 'tmp')
  await mkdir(temporary)
  const before = hashFiles(lab.folder)
  const child = spawn(process.execPath, [PROGRAM, 'demo'], {
    cwd: lab.repo,
    env: { PATH: lab.path, HOME: lab.home, TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let stdout = ''
  let stderr = ''
  let sent = false
  child.stderr.setEncoding('utf8').on('data', (part: string) => {
    stderr += part
  })
  child.stdout.setEncoding('utf8').on('data', (part: string) => {
    stdout += part
    if (text === null || sent || !stdout.includes(text)) return
    sent = true
    for (const signal of signals) child.kill(signal)
  })
  const code = await new Promise((done) => child.once('close', done))
  expect(await readdir(temporary)).toEqual([])
  expect(hashFiles(lab.folder)).toEqual(before)
  return { code, stdout, stderr }
}

it('tells its story to the end', async () => {
  const { code, stdout, stderr } = await demoUntil(null, [])
  expect([code, stderr]).toEqual([0, ''])
  expect(stdout).toContain('\nHanded over: ')
  expect(stdout).toMatch(/^ {2}\S.* create "<[^"]+>"\n$/m)
})

const SIGNALS = [[['SIGINT']], [['SIGTERM']], [['SIGHUP']], [['SIGINT', 'SIGINT']]] as const
byNight.each(sampled<(typeof SIGNALS)[number]>(SIGNALS, 1))('%j leaves no folder behind', async (signals) => {
  for (const text of ['$ git diff', '$ git handoff create', '$ git handoff done']) {
    const { code, stdout } = await demoUntil(text, signals)
    expect(code).toBe(130)
    expect(stdout).not.toContain('In your own repository')
  }
})
