import type { Command } from 'commander'
import type { CommandModule, Invocation } from '../command.ts'
import { diagnose } from '../doctor/diagnose.ts'
import { leakGuide, providers, renderLeaked } from '../doctor/leaked.ts'
import { gatherFacts } from '../doctor/read-facts.ts'
import { renderDoctor, WIDTH } from '../doctor/render.ts'
import { usage } from '../errors/usage.ts'
import { secretRules } from '../secrets/rules.ts'
import { maskSecrets } from '../workspace/input-secrets.ts'

export function define(command: Command): void {
  command
    .option('--verbose', 'also list passed checks and every configuration key')
    .option('--leaked [rule]', 'print what to do about a committed secret, and where to revoke it')
    .addHelpText('after', HELP)
}

const HELP = `
Checks git, Node, this repository, its hooks, its agents and the configuration. It names each problem, what it means and the command
that fixes it. It writes nothing and uses no network. An error gives exit code 1.

Example:
  handoff doctor
  handoff doctor --leaked github-token`

export const run: CommandModule['run'] = async (invocation, _args, options) => {
  if (options.leaked !== undefined) return tellLeaked(invocation, options.leaked)
  const { place, out } = invocation
  const gathered = await gatherFacts(invocation)
  const { facts, root } = gathered
  const { findings, leftOut, agents, config } = await maskSecrets(
    { ...diagnose(facts), agents: facts.agents, config: gathered.config },
    place.env,
  )
  const isWrong = findings.some(({ level }) => level === 'error')
  const elsewhere = root !== null && root !== place.root ? root : null
  const text = renderDoctor({
    findings,
    leftOut,
    agents,
    config,
    version: facts.version,
    root: elsewhere,
    isVerbose: options.verbose === true,
    width: widthOf(out),
  })
  out.result(text, {
    ok: !isWrong,
    version: facts.version,
    root,
    checks: findings,
    leftOut,
    config,
    agents,
    warnings: out.warnings,
  })
  return isWrong ? 1 : 0
}

/** A narrow pane is filled, a wide one is not: lines of prose are read up to here. */
const widthOf = ({ screen }: Invocation['out']): number => Math.min(WIDTH, screen?.columns ?? WIDTH)

function tellLeaked({ out }: Invocation, rule: unknown): 0 {
  const named = typeof rule === 'string' ? rule : null
  const guide = leakGuide(out.named('git handoff'), named, secretRules)
  if (guide === null)
    throw usage(
      '--leaked takes the id of a rule, and this is none.',
      `As in [REDACTED:rule] or a finding of check: ${providers.map(({ rules }) => rules[0]).join(', ')}.`,
    )
  out.result(renderLeaked(guide, widthOf(out)), { ok: true, ...guide, warnings: out.warnings })
  return 0
}
