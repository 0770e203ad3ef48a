import type { Config } from '../types/config.ts'

/** How a value is checked and what it becomes. */
export type Kind =
  /** `least`: what a repository may say at least. */
  | { is: 'count'; min: number; max: number; isNullable?: true; least?: number }
  | { is: 'flag' }
  | { is: 'text' }
  /** `least`, `most`: in ms; absent: whatever is written. */
  | { is: 'duration'; least?: number; most?: number }
  | { is: 'age' }
  | { is: 'choice'; of: readonly string[] }
  | { is: 'list' }
  | { is: 'personas' }

/** The same of what only the person can say: an absolute path, texts by name, programs with their arguments by name. */
export type OwnKind = Kind | { is: 'path' | 'texts' | 'commands' }

/** One configuration key: its path in `Config`, the names it also answers to, what it does. */
export interface Key {
  path: string
  aliases: readonly string[]
  kind: Kind
  about: string
  /** It decides what agents are told or what counts as no secret, so a repository cannot say it. */
  isOwn: boolean
}

const count = (max = 100_000, min = 0): Extract<Kind, { is: 'count' }> => ({ is: 'count', min, max })
const flag: Kind = { is: 'flag' }

const key = (path: string, kind: Kind, about: string, ...aliases: string[]): Key => ({
  path,
  kind,
  about,
  aliases,
  isOwn: false,
})

/** A key that counts only where the person says it. */
const ownKey = (...given: Parameters<typeof key>): Key => ({ ...key(...given), isOwn: true })

/** Every key, once: validation, environment names, help and docs walk this table. */
export const keys: readonly Key[] = [
  key('limits.files', count(), 'most files listed in a brief', 'maxFiles'),
  key('limits.commands', count(), 'most commands listed', 'maxCommands'),
  key('limits.information', count(), 'most items that a model adds', 'maxInformationItems'),
  ownKey('limits.constraints', count(), 'most constraints', 'maxConstraints'),
  key('limits.decisions', count(), 'most decisions', 'maxDecisionItems'),
  key('limits.openQuestions', count(), 'most open questions', 'maxOpenQuestions'),
  key('budget.soft', count(), 'tokens that a brief aims at'),
  key('budget.warn', count(), 'tokens of the whole file before a warning'),
  // With less, the rules of the person go as well.
  key('budget.hard', { ...count(), least: 2000 }, 'tokens of the whole file before an error'),
  key('include.metadata', flag, 'the line about the session in Status', 'includeMetadata'),
  key('include.skill', flag, 'skills of the session', 'includeSkill'),
  key('include.fileReasons', flag, 'the reason after each file', 'includeFileReasons'),
  key('include.preamble', flag, 'the fixed preamble', 'includeHandoffPreamble'),
  key('validate.files', flag, 'drop files without evidence', 'validateFiles'),
  key('progress.phases', flag, 'name the phases while working', 'showProgressPhases'),
  key('goal.minLength', count(4096), 'fewest graphemes of a goal', 'minGoalLength'),
  key('notes.maxAge', { is: 'duration' }, 'age after which notes are ignored'),
  key('notes.require', flag, 'fail when there are no notes'),
  key('commit.branch', { is: 'choice', of: ['current', 'separate'] }, 'where briefs are committed', 'branch'),
  key('commit.enabled', flag, 'commit the brief', 'commit'),
  key('edit', flag, 'open the brief in the editor before it is committed'),
  key('trunk', { is: 'list' }, 'branches that finished work goes into; else found by their usual names'),
  key('mission', { is: 'text' }, 'the standing objective'),
  ownKey('secrets.allow', { is: 'list' }, 'fingerprints of reviewed false alarms'),
  ownKey('personas', { is: 'personas' }, 'name → agent, start line, skills'),
  ownKey(
    'model.name',
    { is: 'text' },
    'model of `--extract agent` instead of that of the session, as `provider/model`',
    'model',
    'extract.model',
  ),
  ownKey('model.useCurrent', flag, '`--extract agent` uses the model of the session', 'useCurrentModel'),
  // Nobody answers sooner; a timer of Node takes 24 days and fires at once for more.
  key(
    'extract.timeout',
    { is: 'duration', least: 1000, most: 86_400_000 },
    'how long a model may take, both attempts together',
  ),
  key(
    'nudge.threshold',
    count(100, 10),
    'how full a context triggers the nudge, in percent of the point where the agent compacts it',
  ),
  ownKey(
    'inject',
    { is: 'choice', of: ['pointer', 'full'] },
    'what the model gets at session start: the pointer, or the whole brief',
  ),
  key('gitHooks.trailers', flag, 'offer a `Handoff-For` trailer for commits on a branch with an open brief'),
  key('gitHooks.prePush', flag, 'check the briefs of what is pushed, and stop the push on errors'),
  key(
    'retention.keep',
    { is: 'count', min: 0, max: 100_000, isNullable: true },
    'how many of the newest briefs `prune` keeps in the tree',
  ),
  key('retention.olderThan', { is: 'age' }, 'age from which `prune` removes briefs from the tree'),
]

/** Environment name of a key: `HANDOFF_MAX_FILES` for `maxFiles`, `HANDOFF_BUDGET_SOFT` for `budget.soft`. */
export const envName = (name: string): string =>
  `HANDOFF_${name
    .replace(/\./g, '_')
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toUpperCase()}`

/** What holds where nobody set anything; a fresh value on every call, since callers change it. */
export const defaultConfig = (): Config => ({
  limits: { files: 12, commands: 6, information: 6, constraints: 40, decisions: 8, openQuestions: 6 },
  budget: { soft: 2000, warn: 4000, hard: 8000 },
  include: { metadata: true, skill: true, fileReasons: true, preamble: true },
  validate: { files: true },
  progress: { phases: true },
  goal: { minLength: 12 },
  notes: { maxAge: 3_600_000, require: false },
  commit: { branch: 'current', enabled: true },
  edit: false,
  trunk: [],
  mission: null,
  secrets: { allow: [] },
  personas: {},
  model: { name: null, useCurrent: true },
  extract: { timeout: 180_000 },
  nudge: { threshold: 90 },
  inject: 'pointer',
  gitHooks: { trailers: false, prePush: false },
  retention: { keep: null, olderThan: null },
})
