import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import type { TempRepo } from '../repo/make-repo.ts'
import { GOAL, made, usual } from '../repo/usual.ts'
import { collect, type Ended } from './collect.ts'
import { type Cut, cuts, cutUp, damage, damagedLines, someCuts } from './fuzz-bytes.ts'
import { heldTo } from './fuzz-held.ts'
import { harm, type Subject } from './fuzz-hunt.ts'
import { server } from './fuzz-server.ts'
import { oddText } from './fuzz-texts.ts'
import { type Edit, edited, edits, jsonOf } from './fuzz-values.ts'
import type { Context } from './part.ts'

/** What takes longer hangs and is ended, in ms. */
const HANGS = 60_000

/** A sample of everything through the built program, where its own limits hold: one process and its streams. */
export async function programSubjects(context: Context): Promise<Subject[]> {
  const repo = usual()
  await made(repo)
  const run = async (argv: string[], stdin: string | Buffer): Promise<Ended> => {
    const ended = await spawned(context.program, repo, argv, stdin)
    if (ended.signal === null) return ended
    const kind = ended.signal === 'SIGKILL' ? 'hang' : 'crash'
    const what = JSON.stringify(argv).slice(0, 300)
    throw harm(kind, `${what} was ended by ${ended.signal}: ${ended.stderr.slice(0, 300)}`)
  }
  return [sessions(repo, run), payloads(repo, run), words(run), server(run)] as Subject[]
}

export type Run = (argv: string[], stdin: string | Buffer) => Promise<Ended>

function spawned(program: string, repo: TempRepo, argv: string[], stdin: string | Buffer): Promise<Ended> {
  const child = spawn(process.execPath, [program, ...argv], {
    cwd: repo.root,
    env: { ...repo.env, PATH: '/usr/local/bin:/usr/bin:/bin' },
    timeout: HANGS,
    killSignal: 'SIGKILL',
  })
  // A program that does not read its input is none the worse for it.
  child.stdin.on('error', () => undefined)
  child.stdin.end(stdin)
  return collect(child)
}

const FIXTURE = new URL('../fixtures/agents/claude-code/compaction/session.jsonl', import.meta.url)
const recorded = readFileSync(FIXTURE, 'utf8')

const sessions = (repo: TempRepo, run: Run): Subject => ({
  kind: 'session files, some of 5 MB',
  operation: 'built program: create --print',
  counts: [5, 120],
  inputs: fc.record({
    damage,
    times: fc.constantFrom(1, 1, 1, 40),
    how: fc.constantFrom('--print', '--preview', '--dry-run'),
  }),
  async meets(input) {
    const {
      damage: done,
      times,
      how,
    } = input as { damage: Parameters<typeof damagedLines>[2]; times: number; how: string }
    const path = join(repo.base, 'odd.jsonl')
    writeFileSync(path, damagedLines(recorded.repeat(times), [], done))
    return heldTo('create', await run(['create', GOAL, '--session', path, how], ''), [0, 1, 2])
  },
})

const payloads = (repo: TempRepo, run: Run): Subject => ({
  kind: 'hook payloads',
  operation: 'built program: hook',
  counts: [4, 100],
  inputs: fc.record({
    edits,
    cuts: someCuts,
    event: fc.constantFrom('session-start', 'prompt', 'stop', 'session-end'),
    agent: fc.constantFrom('claude-code', 'codex', 'copilot-cli', 'gemini-cli', 'pi'),
  }),
  async meets(input) {
    const {
      edits: all,
      cuts: some,
      event,
      agent,
    } = input as { edits: Edit[]; cuts: Cut[]; event: string; agent: string }
    const payload = edited(
      {
        session_id: 's',
        sessionId: 's',
        cwd: repo.root,
        source: 'startup',
        prompt: 'go on',
        transcript_path: '/x',
      },
      all,
    )
    return heldTo(
      `hook ${event}`,
      await run(['hook', event, '--agent', agent], cutUp(Buffer.from(jsonOf(payload)), some)),
      [0],
    )
  },
})

const words = (run: Run): Subject => ({
  kind: 'arguments and bytes on standard input',
  operation: 'built program',
  counts: [5, 120],
  inputs: fc.record({
    first: fc.oneof(
      fc.constantFrom(
        'create',
        'note',
        'show',
        'log',
        'check',
        'sessions',
        'diff',
        'verify',
        'review',
        'status',
        'trust',
        'resume',
      ),
      oddText,
    ),
    rest: fc.array(
      fc.oneof(
        oddText,
        fc.constantFrom('-', '--json', '--session', '--notes', '--list', '--all', '--print', 'latest'),
      ),
      { maxLength: 4 },
    ),
    cuts,
  }),
  async meets(input) {
    const { first, rest, cuts: some } = input as { first: string; rest: string[]; cuts: Cut[] }
    // No program can be given a NUL, or more than 128 KB, as an argument.
    const argv = [first, ...rest].map((word) => word.replaceAll('\0', '').slice(0, 20_000))
    return heldTo(
      JSON.stringify(argv).slice(0, 300),
      await run(argv, cutUp(Buffer.from(recorded), some)),
      [0, 1, 2],
    )
  },
})
