import { CODE, type Demo } from './demo-place.ts'

export interface Step {
  /** What happens now, in one line. */
  about: string
  /** Words behind `git handoff`, or those of git. */
  words: readonly [program: 'handoff' | 'git', ...string[]]
  /** Heading at which the output begins to matter; what is before it is left out. */
  from?: string
  /** What somebody did before it. */
  before?: (demo: Demo) => void
}

/** An agent stops half-way, the next one finishes the work, and a reviewer reads about both. */
export const STORY: readonly Step[] = [
  {
    about: 'Claude Code has fixed add() in this small repository, and not yet sub().',
    words: ['git', 'diff', '--stat'],
  },
  {
    about: 'The agent notes what neither its session nor git shows.',
    words: [
      'handoff',
      'note',
      '--abandoned',
      'one table of operators: other teams import the functions by name',
      '--question',
      'may sub be called subtract?',
    ],
  },
  {
    about: 'You hand over, and say what the next agent must achieve.',
    words: ['handoff', 'create', 'make sub() in calc.js pass its test, keep the exported names'],
  },
  {
    about: 'The next agent reads the brief there, or with this command.',
    words: ['handoff', 'show'],
    from: 'Status',
  },
  {
    about: 'It fixes sub() and commits.',
    words: ['git', 'commit', '-a', '-m', 'Let add add and sub subtract'],
    before: ({ writeCode }) => writeCode(CODE.fixed),
  },
  {
    about: 'You close the work.',
    words: ['handoff', 'done', 'add and sub pass their tests'],
  },
  {
    about: 'The reviewer reads this, as a comment on the pull request.',
    words: ['handoff', 'review'],
  },
]

export const INTRO = 'This demo works in a temporary folder. It reads and changes nothing of yours.'
export const OUTRO =
  'The session was written for this demo, and the folder is removed.\nIn your own repository, type:'
/** What a person types in their own repository. */
export const NEXT = 'git handoff create "<what the next session must achieve>"'
