import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import type { ByForm, Context } from './part.ts'
import { sample } from './random.ts'
import { createDetector, createMint } from './secrets-fakes.ts'
import { CALLER, GOAL } from './secrets-gathered.ts'
import { makeWorld } from './secrets-world.ts'

const json = (value: string): string => JSON.stringify(value).slice(1, -1)

/** The spellings in which a value is promised to be found again once it is known. */
const SPELLINGS: Readonly<Record<string, (value: string) => string>> = {
  'as it is': (value) => value,
  'in JSON': json,
  'in JSON in JSON': (value) => json(json(value)),
  'in an address': encodeURIComponent,
  'in an address, small letters': (value) =>
    encodeURIComponent(value).replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
  'in a form': (value) => encodeURIComponent(value).replaceAll('%20', '+'),
}

/** How many of the spellings a run tries. */
const SAMPLE: ByForm<number> = { ci: 2, short: 6, long: 6 }

/** Nobody can know these for the value without trying every spelling there is. */
const UNCLAIMED = 'base64, hexadecimal, broken over lines, in parts: not claimed, see docs/threat-model.md'

/** A value that one place shows to be a secret is found wherever it stands again, whatever it looks like there. */
export async function repeats({ program, seed, form, random, row }: Context): Promise<void> {
  const mint = createMint(seed + 3000)
  for (const [spelling, spell] of sample(Object.entries(SPELLINGS), SAMPLE[form], random)) {
    const world = makeWorld(program)
    const parts = Array.from({ length: 3 }, () => mint('part', '{A-Za-z0-9:16}').text)
    // A password that a person chose with care; a form ends a word at a blank.
    const variable = `${parts[0]}"${parts[1]}\\é ${parts[2]}/+`
    const shown = mint('shown', '{A-Za-z0-9:12}/+{A-Za-z0-9:14}')
    const [odd, plain] = [spell(variable), spell(shown.text)]
    const detect = createDetector([[spelling, [...parts, ...shown.cores]]])
    writeClaudeSession(
      world.repo,
      [
        ...USUAL,
        { user: `Never print ${odd} nor ${plain} in the queue.` },
        { bash: 'cat conf/broker.ini', output: `db_password = "${shown.text}"` },
        { bash: `npm test -- ${plain}`, exit: 1, output: `Error: ${odd} was rejected` },
        { says: `The root cause is that ${odd} expired, and so is ${plain}.` },
        { todo: [{ content: `rotate ${odd} and ${plain}`, status: 'pending' }] },
      ],
      { end: new Date(Date.now() - 60_000) },
    )
    world.repo.git(['commit', '-q', '--allow-empty', '-m', `use ${odd} and ${plain}`])
    world.settle()
    const env = { ...CALLER, BROKER_PASSWORD: variable }
    const ran = await world.run(['create', GOAL, '--json', '--no-notes'], { env })
    const leaks = world.traces().filter(({ text }) => detect(text).size > 0)
    // What is handed in is refused or replaced for what the session shows.
    const handed = await world.run(['create', `rotate ${plain} in the retry queue`, '--json', '--no-notes'], {
      env,
    })
    const isTold =
      detect(handed.stdout + handed.stderr).size > 0 ||
      world.traces().some(({ text }) => detect(text).size > 0)
    const wrong = [
      ...(ran.code === 0 ? [] : [`exit ${ran.code}`]),
      ...new Set(leaks.map(({ where }) => where)),
      ...(isTold ? ['told of a goal'] : []),
    ]
    row(`repeat of a secret, ${spelling}`, 'create', 12, wrong)
  }
  row('repeat of a secret, other spellings', 'create', 0, 'not run', UNCLAIMED)
}
