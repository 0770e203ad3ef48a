/** C1 controls, bidi and zero-width characters, which JSON lets stand as they are. */
const HIDDEN = /[\u007f-\u009f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g

/**
 * JSON that says the same to a parser, nothing odd to a terminal, and no command to the runner of GitHub Actions, which
 * takes `##[error]` anywhere in a line of a log.
 */
export const jsonText = (value: object, indent?: number): string =>
  JSON.stringify(value, null, indent)
    .replace(HIDDEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/#(?=#\[)/g, '\\u0023')
