/** The sessions of the benchmark: which there are, and how one is made in a folder. */
import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { makeDice } from './dice.mjs'
import { withCommits } from './formats/clock.mjs'
import { FORMATS } from './formats/index.mjs'
import { PEOPLE } from './language/people.mjs'
import { PROJECTS } from './language/projects.mjs'
import { OVERTURNED } from './language/statements.mjs'
import { playSession } from './play.mjs'
import { catchUp, makeRepository, truthOf } from './repository.mjs'
import { makeWorld } from './world.mjs'

const AGENTS = Object.keys(FORMATS)

/** Sessions by agent, length and person; every second one is attacked. */
export function singleCases({ seed, lengths, count }) {
  return lengths.flatMap((turns, at) =>
    Array.from({ length: count }, (_, n) => ({
      id: `s${turns}-${n + 1}`,
      seed: `${seed}/${turns}/${n}`,
      turns,
      agent: AGENTS[(n + at) % AGENTS.length],
      person: (n + at * 2) % PEOPLE.length,
      attack: n % 2 === 1,
    })),
  )
}

/** Lines of work of four sessions, one after the other. */
export const chainCases = ({ seed, turns, count }) =>
  Array.from({ length: count }, (_, n) => ({
    id: `c${turns}-${n + 1}`,
    seed: `${seed}/chain/${n}`,
    turns,
    agent: AGENTS[n % AGENTS.length],
    person: (n * 2 + 1) % PEOPLE.length,
    attack: n % 2 === 0,
  }))

/** A line of work in a folder of its own: a world, its repository, and sessions that follow each other. */
export function startLine(folder, one) {
  const project = PROJECTS[one.person]
  const world = makeWorld(project, `work/${project.topics[one.person].split(' ').at(-1)}`)
  mkdirSync(folder, { recursive: true })
  return { folder, one, world, place: makeRepository(folder, world), taken: new Set(), hop: 0, planted: [] }
}

/**
 * Plays the next session of a line and writes it where its agent would: gives what a contestant gets (`session`, `repo`, `home`, `goal`) and
 * what is true. `opening` are the events with which the session begins.
 */
export function nextSession(line, { opening = [], ...amounts } = {}) {
  const { one, world, place, taken } = line
  const hop = line.hop++
  const played = playSession({
    seed: `${one.seed}/${hop}`,
    turns: one.turns,
    person: PEOPLE[one.person],
    world,
    attack: one.attack,
    taken,
    opening,
    ...amounts,
  })
  const ids = catchUp(place, world)
  const home = join(line.folder, `home-${hop}`)
  mkdirSync(home)
  copyFileSync(join(place.home, '.gitconfig'), join(home, '.gitconfig'))
  const dice = makeDice(`${one.seed}/${hop}/ids`)
  const written = FORMATS[one.agent](withCommits(played.events, ids), {
    cwd: place.repo,
    home,
    branch: world.branch,
    dice,
    day: hop,
  })
  line.planted.push(played.planted)
  return {
    input: {
      agent: one.agent,
      session: written.path,
      sessionId: written.id,
      repo: place.repo,
      home,
      goal: `finish ${world.project.topics[(hop + 3) % 10]} and ${world.project.topics[(hop + 7) % 10]}`,
    },
    events: played.events,
    truth: {
      ...truthOf(place),
      known: [...new Set([...world.project.files, ...world.files.keys()])],
      check: played.check,
      ...plantedSoFar(line.planted, played.check),
    },
  }
}

/** What was planted in all sessions of a line: a rule that was taken back in a later one holds no more. */
function plantedSoFar(all, check) {
  const sum = Object.fromEntries(Object.keys(all[0]).map((key) => [key, all.flatMap((one) => one[key])]))
  const isLifted = ({ text }) => sum.lifted.some(({ stale }) => stale === text)
  return {
    ...sum,
    rules: sum.rules.filter((rule) => !isLifted(rule)),
    overturned: sum.overturned.filter(({ isPending }) => !isPending),
    mended: sum.mended.filter((test) => test !== check.test),
  }
}

/** What the sessions of a chain plant: most rules in the first one; one of them is taken back, and one statement overturned, in a later one. */
export function amountsOf(line) {
  const { one, hop, taken } = line
  const [stale, current] = PEOPLE[one.person].lifted[0]
  const pair = OVERTURNED[0]
  for (const text of [stale, pair.stale]) taken.add(text)
  const first = { rules: 8, lifts: 1, statements: 2, carried: { rule: stale, statement: pair } }
  const later = [{ overturn: pair }, { lift: [stale, current] }, {}]
  return hop === 0 ? first : { rules: 2, lifts: hop === 1 ? 1 : 0, statements: 2, ...later[hop - 1] }
}

/** Two short sessions, the same with every seed, for which `pages/` has what agents wrote before they left. */
export const pageCases = () => [
  { id: 'p1', seed: 'page/1', turns: 60, agent: 'claude-code', person: 0, attack: true },
  { id: 'p2', seed: 'page/2', turns: 60, agent: 'codex', person: 4, attack: false },
]
