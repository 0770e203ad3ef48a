import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Step, USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import { writeOwn } from '../repo/make-repo.ts'
import type { Fake } from './secrets-fakes.ts'
import type { World } from './secrets-world.ts'

/** A new secret of the kind that is tried, for a place; asked for again it is another one. */
export type Plant = (place: string, ask?: { isName?: boolean; isValue?: boolean }) => Fake

export const GOAL = 'finish the retry queue and document its limits'
const SESSION = '11111111-2222-4333-8444-555555555555'
export const CALLER = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: SESSION }
/** Before anything that the sessions say. */
const LONG_AGO = { GIT_AUTHOR_DATE: '2026-11-20T07:00:00Z', GIT_COMMITTER_DATE: '2026-11-20T07:00:00Z' }

/** Puts a secret in every place from which a brief is fed without anybody handing it in. Returns variables for the run. */
export function plantEverywhere(world: World, plant: Plant): Record<string, string> {
  const { repo, names } = world
  const put = (place: string): string => plant(place).text
  const named = (place: string): string => {
    const name = plant(place, { isName: true }).text
    names.push(name)
    return name
  }
  const value = (place: string): string => plant(place, { isValue: true }).text

  const [environment, file] = [value('echo of a variable'), value('echo of a line of .env')]
  writeFileSync(join(repo.root, '.env'), `export QUEUE_SECRET="${file}"\n`)
  writeFileSync(join(repo.root, '.gitignore'), '.env\n')
  const [edited, dirty] = [named('name of an edited file'), named('name of an untracked file')]
  writeOwn(repo, 'templates/preamble.txt', `Look at the queue first. ${put('template')}\n`)
  const mission = `keep the queue alive with ${put('configuration, mission')}`
  repo.write('handoff.config.json', JSON.stringify({ mission }))
  writeOwn(
    repo,
    'config.yaml',
    JSON.stringify({
      personas: {
        builder: {
          agent: 'codex',
          start: put('configuration, start line'),
          skills: [put('configuration, skill')],
        },
      },
    }),
  )
  repo.git(['add', '-A'])
  const author = { GIT_AUTHOR_NAME: `Dev ${put('author of a commit').replace(/[\n<>]/g, '')}` }
  repo.git(['commit', '-q', '-m', 'files'], { env: LONG_AGO })
  repo.git([
    'remote',
    'add',
    'origin',
    `https://dev:${value('address of a remote')}@git.example.org/acme/app.git`,
  ])
  repo.git(['switch', '-q', '-c', `fix/${named('name of the branch')}`])

  const steps: Step[] = [
    { user: `Never print ${put('words of the user')} again in the queue.` },
    {
      user: `It stands at https://dev:${value('address with a password')}@queue.example.org/jobs, do not call it.`,
    },
    {
      user: `Always keep https://api.example.org/v1/jobs?api_key=${value('query of an address')}&page=2 out of the log.`,
    },
    {
      bash: `npm test -- ${line(put('command'))}`,
      exit: 1,
      output: `Error: ${put('output of a tool')} was rejected`,
    },
    // Longer than what is kept of an output, on one line: wherever it is cut, one is cut in half.
    {
      bash: 'npm run print',
      exit: 3,
      output: `Error: ${Array.from({ length: 200 }, () => line(put('output that is cut'))).join(' ')}`,
    },
    { bash: 'npm run check', exit: 2, output: `Error: ${environment} is not the value of the broker` },
    { bash: 'npm run lint', exit: 1, output: `Error: ${file} is no queue` },
    { write: `conf/${edited}.txt` },
    { edit: `conf/${edited}.txt` },
    {
      user: `Never use these: ${Array.from({ length: 40 }, () => line(put('long words of the user'))).join(' ')}`,
    },
    { skill: line(put('skill of the session')) },
    { todo: [{ content: `rotate ${put('plan of the agent')}`, status: 'pending' }] },
    { raw: { type: 'custom-title', customTitle: `Queue ${line(put('title that a person gave'))}` } },
    {
      raw: {
        type: 'summary',
        summary: `Queue ${put('title of the session')}`,
        leafUuid: '00000000-0000-4000-8000-000000000001',
      },
    },
    {
      raw: {
        type: 'user',
        isCompactSummary: true,
        message: { role: 'user', content: `Earlier: the key ${put('summary of a compaction')} was used.` },
      },
    },
    {
      says: `The root cause is that ${put('words of the agent')} expired. Should we rotate ${put('question of the agent')}?`,
    },
  ]
  writeClaudeSession(repo, [...USUAL, ...steps], { id: SESSION, end: new Date(Date.now() - 60_000) })
  repo.write(`conf/${edited}.txt`, 'x\n')
  repo.git(['add', '-A'])
  // In the time of the session, so that it belongs to it.
  const now = new Date(Date.now() - 62_000).toISOString()
  const message = `use ${line(put('subject of a commit'))} for the queue\n\nbecause ${put('body of a commit')}\n\nReviewed-by: ${line(put('trailer of a commit'))}`
  repo.git(['commit', '-q', '-m', message], {
    env: { ...author, GIT_AUTHOR_DATE: now, GIT_COMMITTER_DATE: now },
  })
  repo.write(`conf/${dirty}.txt`, 'y\n')
  repo.write('src/queue.ts', 'z\n')
  return { ...CALLER, BROKER_TOKEN: environment }
}

const line = (text: string): string => text.replaceAll('\n', ' ')

/** A conversation from standard input, in the plain format. */
export const plainSession = (plant: Plant): string =>
  [
    { role: 'user', content: `Never use ${plant('session on standard input').text} in the queue.` },
    {
      role: 'assistant',
      content: `The root cause is that ${plant('session on standard input').text} expired.`,
    },
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join('')

/** A session whose file, folder and id are named with a secret; returns its path. */
export function writeNamedSession({ repo, names }: World, plant: Plant): string {
  const id = plant('id of the session', { isName: true }).text
  const folder = plant('path of the session', { isName: true }).text
  names.push(id, folder)
  const path = writeClaudeSession(repo, USUAL, { id, end: new Date(Date.now() - 60_000) })
  const moved = join(repo.base, 'sessions', folder, `${id}.jsonl`)
  mkdirSync(dirname(moved), { recursive: true })
  renameSync(path, moved)
  return moved
}
