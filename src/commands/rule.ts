import type { Command } from 'commander'
import { callerOf } from '../agents/caller.ts'
import { refreshLatest } from '../briefs/latest-file.ts'
import type { CommandModule, Invocation } from '../command.ts'
import { usage } from '../errors/usage.ts'
import { pinRule } from '../store/rules.ts'
import { oneLine } from '../text/safe-text.ts'
import { checkInput, openScanner } from '../workspace/input-secrets.ts'
import { openWorkspace } from '../workspace/workspace.ts'

export function define(command: Command): void {
  command
    .argument('<text>', 'the rule in your words')
    .option('--redact', 'replace secrets instead of refusing')
    .addHelpText('after', HELP)
}

const HELP = `
The rule stands first in each brief of this branch and in those that follow. It ends when you take it back in a session or close the work.
\`handoff show --rules\` lists all rules. A line "# rule <text>" in a note does the same.

Example:
  handoff rule "Never edit the generated client."`

/** Characters of one rule: what is longer is a document. */
const LONGEST = 400

export const run: CommandModule['run'] = async (invocation, [text = ''], options) => {
  const result = await pin(invocation, [text], options.redact === true)
  invocation.out.say('Pinned. It goes into the briefs of this branch until you take it back.')
  invocation.out.object(result)
  return 0
}

/** Keeps rules for the briefs of this branch. Throws `usage`, `secretInInput` and what opening throws. */
export async function pin(invocation: Invocation, texts: readonly string[], redact: boolean) {
  const { place, out } = invocation
  const { repo, loaded } = await openWorkspace(invocation)
  const scanner = await openScanner(place, repo.root, loaded.config)
  for (const text of texts) scanner.collect(text)
  const rules = (await checkInput(scanner, 'rule', texts, redact)).map(oneLine)
  for (const rule of rules)
    if (rule === '' || rule.length > LONGEST)
      throw usage(
        rule === '' ? 'A rule needs words.' : `A rule has at most ${LONGEST} characters.`,
        'Example: `git handoff rule "Never edit the generated client."`',
      )
  const branch = (await repo.git(['symbolic-ref', '-q', '--short', 'HEAD'], { answers: [1] })).trim() || null
  const byAgent = callerOf(place.env) !== null
  const at = place.now().toISOString()
  await refreshLatest(invocation, repo)
  for (const text of rules) await pinRule(repo.commonDir, { text, at, branch, byAgent })
  return { ok: true as const, rules, branch, warnings: out.warnings }
}
