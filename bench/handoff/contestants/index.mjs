import { continues } from './continues.mjs'
import { gitAlone } from './git-alone.mjs'
import { handoff, handoffWith } from './handoff.mjs'
import { lastTurns } from './last-turns.mjs'
import { prompts } from './prompts.mjs'
import { skillPage } from './skill-page.mjs'

/** Who is compared, in the order of the tables. README.md says what an entry holds. */
export const CONTESTANTS = [handoff, continues, lastTurns, gitAlone, prompts]

/** Those that need a page of the departing agent: they run on the two sessions for which `pages/` has some. */
export const WITH_PAGES = [
  skillPage('short', 'page of mattpocock/skills handoff'),
  handoffWith('short', 'that page'),
  skillPage('sections', 'page of claude-code-toolkit handoff'),
  handoffWith('sections', 'that page'),
]
