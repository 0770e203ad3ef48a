import { type Output, openOutput } from './output.ts'

/**
 * Prints nothing: for work whose value is all that is wanted. Warnings are kept, nothing is asked, and each line that would be said goes
 * to `onMessage`.
 */
export const quietOutput = (onMessage?: (line: string) => void): Output =>
  openOutput({ stdout: NOWHERE, stderr: NOWHERE, json: true, color: false, interactive: false, onMessage })

const NOWHERE = { write: () => undefined }
