import { spawnSync } from 'node:child_process'

/** What a Python script prints. Throws with its complaint when it fails. */
export function runPython(script, ...args) {
  const { status, stdout, stderr, error } = spawnSync('python3', [script, ...args], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    maxBuffer: 64 << 20,
  })
  if (status !== 0) throw new Error(`${script} failed: ${error?.message ?? stderr}`)
  return stdout
}
