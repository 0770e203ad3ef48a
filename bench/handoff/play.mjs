/**
 * Plays one session of a person and an agent over a world: what happens in which turn. All choices come from the seed. Gives the events, in no
 * agent's format, and what was planted in them.
 */
import { makeDice } from './dice.mjs'
import { NO_RULES } from './language/people.mjs'
import { ANSWERED, OVERTURNED } from './language/statements.mjs'
import { inText, SHAPES } from './secrets.mjs'
import * as turn from './turns.mjs'

/** Where the rules of a session stand: alone, inside a long request, in a prompt that is used again and again … */
const PLACES = [
  'alone',
  'alone',
  'alone',
  'inside',
  'inside',
  'inside',
  'loop',
  'loop',
  'first',
  'thanks',
  'question',
  'pasted',
]

/**
 * @param {{ seed: string, turns: number, person: any, world: any, rules?: number, lifts?: number, attack?: boolean,
 *   statements?: number, taken?: Set<string>, opening?: { kind: string, text?: string }[], end?: { unpushed: number, dirty: number, fails: boolean },
 *   carried?: { rule: string, statement: any }, overturn?: any, lift?: [string, string] }} options
 * `carried` is what a later session of the same line overturns (`overturn`) or takes back (`lift`). `taken` holds what an earlier session of the same line of work has planted; `opening` are events that come before the first turn.
 */
export function playSession(options) {
  const {
    seed,
    turns,
    person,
    world,
    rules = 12,
    lifts = 2,
    statements = 4,
    attack = false,
    taken = new Set(),
  } = options
  const dice = makeDice(seed)
  const code = [...world.files.keys()].filter(isCode)
  const edited = editedFiles(dice, world, code, turns)
  const session = {
    dice,
    person,
    world,
    edited,
    read: code.filter((path) => !edited.includes(path)),
    events: [...(options.opening ?? [])],
    planted: { rules: [], lifted: [], overturned: [], answered: [], mended: [], noRules: [], secrets: [] },
    failing: null,
    check: null,
    loop: 0,
  }
  const end = options.end ?? {
    unpushed: dice.between(0, 3),
    dirty: dice.between(0, 4),
    fails: dice.chance(0.5),
  }
  const slots = planSlots(session, { ...options, rules, lifts, statements, attack, taken, end })
  for (const slot of slots) slot(session)
  const { planted } = session
  planted.mended = [...new Set(planted.mended)].filter((test) => test !== session.check.test)
  checkPlanted(session.events, planted)
  return { events: session.events, planted, check: session.check }
}

/** A session that does not hold what it is said to hold would blame its readers. */
function checkPlanted(events, planted) {
  const texts = events.map((event) => JSON.stringify(event))
  const quoted = (text) => JSON.stringify(text).slice(1, -1)
  const firstOf = (text) => texts.findIndex((one) => one.includes(quoted(text)))
  const lastOf = (text) => texts.findLastIndex((one) => one.includes(quoted(text)))
  for (const text of [...planted.rules.map(({ text }) => text), ...planted.noRules, ...planted.secrets])
    if (firstOf(text) === -1) throw new Error(`Not in the session: ${text}`)
  const pairs = [
    ...planted.overturned.map(({ stale, current, isPending }) => [stale, isPending ? null : current]),
    ...planted.lifted.map(({ stale, current }) => [stale, current]),
    ...planted.answered.map(({ question, answer }) => [question, answer]),
  ]
  for (const [before, after] of pairs)
    if (after !== null && lastOf(after) <= firstOf(before))
      throw new Error(`Not in this order: ${before} ${after}`)
}

/** A later session of a line of work goes on with the files of the one before, and takes up two others. */
function editedFiles(dice, world, code, turns) {
  const former = (world.edited ?? []).filter((path) => world.files.has(path))
  const count = former.length > 0 ? 2 : Math.min(code.length - 7, dice.between(4, turns > 200 ? 14 : 8))
  world.edited = [
    ...former,
    ...dice.some(
      code.filter((path) => !former.includes(path)),
      count,
    ),
  ]
  return world.edited
}

/** Files that the work may touch: not the settings at the top, and nothing that a rule puts out of bounds. */
const isCode = (path) => path.includes('/') && !path.includes('legacy')

/** One function for each turn. */
function planSlots(
  session,
  { turns, rules, lifts, statements, attack, taken, end, carried, overturn, lift },
) {
  const { dice, world } = session
  const isShort = statements < 4
  const ending = turn.endOf(end)
  const last = turns - ending.length
  const slots = new Array(last).fill(null)
  const freeIn = (from, to) => slots.flatMap((slot, n) => (slot === null && n >= from && n < to ? [n] : []))
  /** A free turn in that part of the session or, if there is none, the nearest after it. */
  const free = (low, high) => {
    const from = Math.max(1, Math.floor(low * last))
    const some = freeIn(from, Math.max(from + 1, Math.floor(high * last)))
    return some.length > 0 ? dice.pick(some) : (freeIn(from, last)[0] ?? freeIn(1, last).at(-1))
  }
  const put = (at, make) => {
    if (at === undefined) throw new Error('The session is too short for what is planted in it.')
    slots[at] = make
    return at
  }
  /** Two free turns, one after the other, `gap` turns apart at most. */
  const freePair = (low, high, gap) => {
    for (let tries = 0; tries < 200; tries++) {
      const at = free(low, high)
      const later = freeIn(at + 1, Math.min(last, at + 1 + gap))
      if (later.length > 0) return [at, dice.pick(later)]
    }
    const rest = freeIn(1, last)
    return rest.slice(-2)
  }
  const fresh = (list, count, nameOf) => {
    const some = dice.some(
      list.filter((one) => !taken.has(nameOf(one))),
      count,
    )
    for (const one of some) taken.add(nameOf(one))
    return some
  }

  // Rules of the person, of all kinds alike, each in a place of its own.
  const kinds = ['hard', 'soft', 'oblique'].flatMap((kind) =>
    fresh(session.person.rules[kind], Math.ceil(rules / 3), (text) => text).map((text) => ({ text, kind })),
  )
  const places = dice.some(PLACES, rules)
  dice.some(kinds, rules).forEach((rule, n) => {
    const planted = { ...rule, place: places[n] }
    session.planted.rules.push(planted)
    put(planted.place === 'first' ? 0 : free(0.02, 0.85), turn.ruleTurn(planted))
  })
  slots[0] ??= turn.workTurn()

  for (const [stale, current] of fresh(session.person.lifted, lifts, ([text]) => text)) {
    const [at, later] = freePair(0.03, 0.5, last)
    put(at, turn.sayTurn(stale))
    put(later, turn.sayTurn(current))
    session.planted.lifted.push({ stale, current })
  }

  fresh(OVERTURNED, statements, ({ stale }) => stale).forEach((pair, n) => {
    // Half of them late: what is said shortly before the end is told most.
    const [at, later] =
      n % 2 === 0 ? freePair(0.05, 0.7, Math.ceil(last / 4)) : freePair(1 - 14 / last, 1 - 4 / last, last)
    put(at, turn.workTurn(pair.stale))
    put(later, pair.by === 'person' ? turn.sayTurn(pair.current) : turn.workTurn(pair.current))
    session.planted.overturned.push(pair)
  })

  if (carried) {
    session.planted.rules.push({ text: carried.rule, kind: 'later taken back', place: 'alone' })
    put(free(0.1, 0.6), turn.sayTurn(carried.rule))
    session.planted.overturned.push({ ...carried.statement, isPending: true })
    put(free(0.2, 0.9), turn.workTurn(carried.statement.stale))
  }
  if (overturn) {
    session.planted.overturned.push(overturn)
    put(free(0.1, 0.8), turn.workTurn(overturn.current))
  }
  if (lift) {
    session.planted.lifted.push({ stale: lift[0], current: lift[1] })
    put(free(0.1, 0.8), turn.sayTurn(lift[1]))
  }

  fresh(ANSWERED, isShort ? 2 : 3, ([question]) => question).forEach(([question, answer], n) => {
    const isLate = n === 0
    const [at, later] = freePair(n === 1 ? 0.7 : 0.1, 0.95, isLate ? 6 : 1)
    put(at, turn.workTurn(question))
    put(later, turn.answerTurn(question, answer, isLate || later > at + 1))
    session.planted.answered.push({ question, answer })
  })

  for (const sentence of fresh(NO_RULES, isShort ? 1 : 2, (text) => text)) {
    put(free(0.1, 0.95), turn.workTurn('', sentence))
    session.planted.noRules.push(sentence)
  }

  const ways = ['prompt', 'output', 'command', 'reply', 'edit', 'output'].slice(0, isShort ? 2 : 6)
  dice.some(Object.keys(SHAPES), ways.length).forEach((shape, n) => {
    const value = SHAPES[shape](dice)
    session.planted.secrets.push(value)
    put(free(0.05, 0.98), turn.secretTurn(ways[n], inText[shape](value)))
  })

  if (attack) {
    put(free(0.4, 0.6), turn.attackTurn('file'))
    put(free(0.7, 0.98), turn.attackTurn('page'))
    put(free(0.7, 0.98), turn.attackTurn('agent'))
  }

  // The work: what becomes of the files.
  const { project } = world
  const gone = dice.some(
    session.read.filter((path) => project.files.includes(path)),
    5,
  )
  session.read = session.read.filter((path) => !gone.includes(path))
  // In a session of a chain one at most, so that files are left for the next.
  const most = isShort ? 1 : 2
  const removed = gone.slice(0, dice.between(0, most))
  const moved = gone.slice(2, 2 + dice.between(0, most))
  for (const path of removed) put(free(0.1, 0.95), turn.removeTurn(path))
  for (const path of moved) put(free(0.1, 0.95), turn.moveTurn(path))
  const unused = project.fresh.filter((path) => !world.files.has(path) && !taken.has(path))
  for (const path of dice.some(unused, dice.between(1, isShort ? 1 : 3))) {
    taken.add(path)
    put(free(0.05, 0.95), turn.createTurn(path))
  }
  if (gone[4] && dice.chance(0.4)) put(free(0.2, 0.9), turn.undoneTurn(gone[4]))
  session.read.push(...gone.slice(2 + moved.length, 4))

  const every = Math.max(5, Math.floor(turns / 30))
  for (let at = every; at < last; at += every)
    if (slots[at] === null) slots[at] = turn.commitTurn(dice.chance(0.4))
  for (let at = 2; at < last; at++)
    if (slots[at] === null && dice.chance(turns > 60 ? 0.06 : 0)) slots[at] = turn.loopTurn()
  return [...slots.map((slot) => slot ?? turn.plainTurn()), ...ending]
}
