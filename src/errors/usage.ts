import { failure, HandoffError, quoted } from './handoff-error.ts'

export const usage = failure('E_USAGE', (message: string, hint: string) => [message, hint])

interface Meant {
  /** What was probably meant; null: nobody knows. */
  near: string | null
  /** How the command reads with it. */
  command: string
  choices?: readonly string[]
}

/** `instead`: what to say where nothing near is known; `more`: what is said in both cases. */
const misspelt = (message: string, { near, command, choices }: Meant, more: string, instead = '') =>
  new HandoffError(
    'E_USAGE',
    message,
    [near === null ? instead : `Did you mean \`git ${command} ${near}\`?`, more].filter(Boolean).join(' '),
    { data: { ...(choices && { choices }), ...(near !== null && { suggestion: near }) } },
  )

export const unknownCommand = (word: string, near: string | null) =>
  misspelt(
    `Unknown command: ${word}`,
    { near, command: 'handoff' },
    '`git handoff help` lists the commands. Put a goal of several words in quotes.',
  )
export const unknownTopic = (word: string, near: string | null, topics: readonly string[]) =>
  misspelt(
    `There is no help on ${quoted(word, 40)}.`,
    { near, command: 'handoff help' },
    `Topics: ${topics.join(', ')}; or the name of a command.`,
  )
/** `page`: its path in the package at `folder`. */
export const noPage = failure('E_NO_PAGE', (page: string, folder: string, cause: unknown) => [
  `There is no page ${page} in ${folder}.`,
  'The guide to a new agent has to be written: CONTRIBUTING.md, "Add an agent". If nobody adds one, install handoff again.',
  { cause },
])
export const unknownOption = (command: string, flag: string, near: string | null) =>
  misspelt(`Unknown option: ${flag}`, { near, command }, `\`git ${command} --help\` lists the options.`)
/** `typed`: the command up to the value. */
export const badChoice = (typed: string, message: string, choices: readonly string[], near: string | null) =>
  misspelt(
    message,
    { near, command: typed, choices },
    '',
    `For example: \`git ${typed} ${choices[0] ?? ''}\``,
  )
/** `choices`: the agents that can be set up. */
export const noSuchSetup = (name: string, choices: readonly string[], near: string | null) =>
  misspelt(
    `--agent ${name}: no agent of that name can be set up.`,
    { near, command: 'handoff init --agent', choices },
    `Choose from ${choices.join(', ')}, or \`all\`.`,
  )
/**
 * What a parser of YAML says (yaml 2), without what it quotes of the file, which may hold a key: a part of it below the first line, a
 * token behind a colon, the name of a tag.
 */
export const parserSaid = ({ message }: { message: string }): string => {
  const [line = ''] = message.split('\n', 1)
  const [, said = '', place = ''] =
    /^(.*?)(?:(?<=\w|\)): .*?)?( at line \d+, column \d+)?:?$/.exec(line) ?? []
  return said.replace(/ ?\S*!\S*/g, '') + place
}
export const badConfig = failure('E_CONFIG', (where: string, detail: string) => [
  `${where}: ${detail}`,
  'Fix the configuration; `git handoff help config` lists every key with its values.',
])
export const badSettings = failure('E_SETTINGS', (where: string, detail: string) => [
  `${where}: ${detail}`,
  'Fix the file, then run `git handoff init` again. Nothing was written.',
])
export const settingsReadOnly = failure('E_SETTINGS_READ_ONLY', (path: string) => [
  `${path} is read-only.`,
  'Make it writable, or leave it out with `--agent` or `--git-hooks none`, then run `git handoff init` again. Nothing was written.',
])
export const settingsChanged = failure('E_SETTINGS_CHANGED', (path: string) => [
  `Handoff failed: ${path} was changed by another program at this moment.`,
  'Run `git handoff init` again. Nothing was written.',
  { exit: 1 },
])
export const badTemplate = failure('E_TEMPLATE', (place: string, detail: string) => [
  `${place}: ${detail}`,
  'Slots look like {{name}}; `docs/spec/format.md` lists them per template.',
])
export const badNotes = failure('E_NOTES', (detail: string) => [
  `The notes cannot be used: ${detail}`,
  'The shape is {"currentLineOfAttack": "…", "openQuestions": ["…"]}, or markdown; `git handoff note --help` tells all of it.',
  { exit: 1 },
])

export const GOAL_GUIDANCE = 'Be specific: what should the next thread accomplish?'
export const GOAL_EXAMPLE = 'implement team-level handoff, update tests, document API.'
export const badGoal = failure('E_GOAL', (rule: 'empty' | 'too-short' | 'vague', detail: string) => [
  `${GOAL_GUIDANCE} (${rule}: ${detail})`,
  `Example: ${GOAL_EXAMPLE}${rule === 'empty' ? '' : ' To keep the goal as it is: --allow-vague.'}`,
  { data: { rule } },
])
export const goalTooLong = failure('E_GOAL_TOO_LONG', (bytes: number) => [
  `The goal is ${bytes} bytes long; at most 4,096 are allowed.`,
  'Put the detail into a file and name that file in the goal.',
  { data: { bytes } },
])
