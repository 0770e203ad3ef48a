import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../../repo/cli.ts'
import { atFolder, makeRepo, type TempRepo } from '../../../repo/make-repo.ts'
import { succeeded } from '../../../repo/usual.ts'

/** No process has this id. */
const NOBODY = 99_999_999

const INIT = ['init', '--agent', 'codex', '--git-hooks', 'none', '--yes', '--json']

/** A clone whose `.git` can be put back to what it was right after git wrote the filter. */
function killable(): { repo: TempRepo; kill(): void; isThere(): boolean } {
  const origin = makeRepo()
  const base = origin.base
  const root = join(base, 'clone')
  origin.git(['clone', '-q', `file://${origin.root}`, root])
  const [bin, kept] = [join(base, 'bin'), join(base, 'kept')]
  mkdirSync(bin)
  const real = origin.git(['--exec-path'])
  writeFileSync(
    join(bin, 'git'),
    `#!/bin/sh
"${real}/git" "$@"
code=$?
case "$*" in *config\\ --local\\ --*filter.handoff.clean*) [ -e "${kept}" ] || cp -R "${join(root, '.git')}" "${kept}";; esac
exit $code
`,
    { mode: 0o755 },
  )
  const repo = atFolder(base, root, { ...origin.env, PATH: `${bin}:${origin.env.PATH}` })
  const kill = (): void => {
    rmSync(join(root, '.git'), { recursive: true })
    cpSync(kept, join(root, '.git'), { recursive: true })
    // What it was at is told by its process id, and this one lives.
    const own = join(root, '.git/handoff')
    for (const name of readdirSync(own)) {
      if (name === 'program') continue
      const path = join(own, name)
      const text = readFileSync(path, 'utf8')
      if (name === 'queue.lock') writeFileSync(path, text.replace(`.${process.pid}.`, `.${NOBODY}.`))
      renameSync(path, join(own, name.replace(`.${process.pid}.`, `.${NOBODY}.`)))
    }
  }
  return { repo, kill, isThere: () => existsSync(kept) }
}

const configOf = (repo: TempRepo): string => repo.read('.git/config')

describe('init killed right after it set the filter', () => {
  it('is taken back all the same', async () => {
    const { repo, kill, isThere } = killable()
    const before = configOf(repo)
    succeeded(await cli(repo, INIT))
    expect(isThere()).toBe(true)
    kill()
    expect(configOf(repo)).not.toBe(before)
    succeeded(await cli(repo, ['init', '--remove', '--json']))
    expect(configOf(repo).trimEnd()).toBe(before.trimEnd())
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  it('goes on where it is called again, and then takes back all that both did', async () => {
    const { repo, kill } = killable()
    const before = configOf(repo)
    succeeded(await cli(repo, INIT))
    const whole = configOf(repo)
    kill()
    succeeded(await cli(repo, INIT))
    expect(configOf(repo)).toBe(whole)
    succeeded(await cli(repo, ['init', '--remove', '--json']))
    expect(configOf(repo).trimEnd()).toBe(before.trimEnd())
  })
})

it('init removes the filter of a command before it, and keeps the trust, in one call', async () => {
  const { repo } = killable()
  const before = configOf(repo)
  succeeded(await cli(repo, ['trust', '--origin', '--json']))
  expect(configOf(repo)).toContain('[filter "handoff"]')
  succeeded(await cli(repo, INIT))
  succeeded(await cli(repo, ['init', '--remove', '--json']))
  expect(configOf(repo).trimEnd()).toBe(before.trimEnd())
  expect(succeeded(await cli(repo, ['trust', '--list', '--json'])).origin.trusted).toBe(true)
})
