// Written by `handoff init`, taken away by `handoff init --remove`. https://www.npmjs.com/package/git-handoff
// Tells a new session of the brief that is open here, says once when the context is nearly full, tells commands which session
// runs them, and gives /handoff <goal>. Everything is done by the program that the git directory of this clone names; where it
// names none, nothing happens.
import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'

/** Kilo, a fork, loads it as well. */
const AGENT = process.env.KILO ? 'kilo' : 'opencode'
const COMMAND = 'handoff'
const SECONDS = 1000
/** Ways to start OpenCode without a screen (1.18.33): it ends when the model stops, so the model makes the brief as well. */
const HEADLESS = ['run', 'acp']
/** A call that looks into a brief: our own tool, a file, a command. */
const READS = /^\S*handoff_read |\.handoff(?:\/|\\\\)(?:latest\.md|briefs)|\bhandoff (?:show|resume)\b/
/** The new session is on the screen by then, in ms. */
const NEW_SESSION = 1000

const LAST_WORDS = `Before this session ends, record what only you know, from the top of the repository. Write one page of markdown for the goal, at most 700 words, under these headings; leave out a heading that has nothing to say:

## Where it stands
What the work is for, in one sentence; what it changed or found, part by part; what is done, half done and not begun, steps and checks
of the plan too; committed, pushed, staged, left out on purpose.

## Decisions
What was decided in this work and still holds, by whom, why, and instead of what.

## Constraints
The person's standing rules, word for word; rules of the repository for what comes next, with the commands that must follow a
change; no request that is done. For a rule, choice or plan that the person took back: Taken back: "its words" by "the person's words for it".

## Tried and dropped
What did not work, and why; what broke on the way, and what mended it.

## Fails now
The command and its message.

## Traps
What looks right and is not; what costs time.

## Names
Branch, pull request, ids, flags, functions and tests with their files; the files and lines to read first for the goal; the commands
that start and check what it needs.

## Next step
The first command, and before it the check of what could make the goal fail. Say which of it is your own proposal.

## Not proven
What is claimed without a run that shows it.

## Questions for the user
What only the person can answer.

The next agent knows nothing of this session. What was settled, learned or broken in it belongs on the page, a short line each, also
where the goal does not name it; doubts of your own only where they could make the goal fail. Tell each thing once; the goal itself
stands in the brief. Name a file by its path from the root. Tell a claim from its evidence, and the last word from earlier ones. Write
that something is missing, was not done or never happens only where you looked; a call without a result may have worked. For each thing
that the goal names: what exists, which tests cover it, what was announced and not done; the code, rule or message that it asks about
word for word. Where the goal is a question: the reasons for and against. Leave out what the repository already shows. Quotation marks
hold exact words only. Write no secret, put no code fence around the page, and copy no earlier brief.

Record it with one command; everything between the two HANDOFF_PAGE lines is taken as it is:

git handoff note - <<'HANDOFF_PAGE'
<the page>
HANDOFF_PAGE

Then stop: change nothing else and do not start on the goal, it is for the next session. The brief is made as soon as you have finished.`

export const Handoff = async ({ client, directory }) => {
  /** By session: the one that started it, or null. */
  const parents = new Map()
  /** Sessions made since this program was started, and those that were told of the brief. */
  const made = new Set()
  const told = new Set()
  /** Sessions that looked into a brief, themselves or by another that they started. */
  const readers = new Set()
  /** By session: tokens and model of its last reply. */
  const replies = new Map()
  /** By session: the goal of a /handoff that waits for the model's last words. */
  const goals = new Map()
  let isHandedOver = false
  let limits = null

  const parentOf = async (id) => {
    if (!parents.has(id)) {
      const { data } = await client.session.get({ path: { id } })
      parents.set(id, data?.parentID ?? null)
    }
    return parents.get(id)
  }
  const rootOf = async (id) => {
    const parent = await parentOf(id)
    return parent === null ? id : rootOf(parent)
  }
  const toast = (message, variant) =>
    client.tui.showToast({ body: { message, variant, duration: 10 * SECONDS } })

  const limitOf = async ({ providerID, modelID }) => {
    if (limits === null) {
      limits = new Map()
      const { data } = await client.config.providers()
      for (const { id, models } of data?.providers ?? [])
        for (const [name, model] of Object.entries(models ?? {}))
          limits.set(`${id}/${name}`, model?.limit ?? {})
    }
    return limits.get(`${providerID}/${modelID}`) ?? {}
  }

  const tell = async (event, sessionID, source) => {
    const reply = replies.get(sessionID)
    const limit = reply ? await limitOf(reply) : {}
    const answer = await run(directory, [AGENT, event], 10 * SECONDS, {
      session_id: sessionID,
      cwd: directory,
      source,
      has_read: readers.has(sessionID),
      // An editor, over ACP, has somebody who sits there.
      unattended: process.argv[2] === 'run',
      tokens: reply?.tokens ?? null,
      window: limit.context ?? null,
      input_limit: limit.input ?? null,
      output_limit: limit.output ?? null,
    })
    const said = parse(answer?.stdout) ?? {}
    if (said.notice) await toast(said.notice, 'warning')
    return said.context ?? null
  }

  /** Makes the brief of a session whose model has said its last words, and opens a fresh one with the pointer in its prompt. */
  const handOver = async (sessionID, goal) => {
    const outcome = await run(
      directory,
      [AGENT, 'run', 'create', '--json', '--no-notes', '--', goal],
      120 * SECONDS,
      undefined,
      callerEnv(sessionID),
    )
    if (outcome === null)
      return toast(
        'handoff is not set up in this clone: npm install -g git-handoff, then git handoff init',
        'error',
      )
    const result = parse(outcome.stdout)
    if (!result?.ok) return toast(refusal(result, outcome), 'error')
    const prompt = await run(directory, [AGENT, 'run', 'show', '--prompt', result.id], 30 * SECONDS)
    await client.tui.executeCommand({ body: { command: 'session_new' } })
    await new Promise((done) => setTimeout(done, NEW_SESSION))
    isHandedOver = true
    await client.tui.appendPrompt({
      body: { text: prompt?.stdout?.trim() || 'Read .handoff/latest.md and continue.' },
    })
    return toast(`Handed over: ${result.path}. Submit the prompt when ready.`, 'success')
  }

  const on = {
    'session.created': ({ info }) => {
      parents.set(info.id, info.parentID ?? null)
      made.add(info.id)
    },
    'message.updated': async ({ info }) => {
      const tokens = info.tokens?.total ?? 0
      if (info.role !== 'assistant' || info.summary === true || tokens === 0) return
      replies.set(info.sessionID, { tokens, providerID: info.providerID, modelID: info.modelID })
    },
    'session.error': async ({ sessionID, error }) => {
      if (error?.name !== 'MessageAbortedError' || !sessionID) return
      // Who stops the model does not want the rest.
      goals.delete(sessionID)
      if ((await parentOf(sessionID)) === null) await tell('interrupt', sessionID, null)
    },
    'session.idle': async ({ sessionID }) => {
      if ((await parentOf(sessionID)) !== null) return
      const goal = goals.get(sessionID)
      goals.delete(sessionID)
      if (goal === undefined) await tell('stop', sessionID, null)
      else await handOver(sessionID, goal)
    },
    'session.deleted': async ({ info }) => {
      if (!info.parentID) await tell('session-end', info.id, 'deleted')
    },
  }

  return {
    event: safely(async ({ event }) => on[event.type]?.(event.properties)),
    'chat.message': safely(async ({ sessionID }, { parts }) => {
      if (told.has(sessionID)) return
      told.add(sessionID)
      if ((await parentOf(sessionID)) !== null) return
      const context = await tell('session-start', sessionID, made.has(sessionID) ? 'startup' : 'resume')
      // A session begun by /handoff has the pointer in its prompt already.
      const isKnown = isHandedOver
      isHandedOver = false
      const last = parts.at(-1)
      if (context === null || isKnown || !last) return
      const { sessionID: session, messageID } = last
      // Parts stand in the order of their ids.
      parts.push({
        id: `${last.id}h`,
        sessionID: session,
        messageID,
        type: 'text',
        synthetic: true,
        text: context,
      })
    }),
    'command.execute.before': safely(async ({ command, sessionID, arguments: words }, { parts }) => {
      if (command !== COMMAND || (await runnerOf(directory)) === null) return
      const goal = unquoted(words.trim())
      const isHeadless = HEADLESS.includes(process.argv[2])
      if (!isHeadless) goals.set(sessionID, goal)
      const instruction = isHeadless ? parts.map(({ text }) => text ?? '').join('\n') : LAST_WORDS
      parts.splice(
        0,
        parts.length,
        { type: 'text', text: `/${COMMAND} ${goal}`.trim() },
        // Not the person's words, and not shown.
        { type: 'text', text: instruction, synthetic: true },
      )
    }),
    'experimental.session.compacting': safely(async ({ sessionID }) => {
      if ((await parentOf(sessionID)) === null) await tell('pre-compact', sessionID, null)
    }),
    'tool.execute.before': safely(async ({ tool, sessionID }, { args }) => {
      if (READS.test(`${tool} ${JSON.stringify(args)}`)) readers.add(await rootOf(sessionID))
    }),
    'shell.env': safely(async ({ sessionID }, { env }) => {
      if (sessionID) Object.assign(env, callerEnv(await rootOf(sessionID)))
    }),
  }
}

/** A hook never breaks what it hooks into. */
const safely =
  (handle) =>
  async (...args) => {
    try {
      await handle(...args)
    } catch {}
  }

const callerEnv = (sessionID) => ({ OPENCODE: '1', HANDOFF_OPENCODE_SESSION: sessionID })

/** `opencode run --command handoff "two words"` brings the words with quotes around them. */
function unquoted(words) {
  const inner = /^"((?:[^"\\]|\\.)*)"$/s.exec(words)?.[1]
  return inner === undefined ? words : inner.replace(/\\"/g, '"')
}

/** The runner of this clone, or null. */
async function runnerOf(cwd) {
  const args = ['-c', 'safe.bareRepository=explicit', 'rev-parse', '--git-common-dir']
  const common = await new Promise((done) =>
    execFile('git', args, { cwd }, (error, stdout) => done(error ? null : stdout.trim())),
  )
  const runner = common === null ? null : resolve(cwd, common, 'handoff', 'hook')
  return runner !== null && existsSync(runner) ? runner : null
}

/** Calls the runner; null where there is none. Never throws. What it began goes on when OpenCode ends meanwhile. */
async function run(cwd, args, timeout, input, env) {
  const runner = await runnerOf(cwd)
  if (runner === null) return null
  return new Promise((done) => {
    const child = spawn('sh', [runner, ...args], {
      cwd,
      timeout,
      detached: true,
      env: { ...process.env, ...env },
    })
    const texts = { stdout: '', stderr: '' }
    for (const name of ['stdout', 'stderr'])
      child[name].setEncoding('utf8').on('data', (text) => {
        texts[name] += text
      })
    child.on('error', () => done({ ...texts, code: null }))
    child.on('close', (code) => done({ ...texts, code }))
    child.stdin.on('error', () => {})
    child.stdin.end(input === undefined ? '' : JSON.stringify(input))
  })
}

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function refusal(result, outcome) {
  const [error] = result?.errors ?? []
  // A flag would become a part of the goal here.
  const hint =
    error?.code === 'E_GOAL' ? 'Say more: /handoff <what the next session must achieve>' : error?.hint
  return error ? `${error.message}\n${hint}` : outcome.stderr || 'handoff gave no answer'
}
