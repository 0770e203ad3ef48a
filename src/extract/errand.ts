import { argumentsOf, familyOf, isInlineScript } from './command-kind.ts'
import type { ShellPart } from './shell.ts'

const REMOVAL =
  /^(?:docker|podman) (?:(?:image|container|volume|network|system|builder) (?:rm|prune|remove)|rmi?)\b/

/** Whether all that a command line does was done once: a script written on the line, a removal, version control beside it. */
export function isErrand(parts: readonly ShellPart[]): boolean {
  const acting = parts.filter((part) => familyOf(part) !== null)
  return acting.every(
    (part) =>
      isInlineScript(part) ||
      /^(?:git|gh)$/.test(part.words[0] ?? '') ||
      REMOVAL.test([part.words[0], ...argumentsOf(part)].join(' ')),
  )
}
