/**
 * The characters of a pasted text that the line editor of Node takes for keys or for the end of a line (`lib/internal/readline` of
 * 20 to 24). A null is left out: no text of a command holds one.
 */
const KEYS = [...Array.from({ length: 31 }, (_, i) => i + 1), 0x7f, 0x2028, 0x2029].map((code) =>
  String.fromCharCode(code),
)
/** As many characters that Unicode keeps for the use inside of programs: no text has them. */
const STANDS = KEYS.map((_, i) => String.fromCharCode(i < 32 ? 0xfdd0 + i : 0xfffe + i - 32))

/** What each is shown as, in one cell. */
const SIGNS: Readonly<Record<string, string>> = { '\n': '↵', '\t': '→' }

const EVERY_KEY = new RegExp(`[${KEYS.map(escaped).join('')}]`, 'g')
const EVERY_STAND = new RegExp(`[${STANDS.map(escaped).join('')}]`, 'g')

/** A text that a line editor takes as it is, on one line. Line breaks of every kind are one: terminals paste them as CR. */
export const holdCharacters = (text: string): string =>
  text
    .replace(/\0/g, '')
    .replace(/\r\n?/g, '\n')
    .replace(EVERY_KEY, (key) => STANDS[KEYS.indexOf(key)] ?? '')

/** The text that was held. */
export const freeCharacters = (held: string): string =>
  held.replace(EVERY_STAND, (stand) => KEYS[STANDS.indexOf(stand)] ?? '')

/** A held text for a screen, of as many cells as characters are held. */
export const showHeld = (held: string): string =>
  held.replace(EVERY_STAND, (stand) => SIGNS[KEYS[STANDS.indexOf(stand)] ?? ''] ?? '\ufffd')

/** A typed text without the keys in it that are none of it. Line breaks and tabs stay. */
export const withoutKeys = (typed: string): string => typed.replace(KEY, '').replace(CONTROL, '')
// biome-ignore lint/suspicious/noControlCharactersInRegex: that is what keys begin with
const KEY = /\u001b(?:\[{1,2}[\d;:<=>?]*[@-~]|O[@-~])/g
const CONTROL = /[^\P{Cc}\n\t]/gu

function escaped(char: string): string {
  return `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`
}
