import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { callerOf } from '../agents/caller.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { type CommandModule, collect, type Invocation } from '../command.ts'
import { type GivenNotes, NOTED, recordNotes } from '../create/page.ts'
import { badNotes, usage } from '../errors/usage.ts'
import { branchName, readHead } from '../git/refs.ts'
import { readNotesFiles, removeNotesFile } from '../store/notes.ts'
import { pinRule, rulesIn } from '../store/rules.ts'
import { oneLine } from '../text/safe-text.ts'
import { checkInput, maskSecrets, openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export const note: CommandModule = {
  define(command) {
    command
      .argument('[file]', 'markdown or JSON, or `-`')
      .option('--current-line-of-attack <text>', 'what you are doing and how')
      .option('--active-hypothesis <text>', 'the likely cause or solution')
      .option('--abandoned <text>', 'what you gave up and why; repeatable, as are those below', collect, [])
      .option('--question <text>', 'an open question', collect, [])
      .option('--decision <text>', 'a decision', collect, [])
      .option('--blocker <text>', 'what blocks the work', collect, [])
      .option('--next-step <text>', 'what comes next', collect, [])
      .option('--information <text>', 'a finding or gotcha', collect, [])
      .option('--file <path=reason>', 'a file that matters and why', collect, [])
      .option('--redact', 'replace secrets')
      .option('--list', 'show the notes kept here')
      .option('--clear', 'delete them')
      .addHelpText('after', NOTE_HELP)
  },
  async run(invocation, [file], options) {
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
  },
}

const NOTE_HELP = `
The notes go into the next brief of this session and branch, once, within an hour. Markdown goes in whole; docs/scripts.md has the
keys of JSON.

Example:
  handoff note --current-line-of-attack "moving retry() into the scheduler" --abandoned "a lock: it deadlocks"`

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

export const rule: CommandModule = {
  define(command) {
    command
      .argument('<text>', 'the rule in your words')
      .option('--redact', 'replace secrets')
      .addHelpText('after', RULE_HELP)
  },
  async run(invocation, [text = ''], options) {
    const result = await pin(invocation, [text], options.redact === true)
    invocation.out.say('Pinned. It goes into the briefs of this branch until you take it back.')
    invocation.out.object(result)
    return 0
  },
}

const RULE_HELP = `
The rule comes first in each brief of this branch. It ends when you take it back in a session, as in "You may edit the generated
client now.", or with \`handoff done\`. \`handoff show --rules\` lists all rules.

Example:
  handoff rule "Never edit the generated client."`

/** Characters of one rule: what is longer is a document. */
const LONGEST = 400

/** Keeps rules for the briefs of this branch. Throws `usage`, `secretInInput` and what opening throws. */
export async function pin(invocation: Invocation, texts: readonly string[], redact: boolean) {
  const { place, out } = invocation
  const { repo, loaded } = await openWorkspace(invocation)
  const scanner = await openScanner(place, repo.root, loaded.config)
  for (const text of texts) scanner.collect(text)
  const rules = (await checkInput(scanner, 'rule', texts, redact)).map(oneLine)
  for (const rule of rules)
    if (rule === '' || rule.length > LONGEST)
      throw usage(
        rule === '' ? 'A rule needs words.' : `A rule has at most ${LONGEST} characters.`,
        'Example: `git handoff rule "Never edit the generated client."`',
      )
  const branch = branchName((await readHead(repo)).ref)
  const byAgent = callerOf(place.env) !== null
  const at = place.now().toISOString()
  await refreshLatest(invocation, repo)
  for (const text of rules) await pinRule(repo.commonDir, { text, at, branch, byAgent })
  return { ok: true as const, rules, branch, warnings: out.warnings }
}
