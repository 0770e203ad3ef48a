import { CALLER, GOAL, type Plant } from './secrets-gathered.ts'
import type { World } from './secrets-world.ts'

/** Where a brief holds a text of its own. */
const HELD = [
  'goal',
  'focus',
  'line of attack',
  'decision',
  'why',
  'question',
  'blocker',
  'next step',
  'information',
  'skill',
  'persona',
]

/**
 * A brief that somebody else wrote, with a secret in every text of it, becomes the current one. Nothing refuses it: it came with a
 * branch..
 */
export async function writeStrangersBrief(world: World, plant: Plant): Promise<void> {
  const { repo } = world
  const mark = (name: string): string => `zqx${HELD.indexOf(name)}qzx`
  const notes = {
    currentLineOfAttack: `we try ${mark('line of attack')}`,
    openQuestions: [`what of ${mark('question')}?`],
    decisions: [{ what: `take ${mark('decision')}`, why: `for ${mark('why')}` }],
    blockers: [`no ${mark('blocker')}`],
    nextSteps: [`then ${mark('next step')}`],
    information: [`it is ${mark('information')}`],
  }
  const argv = [
    'create',
    `finish ${mark('goal')} of the retry queue`,
    '--json',
    '--focus',
    mark('focus'),
    '--notes',
    '-',
  ]
  const more = ['--skill', mark('skill'), '--persona', mark('persona')]
  const ran = await world.run([...argv, ...more], { stdin: JSON.stringify(notes), env: CALLER })
  if (ran.code !== 0) throw new Error(`no brief: ${ran.stdout}`)
  const { path, id } = JSON.parse(ran.stdout) as { path: string; id: string }
  const text = HELD.reduce(
    (left, name) => left.replaceAll(mark(name), plant(`brief of a stranger, ${name}`, { isName: true }).text),
    repo.read(path),
  )
  repo.git(['reset', '-q', '--hard', 'HEAD~1'])
  // A name of its own: what is read is what came, not what was made here before.
  const theirs = id.replace(/.{4}$/, 'feed')
  repo.commit('docs', { [`.handoff/briefs/${theirs}-queue.md`]: text.replaceAll(id, theirs) })
}

/** What reads a brief and tells of it elsewhere, or makes another of it. */
export const READERS: Readonly<Record<string, readonly string[]>> = {
  review: ['review', 'HEAD~1..HEAD'],
  'log --html': ['log', '--html', 'chain.html'],
  'check --json': ['check', '--json'],
  ask: ['ask', 'what about the queue', '--json'],
  resume: ['resume', '--json'],
  create: ['create', GOAL, '--json', '--no-notes', '--persona', 'builder'],
  done: ['done', 'shipped', '--json'],
  'review --json': ['review', 'HEAD~1..HEAD', '--json'],
  check: ['check'],
  'check, SARIF': ['check', '--format', 'sarif'],
  'check, annotations': ['check', '--format', 'github'],
  'check --range': ['check', '--range', 'HEAD~2..HEAD', '--json'],
  verify: ['verify', '--json'],
}
