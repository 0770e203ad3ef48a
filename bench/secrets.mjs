/**
 * Measures what the scanner finds and what it finds for nothing.
 *
 *   npm run bench:secrets -- [--gitleaks <gitleaks.toml>] [--corpus <dir>] [--missed] [--without] [--seed <n>] [--draws 20000]
 *
 * First keys with an unmistakable mark: shape, what stands before it, surroundings and place are drawn `--draws` times with the seed (by
 * default the time; it is printed), and none may be left. Then everyday surroundings, a kind by the share of its values that are found.
 * The torture plants secrets through the built program.
 *
 * Kinds told by themselves: each shape of the rule table and, with `--gitleaks`, an example of what each of its rules finds. Kinds told
 * by their surroundings: secrets/contexts.mjs, and gitleaks' rules that need the name of a service. Each is drawn five times, in every
 * form in which a text reaches a brief; a kind counts as found where nothing of any of its secrets is left in any form (by a name of
 * gitleaks': of four of five). `--gitleaks`: the `config/gitleaks.toml` of gitleaks' repository, whose rules are then printed beside ours.
 * `--corpus`: every text of the recorded sessions below is searched, where each find is a false alarm. `--missed` names what was missed.
 * `--without`: takes each rule out and names those that no kind misses: all that is drawn but for the examples of the table itself.
 * The figures of record stand in bench/secrets.md.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { loadSource } from '../scripts/load-source.mjs'
import { contexts } from './secrets/contexts.mjs'
import { textsOf } from './secrets/corpus.mjs'
import { exampleOf, gitleaksFinds, needsName, readGitleaks } from './secrets/gitleaks.mjs'
import { marked } from './secrets/marked.mjs'
import { placeholders } from './secrets/placeholders.mjs'
import { places } from './secrets/places.mjs'

const { values: options } = parseArgs({
  options: {
    gitleaks: { type: 'string' },
    corpus: { type: 'string' },
    missed: { type: 'boolean', default: false },
    without: { type: 'boolean', default: false },
    seed: { type: 'string', default: String(Date.now() % 2 ** 31) },
    draws: { type: 'string', default: '20000' },
  },
})
const ROUNDS = 5
const folder = mkdtempSync(join(tmpdir(), 'handoff-bench-'))
try {
  const room = await loadSource(folder, 'bench/secrets-room.ts')
  const { createScanner, findByRules, secretRules, generator, everyday, drawEveryday } = room
  const fakes = room.createFakes(Number(options.seed))
  console.log(`seed ${options.seed}`)
  const leaks = await leaksOf(generator, createScanner, fakes)
  const shares = await everydayShares(everyday, (template) => drawEveryday(template, fakes), createScanner)
  const theirs = options.gitleaks === undefined ? null : readGitleaks(options.gitleaks)

  const shaped = secretRules.flatMap(({ id, shapes }) =>
    shapes.map((shape) => [`${id} ${shape}`, () => drawnPart(shape, fakes)]),
  )
  const told = contexts.map(([name, template]) => [name, () => marked(template, fakes)])
  const drawn = (rules) => rules.map((rule) => [`gitleaks ${rule.id}`, () => example(rule, fakes)])
  const groups = [
    ['told by themselves, our shapes', shaped, 0.95],
    ['told by their surroundings', told, 0.8],
  ]
  if (theirs !== null)
    groups.splice(
      1,
      0,
      ['told by themselves, gitleaks', drawn(theirs.filter((rule) => !needsName(rule))), 1],
      // A value that is drawn may read as a word: one of the five may be missed.
      ['told by a name, gitleaks', drawn(theirs.filter(needsName)), 1, 1],
    )

  console.log(
    `${secretRules.length} rules${theirs === null ? '' : `, beside ${theirs.length} of gitleaks`}\n`,
  )
  console.log(row('kinds', 'kinds', 'ours', 'share', 'bar', theirs === null ? '' : 'gitleaks'))
  const byPlace = new Map(Object.keys(places).map((name) => [name, 0]))
  let all = 0
  const missed = []
  for (const [title, kinds, bar, spared = 0] of groups) {
    let found = 0
    let foundByThem = 0
    for (const [name, make] of kinds) {
      const left = new Set()
      let [areTheirs, drawsLeft] = [true, 0]
      for (let round = 0; round < ROUNDS; round++) {
        const { text, secrets } = make()
        const leftIn = []
        for (const [place, write] of Object.entries(places))
          if ((await leftOf(createScanner(), write(text), secrets)) > 0) leftIn.push(place)
        for (const place of leftIn) left.add(place)
        if (leftIn.length > 0) drawsLeft++
        if (theirs !== null) areTheirs &&= secrets.every((secret) => gitleaksFinds(theirs, text, secret))
      }
      all++
      for (const place of Object.keys(places))
        if (!left.has(place)) byPlace.set(place, byPlace.get(place) + 1)
      if (drawsLeft <= spared) found++
      if (left.size > 0) missed.push(`${title}: ${name}: ${[...left].join(', ')}`)
      if (areTheirs) foundByThem++
    }
    const share = found / kinds.length
    console.log(
      row(
        title,
        kinds.length,
        found,
        share.toFixed(3),
        share >= bar ? `≥ ${bar} ok` : `≥ ${bar} MISSED`,
        theirs === null ? '' : foundByThem,
      ),
    )
  }
  console.log(`\n${row('where', 'kinds', 'ours', 'share')}`)
  for (const [place, count] of byPlace) console.log(row(place, all, count, (count / all).toFixed(3)))

  console.log(`\n${row('false alarms', 'texts', 'flagged', '', 'bar')}`)
  const flagged = placeholders.filter((text) => findByRules(text).length > 0)
  console.log(
    row(
      'placeholders',
      placeholders.length,
      flagged.length,
      '',
      flagged.length <= 5 ? '≤ 5 ok' : '≤ 5 MISSED',
    ),
  )
  const { lines, hits } = documentation(findByRules)
  const most = Math.ceil(lines / 100_000)
  console.log(
    row(
      'lines of documentation',
      lines,
      hits.length,
      '',
      `≤ ${most} ${hits.length <= most ? 'ok' : 'MISSED'}`,
    ),
  )
  const alarms =
    options.corpus === undefined ? [] : [...textsOf(options.corpus)].flatMap((text) => findByRules(text))
  if (options.corpus !== undefined)
    console.log(
      row(
        'values in recorded sessions',
        '',
        new Set(alarms.map(({ value }) => value)).size,
        '',
        alarms.length === 0 ? '0 ok' : '0 MISSED',
      ),
    )

  if (options.without) {
    const kinds = [
      ...groups.slice(1).flatMap(([, kinds]) => kinds.map(([, make]) => make)),
      ...Object.values(room.claimed).map((shape) => () => marked(`used «${shape}» there`, fakes)),
      ...Object.values(everyday).map((template) => () => drawEveryday(template, fakes)),
    ]
    await printNeedless(secretRules, kinds, createScanner)
  }
  if (options.missed) {
    for (const one of leaks) console.log(`left: ${one}`)
    for (const [name, share] of shares) if (share < 1) console.log(`everyday, ${share}: ${name}`)
    for (const one of missed) console.log(`missed: ${one}`)
    for (const text of flagged) console.log(`flagged: ${text}`)
    for (const { context } of [...hits, ...alarms]) console.log(`flagged: ${context.slice(0, 120)}`)
  }
} finally {
  rmSync(folder, { recursive: true })
}

/** Draws keys and prints how many are left. */
async function leaksOf({ drawKey, isLeft, neighbours, places, shapes, surroundings }, createScanner, fakes) {
  const draws = Number(options.draws)
  const leaks = []
  for (let draw = 0; draw < draws; draw++) {
    const { what, text, key, place } = drawKey(fakes)
    if (isLeft(await places[place](createScanner(), text), key))
      leaks.push(`${what}: ${JSON.stringify(text)}`)
  }
  const all = shapes.length * new Set(neighbours).size * surroundings.length * Object.keys(places).length
  console.log(
    `unmistakable keys: ${draws} of ${all} pairings, ${leaks.length} left (0 ${leaks.length === 0 ? 'ok' : 'MISSED'})`,
  )
  return leaks
}

/** Of each kind of everyday surroundings the share of values that are found, and how many of the kinds. */
async function everydayShares(everyday, draw, createScanner) {
  const rounds = 20
  const shares = []
  for (const [name, template] of Object.entries(everyday)) {
    let found = 0
    for (let round = 0; round < rounds; round++) {
      const { text, secrets } = draw(template)
      const { value } = await createScanner().redact({ text })
      if (secrets.every((secret) => !value.text.includes(secret.slice(2, 8)))) found++
    }
    shares.push([name, found / rounds])
  }
  const mean = shares.reduce((sum, [, share]) => sum + share, 0) / shares.length
  console.log(
    `everyday surroundings: ${shares.length} kinds, ${(100 * mean).toFixed(1)} % of the values found (≥ 90 % ${mean >= 0.9 ? 'ok' : 'MISSED'})\n`,
  )
  return shares
}

/** Rules without which every text of these kinds is as clean as with them; each kind is drawn eight times. */
async function printNeedless(rules, kinds, createScanner) {
  const drawn = kinds.flatMap((make) => Array.from({ length: 8 }, make))
  const isClean = async ({ text, secrets }) => (await leftOf(createScanner(), text, secrets)) === 0
  const clean = []
  for (const one of drawn) if (await isClean(one)) clean.push(one)
  const needless = []
  for (const [at, rule] of [...rules].entries()) {
    rules.splice(at, 1)
    let isNeeded = false
    for (const one of clean) {
      const isConcerned = [one.text, ...one.secrets].some((text) => text.search(rule.pattern) !== -1)
      if (isConcerned && !(await isClean(one))) isNeeded = true
      if (isNeeded) break
    }
    rules.splice(at, 0, rule)
    if (!isNeeded) needless.push(rule.id)
  }
  console.log(`\nrules without which none of ${drawn.length} texts is left: ${needless.join(', ') || 'none'}`)
}

/** A text from a shape; the secret of it is the longest part that was drawn. */
function drawnPart(shape, fakes) {
  const { text, secrets } = marked(shape.replace(/\{[^{}]+\}/g, '«$&»'), fakes)
  return { text, secrets: secrets.sort((a, b) => b.length - a.length).slice(0, 1) }
}

function example(rule, fakes) {
  const made = exampleOf(rule, fakes)
  if (made === null) throw new Error(`no example could be made of gitleaks' rule ${rule.id}`)
  return made
}

/** How many of the secrets can still be read in what is left of a text: eight characters of their middle. */
async function leftOf(scanner, text, secrets) {
  const { value } = await scanner.redact(text)
  return secrets.filter((secret) => {
    const middle = Math.max(0, Math.floor(secret.length / 2) - 4)
    return value.includes(JSON.stringify(secret.slice(middle, middle + 8)).slice(1, -1))
  }).length
}

/** The documents of the installed packages. */
function documentation(findByRules) {
  const root = fileURLToPath(new URL('../node_modules', import.meta.url))
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.(?:md|markdown)$/i.test(name),
  )
  const texts = [...new Set(names.map((name) => readFileSync(join(root, name), 'utf8')))]
  return {
    lines: texts.reduce((sum, text) => sum + text.split('\n').length, 0),
    hits: texts.flatMap((text) => findByRules(text)),
  }
}

function row(...cells) {
  return cells.map((cell, at) => (at === 0 ? String(cell).padEnd(34) : String(cell).padStart(9))).join('')
}
