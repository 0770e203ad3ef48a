/** A text as one word of POSIX shell that means just that text. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** The text of a word that `shellWord` made. */
export const plainWord = (word: string): string => word.slice(1, -1).replaceAll("'\\''", "'")
