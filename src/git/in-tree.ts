import type { Repo } from './open-repo.ts'

/** Those of the texts that stand in a file of the work tree that git does not ignore, our own left out, or name a branch, tag or commit. */
export async function inTree(repo: Repo, texts: readonly string[]): Promise<Set<string>> {
  if (texts.length === 0) return new Set()
  const grep = ['grep', '-o', '-I', '-F', '--untracked', ...texts.flatMap((text) => ['-e', text])]
  const [hits, objects] = await Promise.all([
    repo.git(grep, { answers: [1] }),
    repo.git(['cat-file', '--batch-check'], { input: texts.map((text) => `${text}^{commit}\n`).join('') }),
  ])
  const lines = hits.split('\n').filter((line) => !line.startsWith('.handoff/'))
  const answers = objects.split('\n')
  return new Set(
    texts.filter(
      (text, at) => / commit \d+$/.test(answers[at] ?? '') || lines.some((line) => line.endsWith(`:${text}`)),
    ),
  )
}
