import type { Command } from 'commander'
import { briefToJson } from '../brief/json.ts'
import { inlinePrompt } from '../brief/prompt.ts'
import { sections } from '../brief/sections.ts'
import { usage } from '../errors/usage.ts'
import type { Repo } from '../git/open-repo.ts'
import { listParked } from '../git/parked.ts'
import type { CurrentBrief } from '../briefs/current.ts'
import { findBrief } from '../briefs/find-brief.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import { pointerFor } from '../verify/pointer.ts'
import type { ReadResult } from '../briefs/results.ts'
import type { CommandModule } from '../command.ts'
import { verdictOn } from '../briefs/verdict.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'latest (default), an id, a unique prefix of one, or a file')
    .option('--prompt', 'the short pointer prompt for a successor')
    .option('--inline', 'the whole brief, wrapped for a prompt')
    .addOption(
      command
        .createOption('--section <name>', `one section: ${sections.map((s) => s.id).join(', ')}`)
        .choices(sections.map((s) => s.id)),
    )
    .option('--raw', 'the bytes as they are, for pipes; not made safe for a terminal')
    .addHelpText('after', '\nExample:\n  handoff show --prompt')
}

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const { out, place } = invocation
  const { repo } = await openWorkspace(invocation)
  const modes = ['prompt', 'inline', 'section', 'raw'].filter((name) => options[name] !== undefined)
  if (modes.length > 1) throw usage(`--${modes.join(' and --')} exclude each other.`, 'Choose one.')
  const waiting = await listParked(repo)
  for (const parked of waiting)
    out.say(
      `Parked: ${parked.id} waits for ${parked.branch.replace('refs/heads/', '')} (handoff show ${parked.id})`,
    )
  await refreshLatest(invocation, repo)
  const brief = await findBrief(repo, args[0] ?? 'latest', place.root)
  const verdict = await verdictOn(repo, brief)
  const text = await shown(repo, brief, options)
  if (brief.parsed.meta.kind === 'done') out.say('This chain is closed; nothing is open.')
  const isRead = options.prompt !== true && options.inline !== true && options.raw !== true
  const { screen } = out
  const drawn =
    isRead && screen !== null
      ? (await import('../briefs/show-screen.ts')).drawBrief(
          brief,
          verdict,
          screen,
          typeof options.section === 'string' ? options.section : null,
        )
      : null
  if (options.raw === true && !out.json) out.raw(text)
  else
    out.result(
      text,
      {
        ok: true,
        id: brief.id,
        path: brief.path,
        committed: brief.committed || brief.apart !== undefined,
        trusted: verdict.trusted,
        because: verdict.because,
        parked: waiting.map(({ id }) => id),
        text,
        brief: briefToJson(brief.parsed.brief),
        warnings: out.warnings,
      } satisfies ReadResult,
      drawn,
    )
  return 0
}

async function shown(repo: Repo, brief: CurrentBrief, options: Record<string, unknown>): Promise<string> {
  if (options.inline === true) return inlinePrompt(brief.text)
  if (options.prompt === true) return pointerFor(repo, brief)
  if (typeof options.section === 'string') {
    const wanted = options.section
    const section = brief.parsed.sections.find((s) => s.id === wanted)
    return section === undefined
      ? ''
      : section.lines
          .map((line) => line.text)
          .join('\n')
          .trim()
  }
  return brief.text
}
