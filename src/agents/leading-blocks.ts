/** A tag of the clients, which have more than one word: `<system_reminder>`; those of the person's own markup rarely do. */
const OPEN = /^\s*<([A-Za-z]+(?:_[A-Za-z]+)+|timestamp)(?: [^<>]*)?>/

/** A text without what a client puts before the person's words, each piece in a tag of its own; one that never ends is left. */
export function withoutLeadingBlocks(text: string): string {
  let rest = text
  for (;;) {
    const name = OPEN.exec(rest)?.[1]
    const end = name === undefined ? -1 : rest.indexOf(`</${name}>`)
    if (name === undefined || end === -1) return rest.trim()
    rest = rest.slice(end + name.length + 3)
  }
}
