import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../../e2e/build.ts'
import { execute, handoff, type Lab, makeLab } from '../../e2e/lab.ts'
import { byNight } from '../../sampled.ts'

const program = join(root, 'bin', 'handoff.cjs')

/** Runs a line of shell in the lab, with the built program as `$1`. */
const shell = (lab: Lab, line: string) => execute('sh', ['-c', line, 'sh', program], lab)

const hook = (event: string, payload: object) =>
  `echo '${JSON.stringify(payload)}' | sh .git/handoff/hook claude-code ${event}`

async function lab(): Promise<Lab> {
  const made = await makeLab()
  expect((await handoff(made, 'init', '--agent', 'claude-code')).code).toBe(0)
  expect((await handoff(made, 'create', 'make sub pass its test too', '--from', 'git')).code).toBe(0)
  return made
}

describe('the program that hooks call', () => {
  it('tells of the brief, with and without a home', async () => {
    const here = await lab()
    for (const before of ['', 'unset HOME;', 'export HOME=;'])
      expect(await shell(here, `${before} ${hook('session-start', { session_id: 's' })}`)).toMatchObject({
        code: 0,
        stderr: '',
        stdout: expect.stringContaining('make sub pass its test too'),
      })
  })

  byNight('is silent in a folder that is gone, where the command says what is wrong', async () => {
    const here = await lab()
    const gone = 'mkdir gone && cd gone && rmdir ../gone &&'
    const call = `node "$1" hook stop --agent claude-code </dev/null`
    expect(await shell(here, `${gone} ${call}`)).toEqual({ code: 0, stdout: '', stderr: '' })
    const status = await shell(here, `${gone} node "$1" status --json`)
    expect(status.code).toBe(2)
    expect(JSON.parse(status.stdout).errors[0].code).toBe('E_NO_FOLDER')
    expect(await shell(here, `${gone} node "$1" status --json --cwd "${here.repo}"`)).toMatchObject({
      code: 0,
      stderr: '',
    })
  })

  byNight('does not wait for a transcript that is no file', async () => {
    const here = await lab()
    execFileSync('mkfifo', [join(here.folder, 'pipe')])
    const transcript_path = join(here.folder, 'pipe')
    const line = `timeout 20 sh -c "$(cat <<'END'\n${hook('stop', { session_id: 's', transcript_path })}\nEND\n)"`
    expect(await shell(here, line)).toEqual({ code: 0, stdout: '', stderr: '' })
  })
})
