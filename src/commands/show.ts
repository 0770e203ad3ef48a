import type { Command } from 'commander'
import { sections } from '../brief/sections.ts'
import type { CommandModule } from '../command.ts'
import { usage } from '../errors/usage.ts'
import { showBrief } from '../log/show-brief.ts'
import { listRules, ruleLines } from '../log/show-rules.ts'

export function define(command: Command): void {
  command
    .argument('[id]', 'id, prefix or file of a brief, or `-`; default: the current one')
    .option('--prompt', 'the prompt for a successor')
    .option('--inline', 'the whole brief, escaped in a tag')
    .addOption(
      command
        .createOption('--section <name>', 'one section, as docs/spec/brief-v1.md lists them')
        .choices(sections.map((s) => s.id)),
    )
    .option('--rules', 'the rules of the user, who said them and when')
    .option('--raw', 'the bytes, not made safe for a terminal')
    .addHelpText('after', HELP)
}

const HELP = `
Without an id: the current brief, or the record that closed this branch. It finds pruned briefs in history. A terminal gets a
formatted view, a pipe the text, an agent only a trusted brief.

Example:
  handoff show --prompt`

export const run: CommandModule['run'] = async (invocation, [id = 'latest'], options) => {
  const { out } = invocation
  const modes = ['prompt', 'inline', 'section', 'raw', 'rules'].filter((name) => options[name] !== undefined)
  if (modes.length > 1) throw usage(`--${modes.join(' and --')} exclude each other.`, 'Choose one.')
  if (options.rules === true) {
    const listed = await listRules(invocation, id)
    out.prose(ruleLines(listed.rules), listed)
    return 0
  }
  const form = options.prompt === true ? 'pointer' : options.inline === true ? 'inline' : 'markdown'
  const section = typeof options.section === 'string' ? options.section : null
  const { result, brief } = await showBrief(invocation, { id, form, section })
  if (options.raw === true && !out.json) {
    out.raw(result.text)
    return 0
  }
  const isDrawn = form === 'markdown' && options.raw !== true && out.screen !== null
  const drawn = isDrawn ? await import('../briefs/show-screen.ts') : null
  out.result(
    result.text,
    result,
    drawn === null || out.screen === null ? null : drawn.drawBrief(brief, result, out.screen, section),
  )
  return 0
}
