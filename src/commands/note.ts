import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type CommandModule, collect, type Invocation } from '../command.ts'
import { type GivenNotes, NOTED, recordNotes } from '../create/page.ts'
import { badNotes, usage } from '../errors/usage.ts'
import { readNotesFiles, removeNotesFile } from '../store/notes.ts'
import { rulesIn } from '../store/rules.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'
import { pin } from './rule.ts'

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
    .option('--clear', 'delete the notes of this repository')
    .addHelpText('after', HELP)
}

const HELP = `
The notes go into the next brief of the same session and branch, for an hour. Standard input takes JSON
{"currentLineOfAttack", "activeHypothesis", "abandonedApproaches": [], "openQuestions": []}
or the markdown answer to a handoff request.

Example:
  handoff note --current-line-of-attack "moving retry() into the scheduler" --abandoned "a lock: it deadlocks"`

export const run: CommandModule['run'] = async (invocation, [file], options) => {
  const { out } = invocation
  if (options.list === true || options.clear === true) return listNotes(invocation, options.clear === true)
  const given = givenNotes(invocation, file, options)
  const result = await recordNotes(invocation, given, { redact: options.redact === true })
  const { page, by } = result.notes
  // A rule is the person's word; what an agent writes stays on its page.
  const rules = by === undefined ? [] : rulesIn(page)
  if (rules.length > 0) await pin(invocation, rules, options.redact === true)
  out.say(NOTED)
  out.object(await maskSecrets(result))
  return 0
}

async function listNotes(invocation: Invocation, isClearing: boolean): Promise<0> {
  const { repo } = await openWorkspace(invocation)
  const records = await readNotesFiles(repo.commonDir)
  if (isClearing) for (const { name } of records) await removeNotesFile(repo.commonDir, name)
  const notes = await maskSecrets(records.map(({ value }) => value))
  const told = isClearing ? `Forgot ${records.length} record(s).` : JSON.stringify(notes, null, 2)
  invocation.out.prose(records.length === 0 ? 'No notes are kept here.' : told, { ok: true, notes })
  return 0
}

function givenNotes(
  { place, readStdin }: Invocation,
  file: string | undefined,
  options: Record<string, unknown>,
): GivenNotes {
  const slots = fromFlags(options)
  const isTyped = Object.keys(slots).length > 0
  if (file !== undefined && isTyped)
    throw usage('Give the notes by flags or by file, not both.', 'Example: `git handoff note --help`.')
  if (isTyped) {
    const typed = Object.values(options).flat()
    return { slots, typed: typed.filter((text) => typeof text === 'string') }
  }
  if (file === '-') return { read: readStdin }
  if (file === undefined)
    throw usage(
      'There is nothing to note.',
      'Example: `git handoff note --current-line-of-attack "…"`, or JSON on standard input: `git handoff note -`.',
    )
  const read = () =>
    readFile(resolve(place.root, file), 'utf8').catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === 'ENOENT' || cause.code === 'ENAMETOOLONG')
        throw usage(
          `There is no file ${file} to take notes from.`,
          'A text goes behind a flag: git handoff note --information "…"',
        )
      throw badNotes(cause.message)
    })
  return { read }
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
