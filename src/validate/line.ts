/** The line without its code spans, where a tag is just text. */
export const withoutCode = (text: string): string =>
  text.includes('`') ? text.replace(/(?<!`)(`+)(?!`).*?(?<!`)\1(?!`)/g, '') : text
