/**
 * Plays the session of the agent that is cut off: runs each step for real in the repository of the task and records what came back. The file of
 * a task holds the words and steps alone, so no code of the repository is stored: an edit names lines.
 */
import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { makeDice } from '../dice.mjs'
import { writeClaudeCode } from '../formats/claude-code.mjs'
import { checkOut, commandEnv } from './repositories.mjs'

export const STOPS = ['first edit', 'first failing check', 'first edit after it']
const DAY = 86_400
const FIRST_DAY = Date.parse('2026-03-02T09:00:00Z') / 1000
const MOST = 30_000

/** @returns the input of a contestant, with the commit at which the work began. */
export function playPredecessor(task, stop, folder, sources) {
  const end = task.session.findIndex((step) => step.stop === stop)
  if (end === -1) throw new Error(`${task.id} has no stop "${stop}".`)
  const repo = join(folder, task.repository.split('/')[1])
  const home = join(folder, 'home')
  const { base, seconds } = checkOut(task, repo, home, sources)
  const events = task.session
    .slice(0, end)
    .filter((step) => !step.stop)
    .map((step) => played(step, repo, home))
  const { id, path } = writeClaudeCode(events, {
    cwd: repo,
    home,
    branch: 'work',
    dice: makeDice(`takeover ${task.id}`),
    day: Math.max(0, Math.ceil((seconds - FIRST_DAY) / DAY)) + 1,
  })
  return { agent: 'claude-code', session: path, sessionId: id, repo, home, goal: task.goal, events, base }
}

function played(step, repo, home) {
  if (step.person) return { kind: 'prompt', text: step.person }
  if (step.agent) return { kind: 'reply', text: step.agent }
  if (step.run) {
    const shell = ['-c', `exec 2>&1\n${step.run}`]
    const done = spawnSync('bash', shell, {
      cwd: repo,
      env: commandEnv(home),
      encoding: 'utf8',
      timeout: 300_000,
    })
    const exit = done.status ?? 124
    return {
      kind: 'call',
      tool: 'shell',
      command: step.run,
      output: done.stdout.slice(0, MOST).trimEnd(),
      exit,
    }
  }
  if (step.read)
    return { kind: 'call', tool: 'read', path: step.read, text: readFileSync(join(repo, step.read), 'utf8') }
  if (step.edit) return edited(step, join(repo, step.edit))
  throw new Error(`What is this step? ${JSON.stringify(step)}`)
}

/** Lines `at` to `at + drop - 1` become the lines of `put`. What the agent names is as long as it must be to stand once in the file. */
function edited({ edit, at, drop = 0, put = [] }, path) {
  const lines = readFileSync(path, 'utf8').split('\n')
  const [first, last] = [at - 1, at - 1 + drop]
  const isOnce = (from, to) => {
    const piece = lines.slice(from, to).join('\n')
    return piece.trim() !== '' && lines.join('\n').split(piece).length === 2
  }
  let from = drop === 0 ? Math.max(0, first - 1) : first
  while (from > 0 && !isOnce(from, last)) from -= 1
  const after = [...lines.slice(from, first), ...put]
  const event = {
    kind: 'call',
    tool: 'edit',
    path: edit,
    before: lines.slice(from, last).join('\n'),
    after: after.join('\n'),
    at: from + 1,
  }
  writeFileSync(path, [...lines.slice(0, from), ...after, ...lines.slice(last)].join('\n'))
  return event
}
