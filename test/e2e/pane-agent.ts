import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TempRepo } from '../repo/make-repo.ts'
import { wholeLines } from '../whole-lines.ts'
import { root } from './build.ts'

/** How a scripted agent behaves. */
export interface Behaviour {
  /** Its id in the table of agents. */
  id: string
  session: string
  /** What it writes when it is asked for a document. */
  document?: 'whole' | 'none' | 'half' | 'empty' | 'secret'
  /** Text that it shows when it waits for input. */
  ready?: string
  /** Calls no hooks. */
  silent?: boolean
}

/** One line of what a scripted agent did. */
export interface Deed {
  at: string
  start?: string[]
  pid?: number
  prompt?: string
}

/**
 * Puts a program of this name before all others on the PATH of a repository. It behaves like an agent in a terminal: takes lines and pastes, tells its hooks of
 * the start of the session, of prompts and of ends of turns, and writes the document it is asked for.
 */
export function paneAgent(
  repo: TempRepo,
  program: string,
  behaviour: Behaviour,
): { path: string; deeds: () => Deed[] } {
  const folder = join(repo.base, 'agents')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, program)
  const log = join(repo.base, `${program}.log`)
  // Made at run time, so that no scanner takes this file for one that holds a secret.
  const secret = ['ghp', 'q7Zk2mW9xLrT4vB8nYc1Jd6Hs3Fp5Ga0UeXi'].join('_')
  const given = {
    document: 'whole',
    ready: '? for shortcuts',
    ...behaviour,
    log,
    secret,
    bin: join(root, 'bin/handoff.cjs'),
  }
  writeFileSync(path, `#!${process.execPath}\nconst given = ${JSON.stringify(given)}\n${SCRIPT}`)
  chmodSync(path, 0o755)
  return {
    path,
    deeds: () =>
      wholeLines(log)
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Deed),
  }
}

/** Environment with the scripted agents first on PATH. */
export const withAgents = (repo: TempRepo): Record<string, string> => ({
  ...repo.env,
  PATH: `${join(repo.base, 'agents')}:${repo.env.PATH}`,
})

const SCRIPT = String.raw`
const { spawnSync } = require('node:child_process')
const { appendFileSync, mkdirSync, renameSync, writeFileSync } = require('node:fs')
const { dirname } = require('node:path')
const log = (deed) => appendFileSync(given.log, JSON.stringify({ at: new Date().toISOString(), ...deed }) + '\n')
const hook = (event, more = {}) => {
  if (given.silent) return
  const input = JSON.stringify({ session_id: given.session, cwd: process.cwd(), ...more })
  spawnSync(process.execPath, [given.bin, 'hook', event, '--agent', given.id], { input })
}
const ready = () => process.stdout.write('\r\n> ' + given.ready + '\r\n')
const texts = {
  whole: '## What I was working on\n- The retry queue.\n## Current progress and state\n- The queue retries.\n## Key decisions made and why\n- a semaphore - why: the mutex deadlocked - instead of: a mutex\n## Blockers encountered\n- the CI has no network\n## Files modified\n- src/queue.ts - the retry loop\n## Next steps and what remains\n- document the limits\n',
  half: '## What I was working on\n- The ret',
  empty: '\n',
  secret: '## Next steps and what remains\n- use ' + given.secret + '\n',
}
function submit(text) {
  if (text.trim() === '') return
  log({ prompt: text })
  hook('prompt', { prompt: text })
  const [, path, id] = /^(\/.*\/\.handoff\/requests\/([\w-]+)\.md)$/m.exec(text) ?? []
  if (path && given.document !== 'none') {
    mkdirSync(dirname(path), { recursive: true })
    const end = given.document === 'half' ? '' : 'END OF HANDOFF ' + id + '\n'
    writeFileSync(path + '.part', texts[given.document] + end)
    renameSync(path + '.part', path)
  }
  hook('stop')
  ready()
}
process.stdin.setRawMode?.(true)
process.stdout.write('\x1b[?2004h')
log({ start: process.argv.slice(2), pid: process.pid })
hook('session-start', { source: 'startup' })
ready()
let kept = ''
let line = ''
process.stdin.setEncoding('utf8').on('data', (chunk) => {
  kept += chunk
  for (;;) {
    if (kept.startsWith('\x1b[200~')) {
      const end = kept.indexOf('\x1b[201~')
      if (end < 0) return
      line += kept.slice(6, end).replace(/\r/g, '\n')
      kept = kept.slice(end + 6)
    } else if (kept === '') return
    else if (kept[0] === '\r') {
      const text = line
      line = ''
      kept = kept.slice(1)
      submit(text)
    } else {
      line += kept[0]
      kept = kept.slice(1)
    }
  }
})
if (process.argv[2]) submit(process.argv[2])
`
