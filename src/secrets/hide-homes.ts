import { mapTexts } from './walk.ts'

/** Home directories of Linux, macOS and Windows with the user's name in them. */
const HOMES =
  /(?<![\w.~-])(?:\/(?:home|Users)\/(?!\.\.?(?:\/|$))[^\s/\\"'`:;,()<>|*?&$=]+|[A-Za-z]:\\Users\\[^\s\\/"'`:;,()<>|*?&$=]+|\/root(?=\/|$|[\s"'`:;,)]))(?=$|[\s/\\"'`:;,()<>|*?&=.])/g

/** One of these stands in every such directory; looked for first, since most texts hold none. */
const MARKS = ['/home/', '/Users/', ':\\Users\\', '/root']

/**
 * A copy of a plain value in which every home directory, this machine's and any other's, reads `~`, so that no brief
 * tells user names or where somebody's files lie. `home`: absolute, or empty.
 */
export function hideHomes<T>(value: T, home: string): T {
  const own = home.length > 1 ? home.replace(/[/\\]+$/, '') : ''
  return mapTexts(value, (text) => {
    const plain = own === '' ? text : replaceOwn(text, own)
    return MARKS.some((mark) => plain.includes(mark)) ? plain.replace(HOMES, '~') : plain
  })
}

function replaceOwn(text: string, own: string): string {
  if (!text.includes(own)) return text
  return text
    .split(own)
    .reduce((before, after) => (/^[\w-]/.test(after) ? before + own + after : `${before}~${after}`))
}
