import { error, repositoryCheck, word } from '../check.ts'

export const ignored = repositoryCheck({
  id: 'ignored',
  about: 'git does not ignore .handoff/',
  look({ ignored: rule }) {
    if (rule === null) return []
    const { source, line, pattern } = rule
    const isInside = source.startsWith('.handoff/')
    return [
      error(
        '.handoff/ is ignored by git',
        `The rule \`${pattern}\` (${source}:${line}) keeps briefs out of every commit.`,
        isInside
          ? // Nothing outside of a folder wins over the rules inside of it.
            `sed -i.bak '${line}d' ${word(source)}`
          : "printf '%s\\n' '!/.handoff/' '!/.handoff/**' >> .gitignore",
      ),
    ]
  },
})
