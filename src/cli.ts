import { setMaxListeners } from 'node:events'
import type { Option } from 'commander'
import { folderOf, invocationIn, type Surroundings, VERSION } from './cli/invocation.ts'
import type { callLibrary as call } from './cli/library-calls.ts'
import { GLOBAL_HELP, overview } from './cli/overview.ts'
import { errorReport, noHelpOn, parseFailure, unknownWord } from './cli/report-error.ts'
import type { CommandSpec, ExitCode } from './command.ts'
import { noSuchFolder } from './errors/git.ts'
import { orNull } from './errors/handoff-error.ts'
import { cancelled } from './errors/writing.ts'
import type { Output, Stream } from './output/output.ts'
import { typedWord } from './text/safe-text.ts'
import { PROGRAM, typedProgram, withoutNpm } from './workspace/program-name.ts'

/** Standard input; `process.stdin` fits. */
type Input = AsyncIterable<Uint8Array | string> & {
  isTTY?: boolean
  destroy?: (error?: Error) => unknown
}

/** The process as the command line needs it; tests pass their own. */
export interface Terminal extends Surroundings {
  argv: readonly string[]
  stdin: Input
  stdout: Stream
  stderr: Stream
  /** What its texts call it; of a single executable, how it was started. */
  program?: string
}

/**
 * Runs as the program: signals cancel, the exit code is set, nothing else in the code base exits. Resolves to the agent whose session
 * was read, if any was: which part of the program ran.
 */
export async function main(process: NodeJS.Process): Promise<string | null> {
  let reader: string | null = null
  const controller = new AbortController()
  // A command has more git processes at a time than the ten listeners that Node takes for a leak, and says so.
  setMaxListeners(0, controller.signal)
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(name, () => {
      controller.abort(cancelled())
      // A second Ctrl-C means now.
      process.once(name, () => process.exit(130))
    })
  const failed = (): void => {
    process.exitCode = 1
  }
  process.exitCode = await run({
    argv: process.argv.slice(2),
    env: withoutNpm(process.env),
    cwd: () => process.cwd(),
    // Each takes a while to open; git can be asked before.
    get stdin() {
      return process.stdin
    },
    stdout: standardStream(process, 'stdout', failed),
    stderr: standardStream(process, 'stderr', failed),
    signal: controller.signal,
    ...(isExecutable(process) ? { program: typedWord(process.argv0) } : {}),
    onReader: (agent) => {
      reader = agent
    },
  })
  return reader
}

const isExecutable = (process: NodeJS.Process): boolean =>
  process.getBuiltinModule?.('node:sea')?.isSea() === true

/** What `handoff completion` prints; the build keeps it beside the program. */
export const completionScripts = async (): Promise<object> =>
  (await import('./commands/completion-scripts.ts')).completionScripts()

/** What the library calls: the built one takes the program for it. */
export const callLibrary = async (...given: Parameters<typeof call>): ReturnType<typeof call> =>
  (await import('./cli/library-calls.ts')).callLibrary(...given)

/** argv → exit code. Never throws. */
export async function run(terminal: Terminal): Promise<number> {
  const globals = readGlobals(terminal.argv)
  if (['--version', '-v', '-V', 'version'].includes(globals.rest[0] ?? '')) {
    terminal.stdout.write(
      globals.json ? `${JSON.stringify({ ok: true, version: VERSION, warnings: [] })}\n` : `${VERSION}\n`,
    )
    return 0
  }
  const { openOutput } = await import('./output/output.ts')
  const isOnScreen = terminal.stderr.isTTY === true
  const isDrawn = !globals.json && (isOnScreen || terminal.stdout.isTTY === true)
  // An agent in a terminal of its own copies commands from what it reads: no line of them is broken.
  const isForPerson = isDrawn && !(await import('./workspace/at-terminal.ts')).isAgent(terminal.env)
  const wrap = isForPerson ? (await import('./text/rows.ts')).wrapMessage : undefined
  const mayColor = globals.color && terminal.env.NO_COLOR === undefined && terminal.env.TERM !== 'dumb'
  const out = openOutput({
    stdout: terminal.stdout,
    stderr: terminal.stderr,
    json: globals.json,
    program: () => terminal.program ?? programIn(terminal, globals),
    color: mayColor && isOnScreen,
    mayColor,
    interactive: isInteractive(terminal) && !globals.json,
    hasCommands: terminal.env.GITHUB_ACTIONS === 'true',
    wrap,
  })
  try {
    return await dispatch(terminal, globals, out)
  } catch (error) {
    return await report(error, out, terminal)
  }
}

async function dispatch(terminal: Terminal, globals: Globals, out: Output): Promise<number> {
  if (globals.cwd === '') throw noSuchFolder('')
  const { commands, moment } = await import('./commands/table.ts')
  const [first, ...others] = globals.rest
  if (first === undefined) return invoke(terminal, globals, out, moment, [])
  if (first === 'help' || first === '--help' || first === '-h') {
    const isAll = others.includes('--all') || others[0] === 'all'
    if (first === 'help' && others[0] !== undefined && !isAll) {
      const { printTopic } = await import('./commands/help-topics.ts')
      const wanted = commands.find((c) => c.name === others[0])
      if (printTopic(out, others[0], wanted !== undefined)) return 0
      if (wanted === undefined) throw await noHelpOn(others[0], commands)
      return invoke(terminal, globals, out, { ...wanted, isHelp: true }, ['--help'])
    }
    const { pages } = await import('./commands/help-topics.ts')
    const text = overview(commands, pages, isAll)
    const object = {
      ok: true,
      commands: commands.map(({ when, name, summary }) => ({ name, summary, when })),
      warnings: out.warnings,
    }
    out.result(await onScreen(text, out), object)
    return 0
  }
  const spec = commands.find((c) => c.name === first)
  if (spec !== undefined) return invoke(terminal, globals, out, spec, others)
  const create = commands.find((c) => c.name === 'create')
  const hasGoal = looksLikeGoal(first) || (first.startsWith('-') && others.some(looksLikeGoal))
  if (create !== undefined && hasGoal) return invoke(terminal, globals, out, create, globals.rest)
  throw unknownWord(first, others, commands)
}

async function invoke(
  terminal: Terminal,
  globals: Globals,
  out: Output,
  { isHelp = false, ...spec }: CommandSpec & { isHelp?: boolean },
  argv: string[],
): Promise<number> {
  const [{ Command, CommanderError }, module] = await Promise.all([import('commander'), spec.load()])
  let exit: ExitCode = 0
  let help = ''
  const usual = isHelp ? undefined : module.usual
  const command = new Command(`handoff ${spec.name}`)
    .description(`${spec.summary[0]?.toUpperCase() ?? ''}${spec.summary.slice(1)}.`)
    .exitOverride()
    .showHelpAfterError(false)
    .showSuggestionAfterError(false)
    .configureHelp({
      optionDescription,
      argumentDescription: ({ description }) => description,
      ...(usual && {
        visibleOptions: ({ options }) => options.filter(({ long }) => usual.includes(long ?? '')),
        visibleArguments: () => [],
      }),
    })
    .configureOutput({
      // Called for each part: what stands before, the help itself, and what was added after it.
      writeOut: (text) => {
        help += text
      },
      writeErr: () => {},
      getOutHelpWidth: () => out.screen?.columns ?? 80,
    })
  module.define(command)
  command.addHelpText('after', usual ? `\nAll options: handoff help ${spec.name}` : GLOBAL_HELP)
  command.action(async () => {
    const invocation = invocationIn(terminal, globals.cwd, {
      out,
      stderr: terminal.stderr,
      readStdin: () => {
        if (terminal.stdin.isTTY === true) out.say('Reading standard input; Ctrl-D ends it.')
        // Whoever answers questions types there.
        out.interactive = false
        return readAll(terminal.stdin, terminal.signal)
      },
    })
    exit = await module.run(invocation, withoutMarks(command.args), withoutMarks(command.opts()))
  })
  try {
    await command.parseAsync(markDashes(argv), { from: 'user' })
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error
    if (error.exitCode === 0) {
      out.result(await onScreen(help, out), { ok: true, help })
      return 0
    }
    const { code, message } = error
    throw parseFailure({ code, message: withoutMarks(message) }, `handoff ${spec.name}`, command)
  }
  return exit
}

const onScreen = async (help: string, { screen }: Output): Promise<string> =>
  screen === null ? help : (await import('./cli/help-screen.ts')).helpScreen(help, screen.columns)

/** Choices stand in the description already, with what they mean. */
const optionDescription = ({ description, defaultValue }: Option): string =>
  typeof defaultValue === 'string' ? `${description} (default: ${JSON.stringify(defaultValue)})` : description

async function report(error: unknown, out: Output, { argv, env }: Terminal): Promise<number> {
  const { code, message, exit, data, ...told } = await errorReport(error, [argv, withoutDashes(argv)], env)
  const hint = out.named(told.hint)
  out.object({ ok: false, warnings: out.warnings, errors: [{ code, message, hint, ...data }] })
  if (out.json) return exit
  out.say(message)
  if (hint !== '') out.say(`  ${hint}`)
  return exit
}

/** What calls this program where the command works; a folder that is gone is told by the command. */
const programIn = (terminal: Terminal, globals: Globals): string =>
  orNull(() => typedProgram(folderOf(terminal.cwd, globals.cwd), { env: terminal.env, version: VERSION })) ??
  PROGRAM

/** Standard input to its end, which nobody waits for once the signal has come. */
async function readAll(stream: Input, signal: AbortSignal | undefined): Promise<string> {
  const leave = (): void => {
    stream.destroy?.(signal?.reason)
  }
  signal?.throwIfAborted()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    return Buffer.concat(chunks).toString('utf8')
  } finally {
    signal?.removeEventListener('abort', leave)
  }
}

/** A terminal at both ends; whether an agent called is known to the commands. */
function isInteractive(terminal: Terminal): boolean {
  const marks = ['CI', 'HANDOFF_NONINTERACTIVE']
  return (
    !marks.some((name) => (terminal.env[name] ?? '') !== '') &&
    terminal.stderr.isTTY === true &&
    terminal.stdin.isTTY === true
  )
}

/** Several words, or a script that writes no spaces: a goal, not a mistyped command. */
const looksLikeGoal = (text: string): boolean => /\s/.test(text) || /[^\x20-\x7e]/.test(text)

/** A key that was typed as an option begins behind the dashes. */
const withoutDashes = (argv: readonly string[]): string[] => argv.map((word) => word.replace(/^-+/, ''))

/** What every command understands, and the words that are left. */
export interface Globals {
  json: boolean
  color: boolean
  cwd: string | null
  rest: string[]
}

/** `--json`, `--cwd`, `--no-color` may stand anywhere before `--`. */
export function readGlobals(argv: readonly string[]): Globals {
  const globals: Globals = { json: false, color: true, cwd: null, rest: [] }
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] as string
    if (arg === '--') {
      globals.rest.push(...argv.slice(i))
      break
    }
    if (arg === '--json') globals.json = true
    else if (arg === '--no-color') globals.color = false
    else if (arg === '--cwd') globals.cwd = argv[++i] ?? ''
    else if (arg.startsWith('--cwd=')) globals.cwd = arg.slice('--cwd='.length)
    else globals.rest.push(arg)
  }
  return globals
}

/** No argument of a program holds this character. */
const MARK = '\0'
/** One of somebody else's, before other words, stays: it is refused where it does harm. */
const MARKED = /\0(?=-+\s)/g

/** A goal may be an item of a list, `- fix the parser`; behind a mark its dash begins no option. */
export const markDashes = (argv: readonly string[]): string[] =>
  argv.map((word) => (/^-+\s/.test(word) ? MARK + word : word))

/** The same without the mark: a word, a list, or options by name. */
export function withoutMarks<T>(value: T): T {
  if (typeof value === 'string') return value.replace(MARKED, '') as T
  if (Array.isArray(value)) return value.map(withoutMarks) as T
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutMarks(one)])) as T
}

/**
 * A standard stream of the process. A reader that goes away (`| head -1`) must not end the work half-way: the rest is said to nobody.
 * `failed` is called when what is written is lost.
 */
export function standardStream(
  process: NodeJS.Process,
  name: 'stdout' | 'stderr',
  failed: () => void,
): Stream {
  return process[name].on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') return
    if (name === 'stdout') process.stderr.write(`handoff: standard output: ${error.message}\n`)
    failed()
  })
}
