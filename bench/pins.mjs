/**
 * Which rules of the person survive in a brief. A generated session has one request, a number of other requests, and twelve rules in one of four
 * forms; a rule survives if its first seven or last six words are in the brief. No model, no notes.
 *
 *   npm run bench:pins -- [--fillers 20,60,200,400] [--program <handoff.cjs>] [--wordings <folder>] [--verbose]
 *
 *   alone     a rule is a message of its own
 *   template  a rule is one sentence of a prompt of 130 words that is otherwise the same each time
 *   inside    a rule is inside a request of 60 words; all such requests differ
 *   distinct  like inside, all other requests differ too, and the rules are in the first third
 *
 * Wordings: files `rules-*.txt` and `none-*.txt` with a sentence a line. Each is a message of its own in a short session. A rule is found, and
 * another sentence is a false alarm, if it is among the constraints of the brief. The corpus is not part of this repository.
 */
import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { makeDice } from './dice.mjs'
import { HANDOFF } from './runs.mjs'

export const WORDINGS = fileURLToPath(new URL('../../shared/findings/pins/wordings', import.meta.url))
export const FILLERS = [20, 60, 200, 400, 40, 120, 1000]
const FORMS = ['alone', 'inside', 'template', 'distinct']
const GOAL = 'make the March invoices add up'

const RULES = [
  'Never call the live payment gateway from a script on your machine.',
  'Oh, and Priya looks after spec/ledger_spec.rb, so please stay out of it.',
  'Releases only go out on Wednesdays once support has signed off.',
  'Leave the signatures of everything we export exactly as they are now.',
  'No further packages please, every licence has to pass procurement first.',
  'Every amount is kept as a whole number of pence; rounding errors cost us a refund run.',
  'Check with me first if a migration would be needed.',
  'Our branch names begin with the ticket, this one is LED-2271.',
  'It has to keep running on Ruby 3.1 until the summer.',
  "Don't load the customer dump on the shared host, there is a masked copy.",
  'The export must be finished within nine minutes, the bank closes its window then.',
  'Account numbers may not turn up in any log, not even shortened.',
]
const BEFORE = [
  'Accounting came back about February. Roughly one statement in fifty is two pence off, and most of those have a second discount.',
  'The total below the last table looks strange in the file for the Leeds office. Hold it next to what the previous exporter wrote.',
  'I believe the credit side was pasted from the invoice side at some point. Find out whether the two have drifted apart since.',
  'A customer in Bergen was refunded twice for the same basket. Both calls are in the log, less than a second apart.',
  'The job at three in the morning needs half an hour now and needed ten minutes in May. One of its queries must have become slow.',
  'Tom and I went over the table of rates. We suspect that downloads get the reduced rate of the wrong country.',
  'Somebody pads the account names to twelve characters in a helper. Nobody on the team knows the reason any more.',
  'Two shops have a negative turnover for June on the big screen. The settlements were probably reversed a second time.',
  'Currency comes next. As far as I can see we read the rate once when the process starts and keep it.',
  'The second line of an address is cut on paper when it is long. The office in York sent a photograph of it.',
  'Returning one part of a set is still open. Its price is divided by weight at the moment and not by value.',
  'I would like one shop to be green in the comparison before the end of the week.',
]
const AFTER = [
  'Show me the figures of both versions next to each other afterwards.',
  'Write down what you find before anything in that folder changes.',
  'We go on with the next entry of the list when that is settled.',
  'Begin with a small test in which the call happens twice.',
  'For today the plan of the query is all that I need.',
  'Work out three of them on paper and give me the results.',
  'I would like to know why before we take it away.',
  'The ids of those settlements would help me.',
  'Reading it again every hour would be good enough.',
  'A picture of the new page is plenty.',
  'Use one example with real prices in your explanation.',
  'Then we can turn to the notes for the release.',
]

/** @param {string} form @param {number} fillers */
function sessionOf(form, fillers) {
  const dice = makeDice(11)
  const words = (count) => dice.prose(count * 6).trim()
  const span = form === 'distinct' ? 0.35 : 0.7
  const turns = [['Make the totals of the ledger agree with the bank.', 'I will read the ledger first.']]
  let rule = 0
  for (let n = 0; n < fillers; n++) {
    turns.push(
      form === 'distinct'
        ? [
            `Now let ${words(4)} in src/${dice.word()}${n}.rb follow ${words(3)}, and compare it with ${words(5)}.`,
            `I changed ${words(6)} and ran the specs of ${words(3)}. They pass, because ${words(5)}.`,
          ]
        : [
            `Read src/part${n}.rb and say why its sum is off.`,
            `I read src/part${n}.rb. Its sum is off because step ${n} rounds twice. I changed the second one; the specs pass.`,
          ],
    )
    while (rule < RULES.length && n >= Math.floor(((rule + 0.5) * fillers * span) / RULES.length))
      turns.push(ruleTurn(form, rule++, n))
  }
  return turns
}

function ruleTurn(form, rule, n) {
  const text = RULES[rule]
  if (form === 'alone') return [text, 'Understood.']
  if (form === 'inside' || form === 'distinct')
    return [
      `${BEFORE[rule]} ${text} ${AFTER[rule]}`,
      `That part is done; steps ${rule} and ${n} were swapped.`,
    ]
  return [
    `Good, go on with part ${n} now. Last week accounting wrote that the sums of March are two pence off in about one statement of fifty, nearly always for customers with a second discount, and my guess is again the order in which things are added and rounded. See how the discount is divided over the lines and whether the last line gets what is left. ${text} Then show me what changed in src/part${n}.rb and put the sums of the March statements before and after into a small table. When they agree we continue with the credit side, which I think has a copy of the same code in src/credit${n}.rb.`,
    'Understood.',
  ]
}

/** One short session around a sentence. */
const around = (sentence) => [
  ['Make the totals of the ledger agree with the bank.', 'I will read the ledger first.'],
  ['Read src/part1.rb and say why its sum is off.', 'Step 1 rounds twice. I changed the second one.'],
  [sentence, 'Understood.'],
  ['Read src/part2.rb and say why its sum is off.', 'Step 2 rounds twice as well. I changed that too.'],
  ['Go on with src/part3.rb.', 'I changed src/part3.rb in the same way.'],
]

const plain = (text) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim()

function survives(brief, rule) {
  const words = plain(rule).split(' ')
  return brief.includes(words.slice(0, 7).join(' ')) || brief.includes(words.slice(-6).join(' '))
}

/** Makes briefs in the process of the bench: 240 sentences take seconds then. */
function makerIn(folder, program) {
  const { run } = createRequire(import.meta.url)(join(dirname(program), '..', 'dist', 'cli.cjs'))
  const repo = join(folder, 'repo')
  const env = { PATH: process.env.PATH, HOME: folder, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1' }
  const git = (...args) => execFileSync('git', ['-C', repo, ...args], { env })
  execFileSync('git', ['init', '-q', '-b', 'main', repo], { env })
  git(
    '-c',
    'user.name=Robin',
    '-c',
    'user.email=robin@example.invalid',
    'commit',
    '-q',
    '--allow-empty',
    '-m',
    'Begin',
  )
  const session = join(folder, 'session.jsonl')
  return async (turns) => {
    const messages = turns.flatMap(([user, assistant]) => [
      { role: 'user', content: user },
      { role: 'assistant', content: assistant },
    ])
    writeFileSync(session, messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
    let printed = ''
    const argv = ['--cwd', repo, 'create', GOAL, '--session', session, '--dry-run', '--json', '--no-notes']
    const stdout = { write: (part) => (printed += part) }
    await run({ argv, env, stdin: [], stdout, stderr: { write() {} } })
    const answer = JSON.parse(printed)
    if (answer.ok !== true) throw new Error(`create: ${printed}`)
    return answer
  }
}

/**
 * `survived`: form → fillers → `{ brief, constraints }`, of twelve. `wordings`: per file, found of all sentences; null without the folder.
 */
export async function measurePins({ program = HANDOFF, fillers = FILLERS, wordings = WORDINGS } = {}) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-pins-')))
  try {
    const make = makerIn(folder, program)
    const survived = {}
    for (const form of FORMS) {
      survived[form] = {}
      for (const count of fillers) {
        const { markdown, brief } = await make(sessionOf(form, count))
        const constraints = brief.constraints.map(({ text }) => text).join('\n')
        const kept = (text) => RULES.filter((rule) => survives(plain(text), rule)).length
        const missing = RULES.filter((rule) => !survives(plain(markdown), rule))
        survived[form][count] = { brief: kept(markdown), constraints: kept(constraints), missing }
      }
    }
    return { survived, wordings: existsSync(wordings) ? await measureWordings(make, wordings) : null }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measureWordings(make, folder) {
  const rows = []
  for (const name of readdirSync(folder).sort()) {
    if (!/^(?:rules|none)-.*\.txt$/.test(name)) continue
    const sentences = readFileSync(join(folder, name), 'utf8').split('\n').filter(Boolean)
    const found = []
    for (const sentence of sentences) {
      const { brief } = await make(around(sentence))
      const told = brief.constraints.map(({ text }) => plain(text)).join('\n')
      if (told.includes(plain(sentence).slice(0, 40))) found.push(sentence)
    }
    rows.push({ name, isRule: name.startsWith('rules'), found, all: sentences.length })
  }
  const share = (isRule) => {
    const some = rows.filter((row) => row.isRule === isRule)
    const count = (of) => some.reduce((sum, row) => sum + of(row), 0)
    return { found: count(({ found }) => found.length), all: count(({ all }) => all) }
  }
  return { rows, rules: share(true), none: share(false) }
}

async function main() {
  const { values } = parseArgs({
    options: {
      fillers: { type: 'string', default: FILLERS.join(',') },
      program: { type: 'string', default: HANDOFF },
      wordings: { type: 'string', default: WORDINGS },
      verbose: { type: 'boolean', default: false },
    },
  })
  const fillers = values.fillers.split(',').map(Number)
  if (!fillers.every((n) => Number.isInteger(n) && n > 0)) throw new Error('--fillers takes whole numbers')
  const folder = resolve(values.wordings)
  const { survived, wordings } = await measurePins({
    program: resolve(values.program),
    fillers,
    wordings: folder,
  })
  console.log(`of ${RULES.length} rules in the brief (among its constraints), by requests around them\n`)
  console.log(`| form | ${fillers.join(' | ')} |\n| --- |${' --- |'.repeat(fillers.length)}`)
  for (const [form, by] of Object.entries(survived)) {
    const cells = fillers.map((count) => `${by[count].brief} (${by[count].constraints})`)
    console.log(`| ${form} | ${cells.join(' | ')} |`)
    if (values.verbose)
      for (const count of fillers) for (const rule of by[count].missing) console.log(`  ${count}: ${rule}`)
  }
  if (wordings === null) return console.log(`\nno wordings in ${folder}: --wordings <folder> reads others`)
  const { rules, none } = wordings
  console.log(
    `\nwordings: ${rules.found} of ${rules.all} rules found, ${none.found} of ${none.all} others false`,
  )
  for (const { name, found, all } of wordings.rows) console.log(`  ${name}: ${found.length} of ${all}`)
  if (values.verbose)
    for (const { isRule, found } of wordings.rows)
      if (!isRule) for (const one of found) console.log(`  false: ${one}`)
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main()
