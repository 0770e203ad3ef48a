import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { transform } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '../../e2e/build.ts'
import { execute, type Lab, makeLab } from '../../e2e/lab.ts'
import { byNight } from '../../sampled.ts'

const LINES = 20_000
const ALL = Array.from({ length: LINES }, (_, i) => `line ${i} é\n`).join('')

/** A program that writes many lines with `standardStream` and ends with status 3. */
async function makeWriter(lab: Lab): Promise<string> {
  const source = await readFile(join(root, 'src/cli.ts'), 'utf8')
  const { code } = await transform(source, { loader: 'ts', format: 'cjs' })
  const path = join(lab.home, 'writer.cjs')
  const main = `const out = standardStream(process, 'stdout', () => {})
for (let i = 0; i < ${LINES}; i++) out.write(\`line \${i} é\\n\`)
process.exitCode = 3`
  await writeFile(path, `${code}\n${main}\n`)
  return path
}

test('a pipe that is full and does not block gets everything, in order', async () => {
  const lab = await makeLab()
  const writer = await makeWriter(lab)
  // A node that opens its standard output makes the pipe non-blocking for all who hold it.
  const other = `process.stdout.write(''); setTimeout(() => {}, 1500)`
  const script = `{ node -e "${other}" & sleep 0.5; node ${writer}; echo "status $?" >&2; } | { sleep 1; cat; }`
  const { stdout, stderr } = await execute('sh', ['-c', script], lab)
  expect(stderr).toBe('status 3\n')
  expect(stdout).toBe(ALL)
})

test('a reader that goes away ends nothing half-way', async () => {
  const lab = await makeLab()
  const writer = await makeWriter(lab)
  const script = `{ node ${writer}; echo "status $?" >&2; } | head -c 6`
  expect(await execute('sh', ['-c', script], lab)).toEqual({
    code: 0,
    stdout: 'line 0',
    stderr: 'status 3\n',
  })
})

// Only Linux has such a device.
test.runIf(process.platform === 'linux')('a disk that is full is said, and the status tells', async () => {
  const lab = await makeLab()
  const create = 'create "make both tests pass, keep the names" --from git --dry-run'
  for (const command of [create, '--help', '-h', '--version', 'help']) {
    const { code, stderr } = await execute('sh', ['-c', `handoff ${command} > /dev/full`], lab)
    expect(stderr).toMatch(/^handoff: standard output: .*ENOSPC/m)
    expect(stderr).not.toMatch(/^ +at /m)
    expect(code).toBe(1)
  }
})

byNight('no number of git processes makes node itself say anything', async () => {
  const lab = await makeLab()
  const script = `handoff create "make both tests pass, keep the names" --from git &&
    echo 1 > work.txt && git add work.txt && git commit -qm work && handoff resume && handoff review && handoff verify; handoff prune --keep 1`
  const { code, stderr } = await execute('sh', ['-c', script], lab)
  expect(code, stderr).toBe(0)
  expect(stderr).toContain('Since then: 1 commit.')
  expect(stderr).not.toMatch(/\(node:|Warning:/)
})
