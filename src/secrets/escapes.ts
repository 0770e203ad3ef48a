/** What escapes stand for, where it tells the end of a name or of a value: the signs of addresses and of HTML in JSON. */
const SIGNS: Readonly<Record<string, string>> = {
  n: '\n',
  '20': ' ',
  '22': '"',
  '26': '&',
  '3c': '<',
  '3d': '=',
  '3e': '>',
  '3f': '?',
}
const ESC = '\u{1b}'
const BACKSLASHES = '\\\\{1,15}'
/** Colours and other orders to a terminal, line breaks and tabs, each as it is or as JSON and programs write it; signs in addresses. */
const ESCAPE = new RegExp(
  [
    `(?:${ESC}|${BACKSLASHES}(?:x1b|u001b|033|e))\\[[0-9;?]{0,20}[A-Za-z]`,
    `${BACKSLASHES}([nrt])`,
    `${BACKSLASHES}u00(2[26]|3[a-f])`,
    '%(?:25){0,3}(2[026]|3[def])',
  ].join('|'),
  'gi',
)

/**
 * The text with escapes blotted out, as long as it was: a value ends before one and a word begins behind it. `\x1b[32mghp_…` is a key
 * behind five spaces.
 */
export const withoutEscapes = (text: string): string =>
  text.includes(ESC) || /[\\%]/.test(text)
    ? text.replace(ESCAPE, (written, ...[blank, inJson, inAddress]: (string | undefined)[]) =>
        (SIGNS[(blank ?? inJson ?? inAddress ?? '').toLowerCase()] ?? ' ').padStart(written.length),
      )
    : text
