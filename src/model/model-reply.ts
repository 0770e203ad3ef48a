import * as z from 'zod/mini'
import { jsonProblem } from '../errors/handoff-error.ts'
import { kindOf, placeOf, withoutPlumbing } from '../facts/commands.ts'
import { cleanPath, createResolver, findRoots, type Root } from '../facts/paths.ts'
import { isContent, squash } from '../facts/prose.ts'
import { clipSentence } from '../text/blocks.ts'
import type { CommandFact, DecisionFact, Dropped, Evidence, FileFact, TextFact } from '../types/evidence.ts'
import type { GitState } from '../types/git.ts'
import { type RanCommand, squashed } from './conversation.ts'

interface ReplyChecks {
  git: GitState | null
  sessionCwd: string | null
  /** Commands that ran, by `squashed`. */
  commands: ReadonlyMap<string, RanCommand>
  isNamed(path: string): boolean
  /** Keep files that nothing confirms, marked (`validate.files` false). */
  keepUnverified: boolean
}

/** UTF-16 units of one item; longer ones end at a sentence. */
const MOST_TEXT = 400
/** Items of one list that are looked at, and UTF-16 units of each: a pattern is tried on no more. */
const MOST_ITEMS = 50
const MOST_GIVEN = 2000

/**
 * Adds to the evidence what a model found in the session, labelled as its own, behind everything that is certain. The same proof is
 * asked of it as of everything else: a file must be known, planned, or named in the conversation and here; a command must have run.
 * What has no proof, what goes without saying, what was done already and what stands far down a long list is dropped, and told in
 * `dropped`.
 */
export function joinReply(evidence: Evidence, answer: Reply, checks: ReplyChecks): Evidence {
  const { reply, over } = bounded(answer)
  const dropped: Dropped[] = []
  const drop = (kind: Dropped['kind'], text: string, why: string) => dropped.push({ kind, text, why })
  const { git, sessionCwd } = checks
  const roots = findRoots(git, { sessionCwd, directories: [], touched: [] })
  const files = filesOf(evidence.files, reply.relevantFiles, roots, checks, drop)
  const commands = commandsOf(evidence.commands, reply.relevantCommands, roots, checks, drop)
  const facts = textsIn(evidence, drop)
  const information = facts(reply.relevantInformation, isHistory)
  const decisions = facts(reply.decisions, (text) => isHistory(text) && !REASON.test(text))
  const questions = facts(reply.openQuestions, isHistory)
  return {
    ...evidence,
    files,
    commands: [...evidence.commands, ...commands],
    information: [...evidence.information, ...information],
    decisions: [
      ...evidence.decisions,
      ...decisions.map(({ text, source, at }): DecisionFact => {
        return { what: text, why: null, alternatives: [], by: 'agent', source, at }
      }),
    ],
    questions: [...evidence.questions, ...questions.map((fact) => ({ ...fact, kind: 'question' as const }))],
    dropped: [...evidence.dropped, ...dropped, ...over],
  }
}

type Drop = (kind: Dropped['kind'], text: string, why: string) => void

function bounded(answer: Reply): { reply: Reply; over: Dropped[] } {
  const over: Dropped[] = []
  const cut = (text: string): string => text.slice(0, MOST_GIVEN).trim()
  const first = <T>(kind: Dropped['kind'], all: readonly T[], textOf: (item: T) => string): T[] => {
    for (const item of all.slice(MOST_ITEMS)) {
      const text = clipSentence(cut(textOf(item)), MOST_TEXT / 2)
      const why = `named by the model, but behind the first ${MOST_ITEMS} of its list`
      if (text !== '') over.push({ kind, text, why })
    }
    return all.slice(0, MOST_ITEMS)
  }
  const texts = (kind: Dropped['kind'], all: readonly string[]): string[] =>
    first(kind, all, (text) => text).map(cut)
  const reply = {
    relevantFiles: first('file', answer.relevantFiles, ({ path }) => path).map(({ path, reason }) => ({
      path: cut(path),
      reason: cut(reason),
    })),
    relevantCommands: texts('command', answer.relevantCommands),
    relevantInformation: texts('other', answer.relevantInformation),
    decisions: texts('other', answer.decisions),
    openQuestions: texts('other', answer.openQuestions),
  }
  return { reply, over }
}

function filesOf(
  known: readonly FileFact[],
  named: Reply['relevantFiles'],
  roots: readonly Root[],
  { git, isNamed, keepUnverified }: ReplyChecks,
  dropped: Drop,
): FileFact[] {
  const resolver = createResolver(git, roots, [])
  const paths = new Set(known.map(({ path }) => path))
  const files = [...known]
  const seen = new Set<string>()
  for (const { path: given, reason: said } of named) {
    const token = cleanPath(given)
    if (!isContent(token)) continue
    const found = resolver.mentioned(token, paths)
    const reason = isContent(said) ? clipSentence(said, MOST_TEXT / 2) : ''
    const drop = (why: string): void => dropped('file', token, `named by the model, but ${why}`)
    if ('drop' in found) {
      drop(found.drop)
      continue
    }
    const { path, here } = found
    if (seen.has(path)) continue
    seen.add(path)
    const at = files.findIndex((file) => file.path === path)
    const file = files[at]
    if (file !== undefined) {
      if (reason === '' || file.plain !== undefined) continue
      const { reason: plain, source } = file
      files[at] = {
        ...file,
        reason: plain === '' ? reason : `${plain}; ${reason}`,
        source: 'model',
        plain: { reason: plain, source },
      }
    } else if (reason === '') drop('without a reason')
    else if (here ? isNamed(path) : (git === null && isNamed(path)) || keepUnverified)
      files.push({
        path,
        reason,
        evidence: ['named'],
        source: 'model',
        ...(here ? {} : { mark: 'unverified' }),
      })
    else drop(here ? 'not in the conversation' : 'not in the repository')
  }
  return files
}

function commandsOf(
  known: readonly CommandFact[],
  named: readonly string[],
  roots: readonly Root[],
  { commands: ran }: ReplyChecks,
  drop: Drop,
): CommandFact[] {
  // Lines that differ in how they look at the output are one command.
  const words = (command: string): string[] => [squashed(command), squashed(withoutPlumbing(command))]
  const told = new Set(known.flatMap(({ command }) => words(command)))
  const commands: CommandFact[] = []
  for (const given of named) {
    const key = squashed(given.replace(/^(?:`+|\$ )|(?<!`)`+$/g, ''))
    if (!isContent(key) || told.has(key)) continue
    const run = ran.get(key)
    const place = run === undefined ? null : placeOf(run.command, run.cwd, roots)
    if (run === undefined || place === null) {
      told.add(key)
      const why = run === undefined ? 'it never ran' : 'it ran outside the repository'
      drop('command', key, `named by the model, but ${why}`)
      continue
    }
    const all = [...words(run.command), ...words(place.command)]
    if (all.some((word) => told.has(word))) continue
    for (const word of all) told.add(word)
    const { outcome, exitCode, runs, at } = run
    commands.push({
      ...place,
      outcome,
      exitCode,
      kind: kindOf(run.command) ?? 'other',
      runs,
      source: 'model',
      at,
    })
  }
  return commands
}

/** Sentences that are new, clean and worth a line; what is left out is told at `drop`. */
function textsIn(evidence: Evidence, drop: Drop) {
  const all = [
    ...evidence.constraints.map(({ text }) => text),
    ...evidence.information.map(({ text }) => text),
    ...evidence.questions.map(({ text }) => text),
    ...evidence.decisions.map(({ what }) => what),
  ]
  const seen = new Set(all.map(squash))
  return (texts: readonly string[], isPast: (text: string) => boolean): TextFact[] =>
    texts.flatMap((given): TextFact[] => {
      const text = clipSentence(given.replace(/^[-*•]\s+/, ''), MOST_TEXT)
      const key = squash(text)
      if (!isContent(text) || seen.has(key)) return []
      seen.add(key)
      const why = OBVIOUS.test(text) ? 'goes without saying' : isPast(text) ? 'is work that is done' : null
      if (why === null) return [{ text, source: 'model', at: null }]
      drop('other', text, `said by the model, and ${why}`)
      return []
    })
}

/** "Run the tests", "build and lint the project before committing": nobody needs to be told. More than that is a finding. */
const CHECK =
  "(?:the |all |full |whole |complete |entire |existing |relevant |unit |integration |e2e |project'?s? )*(?:tests?(?: suites?)?|builds?|lint(?:er|ing|s)?|type-?checks?|type-?checker|formatt(?:er|ing)|code|changes|project|everything|work)"
const VERB =
  '(?:re-?)?(?:runs?|executes?|builds?|lints?|tests?|formats?|type-?checks?|verif(?:y|ies)|checks?|commits?|compiles?)'
const OBVIOUS = new RegExp(
  String.raw`^(?:(?:please|then|next|finally|also|always|and|now|remember to|make sure to|be sure to|don't forget to|we (?:should|need to|must)|you (?:should|need to|must))[ ,]+)*${VERB}(?:(?:,? and |, |/)${VERB})*(?: ${CHECK}(?:(?:,? and |, |/)(?:${VERB} )?${CHECK})*)?(?: (?:again|locally|first|once more|suite))*(?:,? (?:to (?:verify|check|confirm|make sure|ensure|see|validate)|before (?:committing|pushing|merging|you)|after|when)\b[^,;:]{0,80})?[.!]?$`,
  'i',
)

/** "We implemented X": what is done stands in Progress, from git. */
const isHistory = (text: string): boolean => HISTORY.test(text)
const DONE =
  '(?:implemented|added|created|fixed|updated|refactored|wrote|built|completed|finished|removed|renamed|moved|changed|ran|committed|migrated|introduced|replaced|installed|set up|resolved)'
const HISTORY = new RegExp(
  String.raw`^(?:(?:we|i|you|they|the (?:agent|assistant|user|team|session))(?: have| has| had|'ve| already| just| successfully| also| then| now)* ${DONE}\b|(?:successfully )?(?:implemented|added|created|refactored|completed|finished) (?:the|a|an|new|all|tests?|support)\b)`,
  'i',
)
const REASON = /\b(?:because|since|so that|instead of|rather than|to avoid|in order to|due to)\b/i

/** Errors that are told to the model, and UTF-16 units of an answer that is read. */
const MOST_ERRORS = 8
const MOST = 200_000

/** The answer as a value, or what is wrong with it: nothing but JSON of the schema counts, a fence around it is taken off. */
export function readReply(text: string): { reply: Reply } | { errors: string[] } {
  if (text.length > MOST) return { errors: [`longer than ${MOST} characters`] }
  let value: unknown
  try {
    value = JSON.parse(unfenced(text))
  } catch (error) {
    return { errors: [`not valid JSON: ${jsonProblem(error)}`] }
  }
  const parsed = replySchema.safeParse(value)
  if (parsed.success) return { reply: parsed.data }
  return {
    errors: parsed.error.issues
      .slice(0, MOST_ERRORS)
      .map(({ path, message }) => `${path.length === 0 ? 'the whole' : path.join('.')}: ${message}`),
  }
}

const unfenced = (text: string): string =>
  /^\s*```(?:json)?[ \t]*\r?\n([\s\S]*?)\r?\n```\s*$/.exec(text)?.[1] ?? text

const texts = () => z.array(z.string())

/** What a model is asked for. Every key is there, and no other: services that hold their models to a schema want it so. */
const replySchema = z.strictObject({
  relevantFiles: z.array(z.strictObject({ path: z.string(), reason: z.string() })),
  relevantCommands: texts(),
  relevantInformation: texts(),
  decisions: texts(),
  openQuestions: texts(),
})

export type Reply = z.infer<typeof replySchema>

/** JSON Schema (draft 2020-12) of a model's answer, as published in `docs/extraction.v1.schema.json`. */
export function replyJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(replySchema) as Record<string, unknown>
  return {
    $schema,
    $id: 'https://unpkg.com/git-handoff/docs/extraction.v1.schema.json',
    title: 'What a model extracts from a session for a handoff brief, version 1',
    ...rest,
  }
}
