/**
 * Does every command take at most twice as long for twice the input? Each kind of text in `fillers.mjs` fills one place of a session, a
 * brief or a file at n and 2n, and the built program reads it. Processor time (user and system) of the program and of all that it starts,
 * least of several, without what the same command takes for a text of some hundred characters. What seems to grow by more is measured
 * again before it is told, with more rounds.
 *
 *   npm run bench:growth -- [--only "<place>;…"] [--fillers "<name>;…"] [--runs 4] [--check]
 *
 * --check exits 1 where the work at 2n is more than 2.2 times that at n. Work below 200 ms is noise, and no harm.
 */
import { execFileSync, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { FILLERS, filled } from './fillers.mjs'
import { conditions, HANDOFF, printTable } from './runs.mjs'
import { GOAL, makePlace } from './speed-place.mjs'

const MOST = 2.2
/** Less work than this many ms shows no growth. */
const LEAST = 200
/** Seconds of processor time after which a command is stopped. */
const LIMIT = 60
const START = 400

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    fillers: { type: 'string' },
    runs: { type: 'string', default: '4' },
    check: { type: 'boolean', default: false },
  },
})
const chosen = (all, wish) =>
  wish === undefined ? all : all.filter((name) => wish.split(';').includes(name))
const fillers = chosen(Object.keys(FILLERS), values.fillers)

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-growth-')))
try {
  const place = await makePlace(join(folder, 'place'), 50_000)
  const { repo, home } = place
  const git = (...args) => execFileSync('git', args, { cwd: repo, env: envOf(home), stdio: 'ignore' })
  handoff('create', GOAL)
  const briefs = join(repo, '.handoff', 'briefs')
  const [name] = readdirSync(briefs)
  const id = name.slice(0, 24)
  const brief = readFileSync(join(briefs, name), 'utf8')
  const latest = readFileSync(join(repo, '.handoff', 'latest.md'), 'utf8')
  git('branch', 'without')
  git('checkout', '-q', 'without')

  const session = join(home, '.claude', 'projects', repo.replace(/[^a-zA-Z0-9]/g, '-'), `${place.id}.jsonl`)
  const records = readFileSync(session, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  const copy = join(folder, 'copy.md')
  const notes = join(folder, 'notes.md')
  const message = join(folder, 'message')
  const commandsOf = (...all) => all.map((args) => ({ args }))

  /** What is filled at once, each place with so many characters, and what reads it. */
  const PLACES = {
    session: {
      most: 600_000,
      fill: (text) =>
        putSession(
          { role: 'user', content: text },
          ...callOf('npm test', text),
          ...callOf(text, 'ok'),
          { role: 'user', content: 'Go on.' },
          { role: 'assistant', content: [{ type: 'text', text }] },
        ),
      commands: commandsOf(['create', GOAL, '--dry-run'], ['export', session], ['ask', 'logout test', id]),
    },
    brief: {
      most: 28_000,
      fill(text) {
        const items = (text.match(/[\s\S]{1,600}/g) ?? []).map((item) => `- "${item}"\n`).join('')
        const body = brief.replace('[gap-fill not provided]', () => text)
        putBrief(body.replace('## Constraints & Preferences\n\n', (head) => `${head}${items}`))
        writeFileSync(join(repo, '.handoff', 'latest.md'), `${latest}\n${text}`)
      },
      commands: [
        ...commandsOf(['show', id], ['check'], ['check', '--range', 'main..HEAD'], ['verify', id]),
        ...commandsOf(
          ['review', 'main..HEAD'],
          ['log'],
          ['log', '--html', join(folder, 'log.html')],
          ['status'],
        ),
        ...commandsOf(['receipt', id], ['diff', id, copy], ['why', 'src/auth/token-0.ts:1']),
        ...commandsOf(['resume', id, '--dry-run'], ['create', GOAL, '--dry-run']),
        {
          args: ['hook', 'session-start', '--agent', 'claude-code'],
          input: () => hookInput({ source: 'startup' }),
        },
      ],
    },
    'files and commits': {
      most: 100_000,
      fill(text) {
        mkdirSync(join(repo, '.handoff'), { recursive: true })
        writeFileSync(
          join(repo, '.handoff', 'config.yaml'),
          `mission: ${JSON.stringify(text.slice(0, 60_000))}\n`,
        )
        writeFileSync(join(repo, '.handoff', 'latest.md'), `${latest}\n${text}`)
        writeFileSync(join(repo, 'PLAN.md'), `# Plan\n\n${text}\n`)
        writeFileSync(message, text.replaceAll('\0', ''))
        git('commit', '--allow-empty', '--cleanup=verbatim', '--allow-empty-message', '-F', message)
      },
      commands: commandsOf(['create', GOAL, '--dry-run'], ['status'], ['log'], ['review', 'main..HEAD']),
    },
    'brief, front matter as it is': {
      most: 240_000,
      fill: (text) => putBrief(brief.replace(/^goal: .*$/m, () => `goal: ${text}`)),
      commands: [...commandsOf(['check'], ['log']), { args: ['check', '-'], input: (text) => text }],
    },
    'configuration as it is': {
      most: 240_000,
      fill(text) {
        mkdirSync(join(repo, '.handoff'), { recursive: true })
        writeFileSync(join(repo, '.handoff', 'config.yaml'), text)
      },
      commands: commandsOf(['status']),
    },
    'what is handed in': {
      most: 1_000_000,
      fill: (text) => writeFileSync(notes, `## Current line of attack\n\n${text}\n`),
      commands: [
        ...commandsOf(['note', notes], ['create', GOAL, '--dry-run', '--notes', notes]),
        { args: ['create', (text) => text.slice(0, 4000), '--dry-run'] },
        { args: ['hook', 'prompt', '--agent', 'claude-code'], input: (text) => hookInput({ prompt: text }) },
        {
          args: ['hook', 'stop', '--agent', 'claude-code'],
          input: (text) => hookInput({ last_assistant_message: text }),
        },
      ],
    },
  }

  console.log(`${conditions(process.execPath, Number(values.runs))}; ${fillers.length} fillers\n`)
  const rows = []
  let [pairs, shownWork] = [0, 0]
  for (const where of chosen(Object.keys(PLACES), values.only)) {
    const { most, fill, commands } = PLACES[where]
    const put = (filler, size) => {
      reset(where)
      const text = filled(FILLERS[filler], size)
      fill(text)
      return text
    }
    const little = put('words', START)
    const cases = commands.map((command) => ({
      command,
      name: command.args
        .map((arg) => (typeof arg === 'function' ? '<text>' : arg))
        .join(' ')
        .replaceAll(id, '<id>')
        .replaceAll(session, '<session>')
        .replaceAll(`${folder}/`, '')
        .replaceAll(GOAL, '<goal>'),
      floor: Math.min(...[0, 1, 2].map(() => used(command, little).ms)),
      statuses: new Set(),
      largest: 0,
      at: '',
      suspects: [],
    }))
    const work = (one, filler, size) => {
      const { ms, status } = used(one.command, put(filler, size))
      one.statuses.add(status)
      return Math.max(0, ms - one.floor)
    }
    for (const filler of fillers) {
      const text = put(filler, most)
      for (const one of cases) {
        const { ms, status } = used(one.command, text)
        const large = ms - one.floor
        one.statuses.add(status)
        pairs++
        if (large > one.largest) [one.largest, one.at] = [large, filler]
        if (large >= LEAST) one.suspects.push([filler, large])
      }
    }
    for (const one of cases) {
      let above = 0
      for (const [filler, first] of one.suspects) {
        shownWork++
        let [small, large] = [work(one, filler, most / 2), first]
        for (let round = 1; round < Number(values.runs) && large > MOST * small; round++)
          [small, large] = [
            Math.min(small, work(one, filler, most / 2)),
            Math.min(large, work(one, filler, most)),
          ]
        if (large <= MOST * small || large < LEAST) continue
        above++
        rows.push([
          where,
          one.name,
          filler,
          `${most}`,
          small.toFixed(0),
          large.toFixed(0),
          (large / small).toFixed(2),
        ])
      }
      console.log(
        `${where}: ${one.name}: start ${one.floor.toFixed(0)} ms, most work ${one.largest.toFixed(0)} ms (${one.at}), exits ${[...one.statuses].join(', ')}, above ${MOST} times: ${above} of ${one.suspects.length}`,
      )
    }
  }
  console.log(
    `\n${pairs} pairs of command and filler; ${shownWork} with ${LEAST} ms of work or more; above ${MOST} times: ${rows.length}`,
  )
  if (rows.length > 0) printTable(['place', 'command', 'filler', '2n', 'ms at n', 'ms at 2n', 'times'], rows)
  if (values.check && rows.length > 0) process.exitCode = 1

  function handoff(...args) {
    execFileSync(process.execPath, [HANDOFF, ...args], { cwd: repo, env: envOf(home), stdio: 'ignore' })
  }

  /** A brief is in HEAD and trusted only where one is filled; nothing is left of what was filled before. */
  function reset(where) {
    git('checkout', '-q', '-f', 'feature/guard')
    git('clean', '-qfdx')
    rmSync(join(repo, '.git', 'handoff'), { recursive: true, force: true })
    const isBrief = where.startsWith('brief')
    git('checkout', '-q', '-f', isBrief ? 'feature/guard' : 'without')
    git('checkout', '-q', '-B', 'filled')
    if (!isBrief) git('rm', '-rqf', '--ignore-unmatch', '.handoff')
    mkdirSync(briefs, { recursive: true })
    writeFileSync(copy, brief)
    putSession({ role: 'user', content: 'Go on.' })
  }

  function putBrief(text) {
    writeFileSync(join(briefs, name), text)
    git('add', '-A')
    git('commit', '-q', '--amend', '--allow-empty', '-m', 'A brief')
    spawnSync(process.execPath, [HANDOFF, 'trust', id], { cwd: repo, env: envOf(home) })
  }

  function putSession(...messages) {
    const last = records.at(-1)
    const more = messages.map((message) => ({
      ...last,
      type: message.role === 'user' ? 'user' : 'assistant',
      message: message.role === 'user' ? message : { ...last.message, ...message },
    }))
    mkdirSync(dirname(session), { recursive: true })
    writeFileSync(session, `${[...records, ...more].map((record) => JSON.stringify(record)).join('\n')}\n`)
  }

  function callOf(command, text) {
    const id = `toolu_${command.length}`
    const input = { command, description: 'run it' }
    return [
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'Bash', input }] },
      {
        role: 'user',
        content: [{ type: 'tool_result', tool_use_id: id, content: `Exit code 1\n${text}`, is_error: true }],
      },
    ]
  }

  function hookInput(fields) {
    return JSON.stringify({ session_id: place.id, cwd: repo, transcript_path: session, ...fields })
  }

  /** Processor time of a command over a text, with that of its children, in ms. */
  function used({ args, input }, text) {
    const words = args.map((arg) => (typeof arg === 'function' ? arg(text).replaceAll('\0', '') : arg))
    const script = `ulimit -t ${LIMIT}; "$@" >/dev/null 2>&1; s=$?; times; exit $s`
    const done = spawnSync('sh', ['-c', script, 'sh', process.execPath, HANDOFF, ...words], {
      cwd: repo,
      env: envOf(home),
      input: input?.(text) ?? '',
      encoding: 'utf8',
    })
    const times = [...(done.stdout.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)]
    if (times.length !== 2) throw new Error(`${words.join(' ').slice(0, 200)}: ${done.stderr}`)
    return {
      ms: times.reduce(
        (sum, [, minutes, seconds]) => sum + 60_000 * Number(minutes) + 1000 * Number(seconds),
        0,
      ),
      status: done.status,
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function envOf(home) {
  return { PATH: process.env.PATH, HOME: home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' }
}
