import { findSessions } from '../agents/find.ts'
import { adapters } from '../agents/table.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { type CommandModule, type Invocation, readCount } from '../command.ts'
import { questionNotQuoted } from '../errors/briefs.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { passedOver, passedOverLines } from '../session/passed-over.ts'
import { tellFinding } from '../session/pick-session.ts'
import { listLine, listSessions } from '../session/session-list.ts'
import { openHere } from '../session/session-place.ts'
import { openWorkspace } from '../workspace/workspace.ts'

/** What answers is loaded when it is asked for: `sessions` takes a tenth less time without. */
export const ask: CommandModule = {
  define(command) {
    command
      .argument('<question>', 'what you want to know')
      .argument('[id]', 'id, prefix or file of a brief; default: the current one')
      .option('--limit <n>', 'at most this many passages', '5')
      .addHelpText('after', ASK_HELP)
  },
  async run(invocation, [question = '', id], options) {
    const limit = readCount('handoff ask "…"', options.limit)
    const { readAnswer } = await import('../ask/read-answer.ts')
    const result = await readAnswer(invocation, question, id, limit).catch((error: unknown) => {
      throw isHandoffError(error) && error.code === 'E_BAD_ID' ? questionNotQuoted(id ?? '') : error
    })
    invocation.out.prose(result.text, result)
    return 0
  },
}

const ASK_HELP = `
It asks no model. The user's words weigh most. If a session is not on this machine, it warns and searches the brief.

Example:
  handoff ask "why was the lock given up?"`

export const why: CommandModule = {
  define(command) {
    command.argument('<file>', 'a file, or a line of it: src/queue.ts:42').addHelpText('after', WHY_HELP)
  },
  async run(invocation, [file = '']) {
    const { readWhy } = await import('../ask/read-why.ts')
    const { result, text } = await readWhy(invocation, file)
    invocation.out.prose(text, result)
    return 0
  },
}

const WHY_HELP = `
It quotes the turn that names the commit of the line, else lines of that brief on the file. If there are none, it says so.

Example:
  handoff why src/queue.ts:42`

export const sessions: CommandModule = {
  define(command) {
    command
      .addOption(
        command
          .createOption('--from <agent>', 'only this agent, as `handoff help agents` lists them')
          .choices(adapters.map(({ id }) => id)),
      )
      .option('--limit <n>', 'at most this many', '20')
      .option('-v, --verbose', 'also what was passed over, and why')
      .addHelpText('after', SESSIONS_HELP)
  },
  async run(invocation: Invocation, _args, options) {
    const { place, out } = invocation
    const only = options.from === undefined ? undefined : adapters.find((a) => a.id === options.from)?.id
    const limit = readCount('handoff sessions', options.limit)
    const { repo, roots } = await openWorkspace(invocation, { isAnswer: true })
    await refreshLatest(invocation, repo)
    const found = await findSessions(place, roots, only, tellFinding(invocation))
    const here = openHere({ repo, roots })
    const shown = await listSessions(found.slice(0, limit), here, place)
    const lines = shown.map((one) => listLine(one, place))
    if (found.length > shown.length) lines.push(`… and ${found.length - shown.length} more (--limit)`)
    const passed = options.verbose === true ? await passedOver(place, found, only) : []
    if (options.verbose === true)
      lines.push(
        passed.length === 0 ? 'Passed over: nothing.' : 'Passed over:',
        ...passedOverLines(passed, place).map((line) => `  ${line}`),
      )
    out.prose(lines.length === 0 ? 'No sessions were found for this repository.' : lines.join('\n'), {
      ok: true,
      total: found.length,
      sessions: shown,
      ...(options.verbose === true ? { passedOver: passed } : {}),
      warnings: out.warnings,
    })
    if (found.length === 0) out.say('`git handoff create "<goal>" --from git` needs none.')
    return 0
  },
}

const SESSIONS_HELP = `
Includes worktrees and subdirectories.

Example:
  handoff sessions --from codex`
