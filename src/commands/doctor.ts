import type { Command } from 'commander'
import type { CommandModule } from '../command.ts'
import { diagnose } from '../doctor/checks.ts'
import { gatherFacts } from '../doctor/read-facts.ts'
import { renderDoctor, WIDTH } from '../doctor/render.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'
import { printTopic } from './help-topics.ts'

export function define(command: Command): void {
  command
    .option('--verbose', 'also list passed checks and every configuration key')
    .option('--leaked', 'print what to do about a committed secret')
    .addHelpText('after', HELP)
}

const HELP = `
The worst comes first. An error makes the next handoff fail; a warning does not. It writes nothing and uses no network.

Example:
  handoff doctor`

export const run: CommandModule['run'] = async (invocation, _args, options) => {
  const { place, out } = invocation
  if (options.leaked === true) {
    printTopic(out, 'leaked', false)
    return 0
  }
  const { root, facts, config: rows } = await gatherFacts(invocation)
  const found = { findings: diagnose(facts), agents: facts.agents, config: rows }
  const { findings, agents, config } = await maskSecrets(found, place.env)
  const { version } = facts
  const isWrong = findings.some(({ level }) => level === 'error')
  const text = renderDoctor({
    ...{ findings, agents, config, version, root },
    isElsewhere: root !== null && root !== place.root,
    isVerbose: options.verbose === true,
    // A narrow pane is filled, a wide one is not: lines of prose are read up to here.
    width: Math.min(WIDTH, out.screen?.columns ?? WIDTH),
  })
  const told = { ok: !isWrong, version, root, checks: findings, config, agents }
  out.result(text, { ...told, warnings: out.warnings })
  return isWrong ? 1 : 0
}
