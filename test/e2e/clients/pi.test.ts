import { spawn } from 'node:child_process'
import { describe, expect, inject } from 'vitest'
import { root } from '../build.ts'
import { execute, git, handoff, type Lab, makeLab, textOf } from '../lab.ts'
import { create } from './handover.ts'
import { journalOf } from './initialised.ts'
import { heardBy, onScreen } from './on-screen.ts'
import { allowKey, clientTest, GOAL, PAGE, PAGE_TOLD, turn, work } from './work.ts'

const hello = { turns: [{ on: 'hello', steps: [[{ say: 'Hello.' }]] }] }
/** The model of the session, asked for its page in a fork. */
const asked = { ...hello, sides: [{ on: 'hands the work of this session over', say: PAGE }] }

async function init(lab: Lab): Promise<void> {
  const done = await handoff(lab, 'init', '--agent', 'pi', '--yes')
  expect(done.code, done.stderr + done.stdout).toBe(0)
  await git(lab, 'add', '.')
  await git(lab, 'commit', '-q', '-m', 'Set up handoff')
}

describe('Pi with the extension that init writes', () => {
  onScreen('puts the pointer before the model of a fresh session, and keeps its state', ['pi'], async () => {
    const lab = await makeLab()
    await init(lab)
    await work(lab, 'pi')
    await create(lab, 'pi')
    expect(await heardBy(lab, 'pi')).toHaveLength(1)
    expect(await journalOf(lab)).not.toContain('failed')
  })

  clientTest('/handoff makes the brief of the session that calls it', ['pi'], async () => {
    const lab = await makeLab()
    await init(lab)
    await allowKey(lab)
    await work(lab, 'pi')
    await turn(lab, 'pi', `/handoff ${GOAL}`, asked)
    expect(await git(lab, 'log', '-1', '--format=%s')).toContain('chore(handoff):')
    const latest = await textOf(lab, '.handoff/latest.md')
    for (const text of [GOAL, PAGE_TOLD]) expect(latest).toContain(text)
  })
})

describe('Pi with our package', () => {
  const told = async (lab: Lab): Promise<number> => (await heardBy(lab, 'pi')).length

  onScreen('tells a fresh session of the brief, once, and hands over by /handoff', ['pi'], async () => {
    const lab = await makeLab()
    await install(lab)
    await allowKey(lab)
    await work(lab, 'pi')
    await turn(lab, 'pi', `/handoff ${GOAL}`, asked)
    expect(await git(lab, 'log', '-1', '--format=%s')).toContain('chore(handoff):')
    expect(await textOf(lab, '.handoff/latest.md')).toContain(GOAL)
    expect(await told(lab)).toBe(1)
    // The project's own extension takes its place.
    await init(lab)
    expect(await told(lab)).toBe(1)
    expect(await textOf(lab, '.git/handoff/journal')).not.toContain('failed')
  })
})

/** `pi install` of this repository as the package, for the project. */
async function install(lab: Lab): Promise<void> {
  const pi = inject('clients').pi
  if ('missing' in pi) throw new Error(pi.missing)
  const done = await execute(pi.program, ['install', '-l', root], lab)
  expect(done.code, done.stderr + done.stdout).toBe(0)
  const settings = JSON.parse(await textOf(lab, '.pi/settings.json'))
  expect(settings.packages).toHaveLength(1)
}

describe('Pi driven over its RPC mode', () => {
  clientTest(
    'C9: reviews the draft for /handoff, and opens a new session with it in the editor',
    ['pi'],
    async () => {
      const lab = await makeLab()
      await init(lab)
      await work(lab, 'pi')
      const installed = inject('clients').pi
      if ('missing' in installed) throw new Error(installed.missing)
      const child = spawn(installed.program, ['--mode', 'rpc'], {
        cwd: lab.repo,
        env: {
          PATH: lab.path,
          HOME: lab.home,
          LANG: 'C.UTF-8',
          PI_OFFLINE: '1',
          PI_TELEMETRY: '0',
          PI_SKIP_VERSION_CHECK: '1',
        },
        stdio: ['pipe', 'pipe', 'ignore'],
        timeout: 60_000,
      })
      const told = new Promise<string>((resolve) => {
        let text = ''
        let isReviewed = false
        child.stdout.setEncoding('utf8').on('data', (part: string) => {
          text += part
          const lines = text.split('\n').slice(0, -1)
          const review = lines.find((one) => one.includes('"method":"editor"'))
          if (review !== undefined && !isReviewed) {
            isReviewed = true
            const { id, prefill } = JSON.parse(review)
            child.stdin.write(`${JSON.stringify({ type: 'extension_ui_response', id, value: prefill })}\n`)
          }
          const line = lines.find((one) => one.includes('"set_editor_text"'))
          if (line !== undefined) resolve(line)
        })
        child.once('close', () => resolve(text))
      })
      child.stdin.write(`${JSON.stringify({ type: 'prompt', message: `/handoff ${GOAL}` })}\n`)
      const line = await told
      child.kill()
      expect(JSON.parse(line)).toMatchObject({ type: 'extension_ui_request', method: 'set_editor_text' })
      expect(line).toContain('<handoff-context>')
      expect(line).toContain(GOAL)
      expect(await git(lab, 'log', '-1', '--format=%s')).toContain('chore(handoff):')
    },
  )
})
