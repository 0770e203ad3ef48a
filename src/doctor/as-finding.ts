import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'

/** An error that doctor reports as a finding. Throws what is none: a defect, and that the person pressed Ctrl-C. */
export function asFinding(error: unknown): HandoffError {
  if (!isHandoffError(error) || error.code === 'E_CANCELLED') throw error
  return error
}
