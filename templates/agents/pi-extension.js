// Written by `handoff init`, taken away by `handoff init --remove`. https://www.npmjs.com/package/git-handoff
// Tells a new session of the brief that is open here, says once when the context is nearly full, and gives /handoff <goal>.
// Everything is done by the program that the git directory of this clone names; where it names none, nothing happens, unless
// this is the extension of the package itself (`pi install npm:git-handoff`), which has the program beside it.
import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

const AGENT = 'pi'
const COMMAND = 'handoff'
const SECONDS = 1000
/** A person reviews a draft for as long as they like. */
const DAY = 86_400 * SECONDS
const FILE = fileURLToPath(import.meta.url)
const PROGRAM = basename(FILE) === 'pi-extension.js' ? resolve(dirname(FILE), '../../bin/handoff.cjs') : null
/** Extensions are loaded anew with each session; this outlives them. */
const HANDED_OVER = Symbol.for('git-handoff.handed-over')

export default function handoff(pi) {
  // The project brings its own, which Pi loads too.
  if (PROGRAM !== null && existsSync(resolve('.pi/extensions/handoff.js'))) return

  /** What the next turn tells the model, once. */
  let context = null
  /** Pi does not wait for the last stop before it ends, and what came first must not be written last. */
  let turn = Promise.resolve()

  const on = (name, handle) =>
    pi.on(name, async (event, ctx) => {
      try {
        return await handle(event, ctx)
      } catch {
        // A hook never breaks what it hooks into, and a late one meets a session that is gone.
        return undefined
      }
    })

  const tell = async (event, ctx, source) => {
    const file = ctx.sessionManager.getSessionFile?.() ?? null
    // oh-my-pi runs a helper as a session of its own, in a folder named after the file of the one that started it.
    if (file !== null && existsSync(`${dirname(file)}.jsonl`)) return null
    const usage = ctx.getContextUsage?.()
    const { cwd } = ctx
    const call = {
      session_id: ctx.sessionManager.getSessionId?.() ?? null,
      transcript_path: file,
      cwd,
      source,
      tokens: usage?.tokens ?? null,
      window: usage?.contextWindow ?? null,
      // `pi -p` and `--mode json`.
      unattended: ctx.hasUI === false,
    }
    const asked = turn.then(() => run(cwd, [AGENT, event], 10 * SECONDS, call))
    turn = asked.then(() => {})
    const answer = await asked
    const said = answer?.stdout ? JSON.parse(answer.stdout) : {}
    if (said.notice && ctx.hasUI) ctx.ui.notify(said.notice, 'warning')
    return said.context ?? null
  }

  on('session_start', async (event, ctx) => {
    // A session begun by /handoff has the pointer in its prompt already.
    const isHandedOver = globalThis[HANDED_OVER] === true
    globalThis[HANDED_OVER] = false
    const told = await tell('session-start', ctx, event.reason)
    context = isHandedOver ? null : told
  })
  on('before_agent_start', async () => {
    if (context === null) return undefined
    const content = context
    context = null
    return { message: { customType: 'handoff', content, display: true } }
  })
  on('agent_end', async (_event, ctx) => void (await tell('stop', ctx, null)))
  on(
    'session_before_compact',
    async (event, ctx) => void (await tell('pre-compact', ctx, event.reason ?? null)),
  )
  on('session_shutdown', async (event, ctx) => void (await tell('session-end', ctx, event.reason ?? null)))

  pi.registerCommand(COMMAND, {
    description: `Hand the work of this session over: /${COMMAND} <what the next session must achieve>`,
    handler: async (args, ctx) => {
      await ctx.waitForIdle()
      const parent = ctx.sessionManager.getSessionFile()
      const session = existsSync(parent ?? '') ? ['--session', parent] : []
      const create = (options, env, onStart) =>
        run(
          ctx.cwd,
          [
            AGENT,
            'run',
            'create',
            '--json',
            '--ask',
            '--no-notes',
            ...session,
            ...options,
            '--',
            args.trim(),
          ],
          ctx.hasUI ? DAY : 300 * SECONDS,
          undefined,
          { HANDOFF_ACTIVE_TOOLS: (pi.getActiveTools?.() ?? []).join(','), ...env },
          onStart,
        )
      const mayReview = ctx.hasUI && typeof ctx.ui.editor === 'function'
      const made = mayReview ? await reviewed(ctx, create) : await create([])
      if (made === undefined) return ctx.ui.notify('Handoff cancelled.', 'info')
      if (made === null)
        return ctx.ui.notify(
          'handoff is not set up in this clone: npm install -g git-handoff, then git handoff init',
          'error',
        )
      const result = parse(made.stdout)
      if (!result?.ok) return ctx.ui.notify(refusal(result, made), 'error')
      // The brief as it was reviewed, not a pointer to it: what is sent is what stands there.
      const brief = await run(ctx.cwd, [AGENT, 'run', 'show', '--inline', result.id], 30 * SECONDS)
      const text = brief?.stdout || 'Read .handoff/latest.md and continue.'
      let isFilled = false
      globalThis[HANDED_OVER] = true
      const opened = await ctx.newSession({
        parentSession: parent,
        withSession: async (fresh) => {
          isFilled = true
          fresh.ui.setEditorText(text)
          fresh.ui.notify(`Handed over: ${result.path}. Submit the prompt when ready.`, 'info')
        },
      })
      // oh-my-pi has no withSession; there the context stays valid after the switch.
      if (!opened?.cancelled && !isFilled) ctx.ui.setEditorText(text)
    },
  })

  pi.registerTool({
    name: 'handoff_finalize',
    label: 'Handoff notes',
    description: 'Record notes for the next brief of this session.',
    parameters: {
      type: 'object',
      properties: {
        other: { type: 'string', description: 'one page of markdown: what only you know' },
      },
    },
    async execute(_id, params, _signal, _onUpdate, ctx) {
      const noted = await run(
        ctx?.cwd ?? process.cwd(),
        [AGENT, 'run', 'note', '-', '--json'],
        30 * SECONDS,
        params,
        {
          PI_CODING_AGENT: 'true',
          PI_SESSION_ID: ctx?.sessionManager?.getSessionId?.() ?? '',
        },
      )
      const text = noted === null ? 'handoff is not set up in this clone.' : noted.stdout || noted.stderr
      return { content: [{ type: 'text', text }], details: {}, isError: noted?.code !== 0 }
    },
  })
}

/**
 * Makes the brief while a loader shows that, and puts the draft into Pi's editor before it is committed. The program has its editor
 * for that: a script that hands the draft over and waits for what becomes of it. Undefined when the person cancels.
 */
async function reviewed(ctx, create) {
  const folder = mkdtempSync(join(tmpdir(), 'handoff-review-'))
  const file = (name) => join(folder, name)
  writeFileSync(file('editor'), EDITOR, { mode: 0o700 })
  let child = null
  let isCancelled = false
  const cancel = () => {
    isCancelled = true
    writeFileSync(file('done'), '')
    child?.kill('SIGINT')
  }
  try {
    const made = create(['--edit'], { GIT_EDITOR: `sh '${file('editor')}'` }, (started) => {
      child = started
      if (isCancelled) child.kill('SIGINT')
    })
    let isOver = false
    void made.then(() => {
      isOver = true
    })
    const drafted = (async () => {
      while (!isOver && !existsSync(file('draft'))) await new Promise((done) => setTimeout(done, 50))
    })()
    await loading(ctx, 'The model of this session writes the handoff page …', drafted, cancel)
    if (!isOver && !isCancelled) {
      const text = await ctx.ui.editor('Review the handoff brief', readFileSync(file('draft'), 'utf8'))
      if (text === undefined) isCancelled = true
      else writeFileSync(file('edited'), text)
      writeFileSync(file('done'), '')
    }
    const outcome = await made
    return isCancelled ? undefined : outcome
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const EDITOR = `cp "$1" "$0.part" && mv "$0.part" "\${0%editor}draft"
while [ ! -e "\${0%editor}done" ]; do [ -e "$0" ] || exit 1; sleep 0.1; done
[ -e "\${0%editor}edited" ] && cat "\${0%editor}edited" > "$1"
`

/** Shows Pi's own loader until the work is done, Escape cancels it; where Pi cannot draw one, a line. */
async function loading(ctx, text, work, cancel) {
  const Loader = ctx.mode === undefined || ctx.mode === 'tui' ? await borderedLoader() : null
  if (Loader === null || ctx.ui.custom === undefined) ctx.ui.notify(text, 'info')
  else
    await ctx.ui.custom((tui, theme, _keys, done) => {
      const loader = new Loader(tui, theme, text)
      loader.onAbort = () => {
        cancel()
        done(null)
      }
      void work.then(() => done(null))
      return loader
    })
  await work
}

/** Pi gives its own modules to extensions, by the name of its package. */
async function borderedLoader() {
  for (const name of ['@earendil-works/pi-coding-agent', '@oh-my-pi/pi-coding-agent'])
    try {
      const { BorderedLoader } = await import(name)
      if (BorderedLoader) return BorderedLoader
    } catch {
      // Not of this client.
    }
  return null
}

/** Calls the runner of this clone, or the program of this package; null where there is none. Never throws. */
async function run(cwd, args, timeout, input, env, onStart) {
  const common = await output(
    'git',
    ['-c', 'safe.bareRepository=explicit', 'rev-parse', '--git-common-dir'],
    cwd,
  )
  if (common === null) return null
  const runner = resolve(cwd, common.trim(), 'handoff', 'hook')
  const [program, ...words] = existsSync(runner)
    ? ['sh', runner, ...args]
    : ['node', PROGRAM, ...wordsOf(args)]
  if (words[0] === null) return null
  return new Promise((done) => {
    const child = spawn(program, words, { cwd, timeout, env: { ...process.env, ...env } })
    onStart?.(child)
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

/** What the runner would call the program with. */
const wordsOf = ([agent, event, ...args]) => (event === 'run' ? args : ['hook', event, '--agent', agent])

const output = (program, args, cwd) =>
  new Promise((done) => execFile(program, args, { cwd }, (error, stdout) => done(error ? null : stdout)))

function parse(text) {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

function refusal(result, made) {
  const [error] = result?.errors ?? []
  // A flag would become a part of the goal here.
  const hint =
    error?.code === 'E_GOAL' ? `Say more: /${COMMAND} <what the next session must achieve>` : error?.hint
  return error ? `${error.message}\n${hint}` : made.stderr || 'handoff gave no answer'
}
