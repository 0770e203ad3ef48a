import type { Config } from '../types/config.ts'

/** How a value is checked and what it becomes. */
export type Kind =
  | { is: 'count'; min: number; max: number; isNullable?: true }
  | { is: 'flag' }
  | { is: 'text' }
  /** `least`, `most`: in ms; absent: whatever is written. */
  | { is: 'duration'; least?: number; most?: number }
  | { is: 'age' }
  | { is: 'choice'; of: readonly string[] }
  | { is: 'list' }
  | { is: 'personas' }

/** One configuration key: its path in `Config`, the names it also answers to, what it does. */
export interface Key {
  path: string
  aliases: readonly string[]
  kind: Kind
  about: string
}

const count = (max = 100_000, min = 0): Kind => ({ is: 'count', min, max })
const flag: Kind = { is: 'flag' }

/** Every key, once: validation, environment names, help and docs walk this table. */
export const keys: readonly Key[] = [
  { path: 'limits.files', aliases: ['maxFiles'], kind: count(), about: 'most files listed in a brief' },
  { path: 'limits.commands', aliases: ['maxCommands'], kind: count(), about: 'most commands listed' },
  {
    path: 'limits.information',
    aliases: ['maxInformationItems'],
    kind: count(),
    about: 'most items that a model adds',
  },
  { path: 'limits.constraints', aliases: ['maxConstraints'], kind: count(), about: 'most constraints' },
  { path: 'limits.decisions', aliases: ['maxDecisionItems'], kind: count(), about: 'most decisions' },
  {
    path: 'limits.openQuestions',
    aliases: ['maxOpenQuestions'],
    kind: count(),
    about: 'most open questions',
  },
  { path: 'budget.soft', aliases: [], kind: count(), about: 'tokens that a brief aims at' },
  { path: 'budget.warn', aliases: [], kind: count(), about: 'tokens of the whole file before a warning' },
  { path: 'budget.hard', aliases: [], kind: count(), about: 'tokens of the whole file before an error' },
  {
    path: 'include.metadata',
    aliases: ['includeMetadata'],
    kind: flag,
    about: 'the line about the session in Status',
  },
  { path: 'include.skill', aliases: ['includeSkill'], kind: flag, about: 'skills of the session' },
  {
    path: 'include.fileReasons',
    aliases: ['includeFileReasons'],
    kind: flag,
    about: 'the reason after each file',
  },
  { path: 'include.preamble', aliases: ['includeHandoffPreamble'], kind: flag, about: 'the fixed preamble' },
  { path: 'validate.files', aliases: ['validateFiles'], kind: flag, about: 'drop files without evidence' },
  {
    path: 'progress.phases',
    aliases: ['showProgressPhases'],
    kind: flag,
    about: 'name the phases while working',
  },
  {
    path: 'goal.minLength',
    aliases: ['minGoalLength'],
    kind: count(4096),
    about: 'fewest graphemes of a goal',
  },
  { path: 'notes.maxAge', aliases: [], kind: { is: 'duration' }, about: 'age after which notes are ignored' },
  { path: 'notes.require', aliases: [], kind: flag, about: 'fail when there are no notes' },
  {
    path: 'commit.branch',
    aliases: ['branch'],
    kind: { is: 'choice', of: ['current', 'separate'] },
    about: 'where briefs are committed',
  },
  { path: 'commit.enabled', aliases: ['commit'], kind: flag, about: 'commit the brief' },
  { path: 'edit', aliases: [], kind: flag, about: 'open the brief in the editor before it is committed' },
  { path: 'mission', aliases: [], kind: { is: 'text' }, about: 'the standing objective' },
  { path: 'sources', aliases: [], kind: { is: 'list' }, about: 'globs of decision and plan files' },
  {
    path: 'secrets.allow',
    aliases: [],
    kind: { is: 'list' },
    about: 'fingerprints of reviewed false alarms',
  },
  { path: 'personas', aliases: [], kind: { is: 'personas' }, about: 'name → agent, start line, skills' },
  {
    path: 'model.name',
    aliases: ['model', 'extract.model'],
    kind: { is: 'text' },
    about: 'model of `--extract agent` instead of that of the session, as `provider/model`',
  },
  {
    path: 'model.useCurrent',
    aliases: ['useCurrentModel'],
    kind: flag,
    about: '`--extract agent` uses the model of the session',
  },
  {
    path: 'extract.timeout',
    aliases: [],
    // Nobody answers sooner; a timer of Node takes 24 days and fires at once for more.
    kind: { is: 'duration', least: 1000, most: 86_400_000 },
    about: 'how long a model may take, both attempts together',
  },
  {
    path: 'nudge.threshold',
    aliases: [],
    kind: count(100, 10),
    about: 'how full a context triggers the nudge, in percent of the point where the agent compacts it',
  },
  {
    path: 'inject',
    aliases: [],
    kind: { is: 'choice', of: ['pointer', 'full'] },
    about: 'what a session-start hook prints',
  },
  {
    path: 'gitHooks.trailers',
    aliases: [],
    kind: flag,
    about: 'offer a `Handoff-For` trailer for commits on a branch with an open brief',
  },
  {
    path: 'gitHooks.prePush',
    aliases: [],
    kind: flag,
    about: 'check the briefs of what is pushed, and stop the push on errors',
  },
  {
    path: 'retention.keep',
    aliases: [],
    kind: { is: 'count', min: 0, max: 100_000, isNullable: true },
    about: 'how many of the newest briefs `prune` keeps in the tree',
  },
  {
    path: 'retention.olderThan',
    aliases: [],
    kind: { is: 'age' },
    about: 'age from which `prune` removes briefs from the tree',
  },
]

/** Environment name of a key: `HANDOFF_MAX_FILES` for `maxFiles`, `HANDOFF_BUDGET_SOFT` for `budget.soft`. */
export const envName = (name: string): string =>
  `HANDOFF_${name
    .replace(/\./g, '_')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()}`

/** What holds where nobody set anything; a fresh value on every call, since callers change it. */
export const defaultConfig = (): Config => ({
  limits: { files: 12, commands: 6, information: 6, constraints: 8, decisions: 8, openQuestions: 6 },
  budget: { soft: 2000, warn: 4000, hard: 8000 },
  include: { metadata: true, skill: true, fileReasons: true, preamble: true },
  validate: { files: true },
  progress: { phases: true },
  goal: { minLength: 12 },
  notes: { maxAge: 3_600_000, require: false },
  commit: { branch: 'current', enabled: true },
  edit: false,
  mission: null,
  sources: [],
  secrets: { allow: [] },
  personas: {},
  model: { name: null, useCurrent: true },
  extract: { timeout: 180_000 },
  nudge: { threshold: 90 },
  inject: 'pointer',
  gitHooks: { trailers: false, prePush: false },
  retention: { keep: null, olderThan: null },
})
