import { spawnSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { execute, handoff, type Lab, makeLab } from '../../e2e/lab.ts'

const has = (shell: string): boolean => spawnSync(shell, ['-c', ':']).error === undefined

async function lab(): Promise<Lab & { id: string }> {
  const made = await makeLab()
  const { stdout } = await handoff(made, 'create', 'make sub pass its test too', '--from', 'git', '--json')
  return { ...made, id: JSON.parse(stdout).id }
}

/** What the function of the shell offers for these words, the last being typed. */
const offered = async (here: Lab, ...words: string[]): Promise<string[]> => {
  const line = `set -u; source <(handoff completion bash); COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
    _handoff; printf '%s\\n' "\${COMPREPLY[@]-}"`
  const { stdout, stderr, code } = await execute('bash', ['--norc', '-c', line, 'bash', ...words], here)
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 })
  return stdout.split('\n').filter((word) => word !== '')
}

it('bash: offers commands, options, choices and ids', async () => {
  const here = await lab()
  expect(await offered(here, 'handoff', 'cr')).toEqual(['create'])
  expect(await offered(here, 'git', 'handoff', 'cr')).toEqual(['create'])
  expect(await offered(here, 'handoff', 'show', '--sec')).toEqual(['--section'])
  expect(await offered(here, 'handoff', 'check', '--format', 'sa')).toEqual(['sarif'])
  expect(await offered(here, 'handoff', 'show', '')).toEqual(['latest', here.id])
  // The shell itself offers files then.
  expect(await offered(here, 'handoff', 'check', 'calc')).toEqual([])
  expect(await offered(here, 'handoff', 'banana', '')).toEqual([])
})

it('bash: runs nothing that the name of a file says', async () => {
  const here = await lab()
  const name = '20261122T014815-1f3a9c07$(touch ran)-x.md'
  await execute('sh', ['-c', 'cd .handoff/briefs && : > "$1" && : > "\\`touch ran\\`.md"', 'sh', name], here)
  expect(await offered(here, 'handoff', 'show', '')).toEqual(['latest', here.id])
  const { stdout } = await execute('sh', ['-c', 'find . -name ran'], here)
  expect(stdout).toBe('')
})

it('fish: offers what is defined, with what it means', async (context) => {
  if (!has('fish')) {
    console.warn('completion: fish is not installed here, so its script was NOT tried')
    context.skip('fish is not installed here')
  }
  const here = await lab()
  const fish = async (line: string): Promise<string[]> => {
    const script = 'handoff completion fish | source; complete -C $argv[1]'
    const { stdout } = await execute('fish', ['-c', script, line], here)
    return stdout.split('\n').filter((word) => word !== '')
  }
  expect(await fish('handoff cr')).toEqual(['create\tjoin session and git state into a brief and commit it'])
  expect((await fish('handoff show ')).map((word) => word.split('\t')[0])).toEqual(['latest', here.id])
  expect(await fish('handoff show --section g')).toEqual(['goal'])
})
