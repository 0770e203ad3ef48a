import type { CommandLog } from './command-log.ts'
import type { FileLog } from './file-log.ts'

/** When in a session something was, by what had been counted up to then. */
export interface Moment {
  touch: number
  edit: number
  /** Commands that ended. */
  order: number
}

/** This moment: for a call whose result may never come, and which is then counted at the end as of the time it was made. */
export const momentOf = (files: FileLog, commands: CommandLog): Moment => ({
  // Behind the touch before it, ahead of the next.
  touch: files.clock + 0.5,
  edit: files.lastEdit,
  order: commands.order,
})
