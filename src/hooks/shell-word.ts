/** A text as one word of POSIX shell that means just that text. */
export const shellWord = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
