import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { data, importRepo } from './fast-import.mjs'
import { demand, makeSession, sessionFiles } from './make-session.mjs'

const START = 1_767_600_000
const PER_FOLDER = 20

/**
 * A repository of `files` files and `commits` commits on main, each of which changes three files, made by `git fast-import`,
 * with a branch of twelve commits upon it, one file changed and not committed, and a commit graph as `git gc` writes it. The
 * files of the generated session are among the files. Gives homes with a session of that many bytes, by name.
 */
export async function makeLarge(folder, { files, commits }, sessions) {
  const repo = join(folder, 'repo')
  const git = await importRepo(repo, folder, history(files, commits))
  git('checkout', '-b', 'feature/guard')
  for (let n = 0; n < 12; n++) {
    writeFileSync(join(repo, sessionFiles[n]), `export const name = 'changed ${n}'\n`)
    git('commit', '-am', `Change ${n}`)
  }
  writeFileSync(join(repo, sessionFiles[20]), 'export const name = "not committed"\n')
  git('commit-graph', 'write', '--reachable')
  const name = repo.replace(/[^a-zA-Z0-9]/g, '-')
  return {
    repo,
    demand,
    homes: Object.fromEntries(
      Object.entries(sessions).map(([size, bytes]) => {
        const home = join(folder, `home-${size.replace(' ', '-')}`)
        const out = join(home, '.claude', 'projects', name, 'generated.jsonl')
        makeSession({ out, bytes, cwd: repo })
        return [size, { home, repo, session: out }]
      }),
    ),
  }
}

function* history(files, commits) {
  const others = Array.from(
    { length: Math.max(0, files - sessionFiles.length) },
    (_, n) => `packages/p${Math.floor(n / 2000)}/src/m${Math.floor(n / PER_FOLDER) % 100}/f${n}.ts`,
  )
  const paths = [...sessionFiles, ...others]
  yield head(0, 'Begin')
  for (const [n, path] of paths.entries()) yield file(path, `export const name = '${n}'\n`)
  for (let number = 1; number < commits; number++) {
    yield head(number, `Change ${number}`)
    for (let n = 0; n < 3; n++) {
      const at = (number * 7919 + n * 104_729) % paths.length
      yield file(paths[at], `export const name = '${at} of ${number}'\n`)
    }
  }
  yield 'done\n'
}

const head = (number, message) =>
  `commit refs/heads/main\ncommitter Robin <robin@example.invalid> ${START + number * 60} +0000\n${data(message)}`

const file = (path, text) => `M 100644 inline ${path}\n${data(text)}`
