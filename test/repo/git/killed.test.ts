import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, test } from 'vitest'
import { commitFiles } from '../../../src/git/commit-files.ts'
import { openRepo } from '../../../src/git/open-repo.ts'
import { makeFolder, makeRepo } from '../make-repo.ts'
import { BRIEF, CONTENT, expectNoHarm, ID, MESSAGE, snapshot } from './harm.ts'

const request = { id: ID, files: [{ path: BRIEF, content: CONTENT }], message: MESSAGE }

describe('a branch that has moved though git says that it failed', () => {
  test('is believed: the reflog of HEAD could not be written', async () => {
    const temp = makeRepo()
    const before = temp.git(['rev-parse', 'HEAD'])
    temp.write(BRIEF, CONTENT)
    rmSync(join(temp.root, '.git/logs/HEAD'))
    temp.write('.git/logs/HEAD/in the way', '')
    const repo = await openRepo(temp.root, { env: temp.env })
    const outcome = await commitFiles(repo, request)
    expect(outcome.state).toBe('committed')
    expect(temp.git(['rev-parse', 'HEAD^'])).toBe(before)
    // Taking the index back would have staged the deletion of what was committed.
    expect(temp.git(['status', '--porcelain', '--', '.handoff'])).toBe('')
  })
})

function killGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL')
  } catch (error) {
    // It ended by itself just now.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

describe('a writer killed at any moment', () => {
  test('leaves nothing that the next create or the user trips over', async () => {
    const script = join(makeFolder(), 'writer.mjs')
    const source = new URL('../../../src/git/', import.meta.url).pathname
    await build({
      stdin: {
        contents: `import { commitFiles } from './commit-files.ts'
import { openRepo } from './open-repo.ts'
const repo = await openRepo(process.argv[2], { env: process.env })
process.stdout.write('ready')
await commitFiles(repo, ${JSON.stringify(request)})`,
        resolveDir: source,
        loader: 'ts',
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      banner: {
        js: `import { createRequire } from 'node:module'; const require = createRequire(${JSON.stringify(pathToFileURL(source).href)});`,
      },
      outfile: script,
      logLevel: 'error',
    })
    let stopped = 0
    for (let delay = 0; delay < 90; delay += 9) {
      const temp = makeRepo()
      temp.write('a.txt', 'staged by the user\n')
      temp.git(['add', 'a.txt'])
      temp.write(BRIEF, CONTENT)
      const before = snapshot(temp)
      const child = spawn(process.execPath, [script, temp.root], {
        env: temp.env,
        stdio: ['ignore', 'pipe', 'inherit'],
        detached: true,
      })
      await new Promise((ready) => child.stdout?.once('data', ready))
      const ended = new Promise((resolve) => child.once('close', resolve))
      await new Promise((done) => setTimeout(done, delay))
      // Its git as well: one that goes on alone may finish a private file after the next create has swept.
      if (child.exitCode === null && child.pid !== undefined) killGroup(child.pid)
      await ended
      if (temp.git(['rev-list', '--count', 'HEAD']) === '1') stopped++
      // Never a staged deletion: the brief is absent, staged or committed.
      expect(temp.git(['status', '--porcelain', '--', '.handoff'])).toMatch(/^(|A {2}.*|\?\? .*)$/)
      const repo = await openRepo(temp.root, { env: temp.env })
      const outcome = await commitFiles(repo, request)
      expect(['committed', 'already']).toContain(outcome.state)
      expect(temp.git(['rev-list', '--count', 'HEAD'])).toBe('2')
      expectNoHarm(temp, before)
      temp.git(['commit', '-q', '-m', 'by the user'])
      expect(temp.git(['show', '--format=', '--name-only', 'HEAD'])).toBe('a.txt')
    }
    expect(stopped).toBeGreaterThan(0)
  })
})
