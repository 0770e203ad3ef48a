import type { Adapter } from '../types/agent.ts'

/** What handoff does for an agent: finds its sessions, reads them, sets it up, starts it. */
export interface Able {
  find: boolean
  read: true
  setup: boolean
  start: boolean
}

export const ableOf = ({ isNamed, setup, launch }: Adapter): Able => ({
  find: isNamed !== true,
  read: true,
  setup: setup !== undefined,
  start: launch !== undefined,
})

const WORDS: Readonly<Record<keyof Able, string>> = {
  find: 'found',
  read: 'read',
  setup: 'set up',
  start: 'started',
}

/** What can be done with it, for a table. */
export const ableWords = (able: Able): string[] =>
  Object.entries(WORDS).flatMap(([key, word]) => (able[key as keyof Able] ? [word] : []))

/** What its reader was written from, and by whom that was described. */
export const sourceWords = ({ is, source }: Adapter['basis']): string =>
  source === undefined ? is : `${is}: ${source}`
