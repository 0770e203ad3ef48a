import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'

/**
 * Makes a git repository with the given paths as tracked files, on a branch of its own. The files are empty, JSON ones
 * hold `{}`; paths that git refuses are left out.
 */
export function makeRepository(folder, home, files) {
  mkdirSync(folder, { recursive: true })
  const git = (args, input = '') =>
    execFileSync('git', args, { cwd: folder, input, stdio: ['pipe', 'ignore', 'pipe'], env: gitEnv(home) })
  git(['init', '-b', 'main'])
  git(['config', 'user.name', 'Robin'])
  git(['config', 'user.email', 'robin@example.invalid'])
  git(['config', 'gc.auto', '0'])
  git(['fast-import', '--quiet', '--done'], importStream(files))
  git(['reset', '--hard', 'main'])
  git(['checkout', '-b', 'work'])
}

/** The environment of every git and handoff run: nothing of the caller but PATH. */
export const gitEnv = (home) => ({
  PATH: process.env.PATH,
  HOME: home,
  LANG: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
})

/** At most `cap` of the files, those that the text names first. */
export function chooseFiles(files, text, cap) {
  if (files.length <= cap) return files
  const known = new Set(files)
  const named = new Set()
  for (const token of new Set(text.match(/[\w@.+[\]()/-]+/g))) {
    // An absolute path names the file by one of its tails.
    for (let tail = token; ; tail = tail.slice(tail.indexOf('/') + 1)) {
      if (known.has(tail)) named.add(tail)
      if (!tail.includes('/')) break
    }
  }
  return [...named, ...files.filter((file) => !named.has(file))].slice(0, cap)
}

function importStream(files) {
  const isTaken = (path) =>
    !/(^|\/)\.git(\/|$)/i.test(path) && !path.startsWith('.handoff/') && !/[\n"\\]/.test(path)
  return [
    'blob\nmark :1\ndata 0\n',
    'blob\nmark :2\ndata 3\n{}\n',
    'commit refs/heads/main\ncommitter Robin <robin@example.invalid> 1790000000 +0000\ndata 5\nBegin',
    ...['.keep', ...files.filter(isTaken)].map(
      (path) => `M 100644 :${path.endsWith('.json') ? 2 : 1} ${path}`,
    ),
    'done\n',
  ].join('\n')
}
