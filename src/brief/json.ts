import type { Brief, CommandFact, DecisionFact, FileFact, QuestionFact, TextFact } from '../types.ts'
import { originOf } from './items.ts'

const textOf = (fact: TextFact) => ({ text: fact.text, source: fact.source, ...originOf(fact) })

const fileOf = ({ path, reason, evidence, source, mark, ...origin }: FileFact) => ({
  path,
  reason,
  evidence: [...evidence],
  source,
  ...(mark === undefined ? {} : { mark }),
  ...originOf(origin),
})

const commandOf = ({
  command,
  outcome,
  exitCode,
  cwd,
  kind,
  runs,
  source,
  mark,
  habit,
  ...origin
}: CommandFact) => ({
  command,
  outcome,
  ...(exitCode === null ? {} : { exitCode }),
  ...(cwd === null ? {} : { cwd }),
  kind,
  runs,
  source,
  ...(mark === undefined ? {} : { mark }),
  ...(habit === undefined ? {} : { habit }),
  ...originOf(origin),
})

const decisionOf = ({ what, why, alternatives, by, source, ...origin }: DecisionFact) => ({
  what,
  why,
  alternatives: [...alternatives],
  by,
  source,
  ...originOf(origin),
})

const questionOf = (fact: QuestionFact) => ({ ...textOf(fact), kind: fact.kind })

/** The structured form of a brief (`brief` of `create --json`, SPEC §5): lists best first, as in the markdown. */
export function briefToJson(brief: Brief) {
  const { meta, notes, progress } = brief
  return {
    ...meta,
    status: [...brief.status],
    mission: brief.mission === null ? null : textOf(brief.mission),
    constraints: brief.constraints.map(textOf),
    relevantInformation: brief.information.map(textOf),
    decisions: brief.decisions.map(decisionOf),
    progress: {
      done: progress.done.map(textOf),
      inProgress: progress.inProgress.map(textOf),
      pending: progress.pending.map(textOf),
    },
    relevantFiles: brief.files.map(fileOf),
    limitation: brief.limitation,
    relevantCommands: brief.commands.map(commandOf),
    openQuestions: brief.questions.map(questionOf),
    notes:
      notes === null
        ? null
        : {
            capturedAt: notes.capturedAt,
            currentLineOfAttack: notes.currentLineOfAttack,
            activeHypothesis: notes.activeHypothesis,
            abandonedApproaches: [...notes.abandonedApproaches],
            openQuestions: [...notes.openQuestions],
            other: notes.other,
          },
    nextSteps: brief.nextSteps.map(textOf),
    previous: brief.previous === null ? null : { ...brief.previous },
    metadata: [...brief.metadata],
    cuts: { ...brief.cuts },
  }
}
