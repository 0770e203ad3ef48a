import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { callerOf } from '../agents/caller.ts'
import { type Capture, isBlank, noteOf, parseNotes } from '../brief/notes.ts'
import { badNotes, usage } from '../errors/usage.ts'
import { withoutAbort } from '../git/open-repo.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { readNotesFiles, removeNotesFile, writeNotesFile } from '../store/notes.ts'
import type { Notes } from '../types/brief.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { CommandModule } from '../command.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .argument('[file]', 'JSON or markdown of the notes, `-` for standard input')
    .option('--current-line-of-attack <text>', 'what you are doing right now and how')
    .option('--active-hypothesis <text>', 'what you believe the cause or solution is')
    .option('--abandoned <text>', 'an approach you gave up and why; may be repeated', collect, [])
    .option('--question <text>', 'an open question; may be repeated', collect, [])
    .option('--decision <text>', 'a decision; may be repeated', collect, [])
    .option('--blocker <text>', 'what blocks the work; may be repeated', collect, [])
    .option('--next-step <text>', 'what comes next; may be repeated', collect, [])
    .option('--information <text>', 'a finding or gotcha; may be repeated', collect, [])
    .option('--file <path=reason>', 'a file that matters and why; may be repeated', collect, [])
    .option('--redact', 'replace secrets instead of refusing')
    .option('--list', 'show the notes kept for this repository')
    .option('--clear', 'forget them')
    .addHelpText('after', HELP)
}

const HELP = `
The notes go into the next brief of the same session and branch, for an hour. Standard input takes JSON
{"currentLineOfAttack", "activeHypothesis", "abandonedApproaches": [], "openQuestions": []}
or the markdown answer to a handoff request.

Example:
  handoff note --current-line-of-attack "moving retry() into the scheduler" --abandoned "a lock: it deadlocks"`

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const { place, out } = invocation
  const { repo, loaded } = await openWorkspace(invocation)
  if (options.list === true || options.clear === true) {
    const records = await readNotesFiles(repo.commonDir)
    if (options.clear === true) for (const { name } of records) await removeNotesFile(repo.commonDir, name)
    const said =
      options.clear === true
        ? `Forgot ${records.length} record(s).`
        : JSON.stringify(
            records.map((r) => r.value),
            null,
            2,
          )
    out.prose(records.length === 0 ? 'No notes are kept here.' : said, {
      ok: true,
      notes: records.map((r) => r.value),
    })
    return 0
  }
  const [branch, head] = await Promise.all([
    repo.git(['symbolic-ref', '-q', '--short', 'HEAD'], { answers: [1] }),
    repo.git(['rev-parse', '-q', '--verify', 'HEAD'], { answers: [1] }),
  ])
  const capture: Capture = {
    capturedAt: place.now().toISOString(),
    capturedBySessionId: callerOf(place.env)?.sessionId ?? null,
    branch: branch.trim() || null,
    head: head.trim() || null,
  }
  const scanner = await openScanner(place, repo.root, loaded.config)
  const given = await readGiven(args[0], options, capture, invocation, scanner)
  const notes = await checkInput(scanner, 'notes', given, options.redact === true)
  if (isBlank(notes)) throw badNotes('every slot is empty')
  const path = await writeNotesFile(repo.commonDir, notes)
  await refreshLatest(invocation, withoutAbort(repo))
  out.say('Noted. It goes into the next brief of this session and branch, for an hour.')
  out.object({ ok: true, notes, path, warnings: out.warnings })
  return 0
}

async function readGiven(
  file: string | undefined,
  options: Record<string, unknown>,
  capture: Capture,
  invocation: Parameters<CommandModule['run']>[0],
  scanner: Scanner,
): Promise<Notes> {
  const flags = fromFlags(options)
  // Before it is taken apart: `SESSION_SECRET=…` is no secret any more as a path and a reason.
  for (const text of Object.values(options).flat()) if (typeof text === 'string') scanner.collect(text)
  if (file !== undefined) {
    if (Object.keys(flags).length > 0)
      throw usage('Give the notes by flags or by file, not both.', 'handoff note --help')
    const text =
      file === '-'
        ? await invocation.readStdin()
        : await readFile(resolve(invocation.place.root, file), 'utf8').catch((cause: Error) => {
            throw badNotes(cause.message)
          })
    scanner.collect(text)
    return parseNotes(text, capture)
  }
  if (Object.keys(flags).length > 0) return noteOf(flags, capture)
  throw usage(
    'There is nothing to note.',
    'handoff note --current-line-of-attack "…", or `handoff note -` with JSON on standard input.',
  )
}

function fromFlags(options: Record<string, unknown>): Record<string, unknown> {
  const list = (name: string): string[] => (Array.isArray(options[name]) ? (options[name] as string[]) : [])
  const all: Record<string, unknown> = {
    currentLineOfAttack: options.currentLineOfAttack,
    activeHypothesis: options.activeHypothesis,
    abandonedApproaches: list('abandoned'),
    openQuestions: list('question'),
    decisions: list('decision').map((what) => ({ what })),
    blockers: list('blocker'),
    nextSteps: list('nextStep'),
    information: list('information'),
    files: list('file').map((entry) => {
      const [path = '', ...reason] = entry.split('=')
      return { path, reason: reason.join('=') }
    }),
  }
  return Object.fromEntries(
    Object.entries(all).filter(([, value]) =>
      Array.isArray(value) ? value.length > 0 : value !== undefined,
    ),
  )
}

const collect = (value: string, before: string[]): string[] => [...before, value]
