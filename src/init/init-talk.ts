import type { Invocation } from '../command.ts'
import { cancelled } from '../errors/writing.ts'
import { originUrl } from '../git/settings.ts'
import type { Choice } from '../output/questions.ts'
import { ask } from '../workspace/at-terminal.ts'
import { type FoundAgent, pickAgents } from './init-agents.ts'
import { ciByRemote, ciHere, type Server } from './init-ci.ts'
import { managersHere, planGitHooks } from './init-git-hooks.ts'
import { checkSetUp, type Here, ownersHere, planSetUp, type Wanted } from './init-plan.ts'
import { readSetupRecord } from './init-record.ts'
import { settingLines } from './init-repository.ts'
import { nameOf, plannedLines } from './init-tell.ts'

/** What was said on the command line, and is not asked. */
interface Said {
  agent: string | undefined
  gitHooks: string | undefined
  ci: unknown
}

/**
 * Asks the person what to set up, with what `--yes` would do already chosen, and shows what would be written before it is.
 * Throws `cancelled`, `usage` and what planning throws.
 */
export async function talkOver(
  invocation: Invocation,
  here: Here,
  found: readonly FoundAgent[],
  said: Said,
): Promise<Wanted> {
  const { out } = invocation
  await checkSetUp(here)
  out.say('Enter accepts what is marked, Esc cancels. Nothing is written before you confirm.')
  const before = pickAgents(found, said.agent, await ownersHere(invocation, here))
  const agents = said.agent === undefined ? await askAgents(invocation, found, before) : before
  const gitHooks = said.gitHooks ?? (await askGitHooks(invocation, here))
  const ci = said.ci ?? (await askCi(invocation, here))
  const wanted = { agents, gitHooks, ci }
  await confirm(invocation, here, wanted)
  return wanted
}

const askOne = <T extends string>(
  invocation: Invocation,
  question: { message: string; choices: Choice<T>[]; initial?: T },
): Promise<T> => ask(invocation, (questions) => questions.one<T>(question))

async function askAgents(
  invocation: Invocation,
  found: readonly FoundAgent[],
  initial: readonly FoundAgent[],
): Promise<FoundAgent[]> {
  const chosen = await ask(invocation, (questions) =>
    questions.many({
      message: 'Which agents do you want to set up?',
      choices: found.map(({ adapter, isFound }) => ({
        value: adapter.id,
        label: adapter.label,
        ...(isFound ? {} : { hint: 'not found here' }),
      })),
      initial: initial.map(({ adapter }) => adapter.id),
    }),
  )
  return found.filter(({ adapter }) => chosen.includes(adapter.id))
}

/** Undefined for what would be done without a word, so that it goes with the repository when that changes. */
async function askGitHooks(
  invocation: Invocation,
  { repo, root, loaded }: Here,
): Promise<string | undefined> {
  const { marks } = (await readSetupRecord(repo.commonDir)).record
  const { manager, where } = await planGitHooks(repo, loaded.config, { asked: undefined, marks })
  const name = nameOf(root, invocation.place.home)
  const hint = (id: string): string =>
    id === manager && where !== null
      ? `in ${name(where)}`
      : id === 'plain'
        ? 'existing hooks stay and run first'
        : 'used here'
  const here = await managersHere(repo)
  const chosen = await askOne<string>(invocation, {
    message: 'Which git hooks should check briefs and update latest.md?',
    choices: [
      ...here.map((id) => ({ value: id, label: LABELS[id], hint: hint(id) })),
      { value: 'none', label: 'None' },
    ],
    initial: manager,
  })
  return chosen === manager ? undefined : chosen
}

const LABELS = {
  husky: 'husky',
  lefthook: 'lefthook',
  'pre-commit': 'pre-commit',
  plain: "git's own hooks folder",
} as const

/** Undefined for leaving things as they are. */
async function askCi(invocation: Invocation, { repo, root }: Here): Promise<Server | 'none' | undefined> {
  const isHere = ciHere(root)
  const byRemote = ciByRemote(await originUrl(repo), root)
  const hint = (server: Server): { hint?: string } =>
    server === isHere ? { hint: 'set up' } : server === byRemote ? { hint: 'used here' } : {}
  const chosen = await askOne<Server | 'none'>(invocation, {
    message: 'What should check briefs and comment on pull requests?',
    choices: [
      { value: 'github', label: 'GitHub Actions', ...hint('github') },
      { value: 'gitlab', label: 'GitLab CI', ...hint('gitlab') },
      { value: 'none', label: 'Nothing in CI' },
    ],
    initial: isHere ?? byRemote ?? 'none',
  })
  return chosen === 'none' && isHere === null ? undefined : chosen
}

/** Shows what would be written, and goes on when the person says so. Throws `cancelled`. */
async function confirm(invocation: Invocation, here: Here, wanted: Wanted): Promise<void> {
  const { place, out, version } = invocation
  // What there is to warn of is said when it is done.
  const { plan } = await planSetUp({ place, version, out: { warn: () => {} } }, here, wanted)
  const lines = [...plannedLines(plan, nameOf(here.root, place.home)), ...(await settingLines(here.repo))]
  if (lines.length === 0) return
  out.say(
    ['This will be done (`--dry-run` shows every change):', ...lines.map((line) => `  ${line}`)].join('\n'),
  )
  const answer = await askOne<'yes' | 'no'>(invocation, {
    message: 'Go on?',
    choices: [
      { value: 'yes', label: 'Yes' },
      { value: 'no', label: 'No, write nothing' },
    ],
  })
  if (answer === 'no') throw cancelled()
}
