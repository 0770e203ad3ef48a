import { type CommandShape, isCheck, shapeOf } from './command-kind.ts'
import { behindHeredocs } from './shell.ts'

/**
 * A command line that writes or feeds a script in a here-document is there for that script: what runs behind it on lines
 * of its own may be worth repeating, unless it runs a file that the line itself wrote. Null when nothing is.
 */
export function withoutScripts(line: Line): Line | null {
  if (!line.command.includes('<<')) return line
  const rest = behindHeredocs(line.command)
  if (rest === null) return line
  const shape = shapeOf(rest)
  const written = line.shape.parts.flatMap((part) => part.writes)
  const runsOwn = shape.parts.some((part) => part.words.some((word) => written.includes(word)))
  if (runsOwn) return null
  if (shape.families.length > 0) return { command: rest, shape }
  // The outcome of a check is wanted whatever was written beside it.
  return isCheck(line.shape.kind) ? line : null
}

interface Line {
  command: string
  shape: CommandShape
}
