import { readCheckout } from '../briefs/current.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { NO_HOOKS } from '../briefs/save-brief.ts'
import type { Invocation, Outcome } from '../command.ts'
import type { Repo } from '../git/open-repo.ts'
import { isSetUp, readSetupRecord } from '../init/init-record.ts'
import { openAnywhere } from '../workspace/workspace.ts'
import { readOpenBrief, readTaken } from './read-status.ts'
import { briefLines, takenLines } from './status-lines.ts'

/** What is to be known, and the commands that fit now: words and what they do. */
export interface Moment {
  /** The open brief; for an untrusted one without its words. */
  brief: {
    id: string
    path: string
    goal?: string
    createdAt: string
    drift?: string | null
    trusted: boolean
  } | null
  lines: string[]
  next: (readonly [words: string, about: string])[]
}

const CREATE = ['create "<goal>"', 'hand over what was done here'] as const
const INIT = ['init', 'set up your agents and git hooks'] as const
const DEMO = ['demo', 'watch a whole handoff in a temporary folder'] as const
const SHOW = ['show', 'read it'] as const
const DONE = ['done "<outcome>"', 'close it'] as const

export type ToldMoment = Outcome & { moment: Moment; list: string }

/** What is open here and three commands for this moment, in a few lines; `list`: the commands alone. Throws what opening the repository throws. */
export async function tellMoment(invocation: Invocation): Promise<ToldMoment> {
  const { repo } = await openAnywhere(invocation, { isAnswer: true })
  const moment = repo === null ? OUTSIDE : await momentIn(invocation, repo)
  const { brief, lines, next } = moment
  const commands = next.map(([words, about]) => ({ command: `git handoff ${words}`, about }))
  const width = Math.max(...commands.map(({ command }) => command.length))
  const list = [
    ...commands.map(({ command, about }) => `  ${command.padEnd(width)}  ${about}`),
    '',
    'All commands: `git handoff help`',
  ].join('\n')
  return {
    result: { ok: true, brief, next: commands, warnings: invocation.out.warnings },
    text: [...lines, '', list].join('\n'),
    said: [],
    moment,
    list,
  }
}

const OUTSIDE: Moment = {
  brief: null,
  lines: ['This folder is in no git repository, so no brief is open.'],
  next: [
    DEMO,
    [CREATE[0], 'in a repository: hand its work over'],
    [INIT[0], 'in a repository: set up your agents'],
  ],
}

async function momentIn(invocation: Invocation, repo: Repo): Promise<Moment> {
  await refreshLatest(invocation, repo)
  const checkout = await readCheckout(repo)
  const now = invocation.place.now()
  // An agent may ask as well, and a stranger's words are not for it.
  const found = await readOpenBrief(repo, checkout, now, true)
  const taken = await readTaken(repo, checkout, now, true)
  const { record } = await readSetupRecord(repo.commonDir)
  if (found === null || !found.open) {
    const isNew = found === null && checkout.landed.length === 0
    return {
      brief: null,
      lines: [
        ...(taken === null ? ['No brief is open here.'] : takenLines(taken)),
        ...(found === null ? [] : briefLines(found)),
      ],
      next: [
        CREATE,
        isSetUp(record) ? ['status', 'see session, notes and hooks'] : INIT,
        isNew ? DEMO : ['log', 'list earlier briefs'],
      ],
    }
  }
  const { id, path, goal, createdAt, drift, trusted } = found
  const lines = [...briefLines(found), ...(isSetUp(record) ? [] : [NO_HOOKS])]
  if (trusted)
    return {
      brief: { id, path, goal, createdAt, drift, trusted },
      lines,
      next: [SHOW, ['resume --to <agent>', 'start the next agent on it'], DONE],
    }
  return {
    brief: { id, path, createdAt, trusted },
    lines,
    next: [SHOW, [`trust ${id}`, 'let agents read it'], DONE],
  }
}
