import { type HandoffError, isHandoffError } from '../errors/handoff-error.ts'
import { cancelled, systemFailed } from '../errors/writing.ts'

export interface ToldError {
  code: string
  message: string
  hint: string
  exit: HandoffError['exit']
  data: Record<string, unknown>
}

/**
 * What is said of an error. `given`: what was typed or handed in. It may hold a key, and messages quote it; an address that became a path is
 * not known for one there.
 */
export async function tellError(
  error: unknown,
  given: unknown,
  env: Readonly<Record<string, string | undefined>>,
): Promise<ToldError> {
  const { code, message, hint, exit, data } = knownError(error)
  const isOwn = exit === 1 && !message.startsWith('Handoff failed')
  const { maskSecrets } = await import('../workspace/input-secrets.ts')
  const told = { message: isOwn ? `Handoff failed: ${message}` : message, hint, data: { ...data }, given }
  const masked = await maskSecrets(told, env)
  return { code, message: masked.message, hint: masked.hint, exit, data: masked.data }
}

function knownError(error: unknown): ToldError {
  if (isHandoffError(error)) return error
  if (error instanceof Error && error.name === 'AbortError') return cancelled()
  if (isRefusal(error)) return systemFailed(error)
  return {
    code: 'E_UNEXPECTED',
    message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    hint: 'This is a bug in handoff. Please report it with the lines above.',
    exit: 1,
    data: {},
  }
}

const REFUSED = /^(?:EIO|ENOSPC|EDQUOT|EROFS|EACCES|EPERM|EMFILE|ENFILE|ENOMEM|EAGAIN)$/
/** What the disk or the system refuses is no bug of ours. */
const isRefusal = (error: unknown): error is NodeJS.ErrnoException =>
  error instanceof Error && 'syscall' in error && REFUSED.test((error as NodeJS.ErrnoException).code ?? '')
