import { findSessions } from '../agents/find.ts'
import { adapters } from '../agents/table.ts'
import { readAnswer } from '../ask/read-answer.ts'
import { readWhy } from '../ask/read-why.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { type CommandModule, type Invocation, readCount } from '../command.ts'
import { questionNotQuoted } from '../errors/briefs.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { passedOver, passedOverLines } from '../session/passed-over.ts'
import { tellFinding } from '../session/pick-session.ts'
import { listLine, listSessions } from '../session/session-list.ts'
import { openHere } from '../session/session-place.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export const ask: CommandModule = {
  define(command) {
    command
      .argument('<question>', 'what you want to know')
      .argument('[id]', 'latest (default), an id, a unique prefix of one, or a file')
      .option('--limit <n>', 'at most this many passages', '5')
      .addHelpText('after', ASK_HELP)
  },
  async run(invocation, [question = '', id], options) {
    const limit = readCount('handoff ask "…"', options.limit)
    const result = await readAnswer(invocation, question, id, limit).catch((error: unknown) => {
      throw isHandoffError(error) && error.code === 'E_BAD_ID' ? questionNotQuoted(id ?? '') : error
    })
    invocation.out.prose(result.text, result)
    return 0
  },
}

const ASK_HELP = `
Searches the sessions behind a brief and its parents for the words of the question, and quotes them with turn and time. It asks no
model. Words of people and agents come first, then commands.

Below an answer ("yes", "option 2") it quotes the question. Below other passages it quotes the last word on the matter.

Example:
  handoff ask "why was the lock given up?"`

export const why: CommandModule = {
  define(command) {
    command.argument('<file>', 'a file, or a line of it: src/queue.ts:42').addHelpText('after', WHY_HELP)
  },
  async run(invocation, [file = '']) {
    const { result, text } = await readWhy(invocation, file)
    invocation.out.prose(text, result)
    return 0
  },
}

const WHY_HELP = `
Finds the commit that wrote the line, through moves and renames, and the brief that tells of it. It quotes the turn that names the
commit, else the lines that name the file. Without such a brief or such words, it says so.

Example:
  handoff why src/queue.ts:42`

export const sessions: CommandModule = {
  define(command) {
    command
      .addOption(
        command
          .createOption('--from <agent>', `only this agent: ${adapters.map((a) => a.id).join(', ')}`)
          .choices(adapters.map(({ id }) => id)),
      )
      .option('--limit <n>', 'at most this many', '20')
      .option('-v, --verbose', 'also what was passed over, and why')
      .addHelpText('after', '\nExample:\n  handoff sessions --from codex')
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
