/** A text as one word of POSIX shell that means just that text. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The same as a person types it: in quotes only where a shell needs them. */
export const typedWord = (text: string): string => (/^[\w./@:=+%-]+$/.test(text) ? text : shellWord(text))

/** The text of a word that `shellWord` made. */
export const plainWord = (word: string): string => word.slice(1, -1).replaceAll("'\\''", "'")
