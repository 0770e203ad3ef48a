/** A command that a runner found in a log. */
export interface Annotation {
  level: string
  properties: Record<string, string>
  message: string
}

/** The commands that the runner finds in a log (`ActionCommand.cs`): `::name …::` at the start of a line, `##[name]` anywhere. */
export function commandsOf(log: string): Annotation[] {
  const found: Annotation[] = []
  let stopped: string | null = null
  for (const line of log.split('\n').map((text) => text.trimStart())) {
    if (stopped !== null) {
      if (line.trimEnd() === `::${stopped}::`) stopped = null
      continue
    }
    const [, level = '', properties = '', message = ''] = /^::([\w-]+)(?: ([^:]*))?::(.*)$/.exec(line) ?? []
    const old = /##\[(error|warning|notice|debug|group|add-mask|stop-commands|set-output)[^\]]*\]/.exec(line)
    if (level === 'stop-commands') stopped = message
    else if (level !== '')
      found.push({ level, properties: readProperties(properties), message: plain(message) })
    else if (old !== null) found.push({ level: old[1] ?? '', properties: {}, message: line })
  }
  return found
}

const readProperties = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(',')
      .filter((part) => part !== '')
      .map((part) => [
        part.slice(0, part.indexOf('=')),
        plain(
          part
            .slice(part.indexOf('=') + 1)
            .replace(/%3A/gi, ':')
            .replace(/%2C/gi, ','),
        ),
      ]),
  )

const plain = (text: string): string =>
  text.replace(/%0D/gi, '\r').replace(/%0A/gi, '\n').replace(/%25/g, '%')
