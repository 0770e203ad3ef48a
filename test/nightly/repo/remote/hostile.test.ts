import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../../repo/cli.ts'
import { BRANCH, done, hook, pushed } from '../../../repo/remote/team.ts'
import { byNight } from '../../../sampled.ts'

/** Ann's branch brings these files, each a program that leaves a mark behind. */
async function hostile(files: readonly string[]) {
  const team = await pushed()
  const { ann } = team
  const ran = join(ann.base, 'ran')
  for (const file of files) hook(join(ann.root, file), `echo "$0" >> "${ran}"`)
  ann.commit('hostile')
  await done(ann, ['push'])
  return { ...team, ran: () => existsSync(ran) }
}

describe('a branch of a stranger that is opened', () => {
  it('runs none of its hooks, where git looks for hooks in the work tree', async () => {
    const { bob, ran } = await hostile(['.husky/_/post-checkout', '.husky/_/post-merge'])
    bob.git(['config', 'core.hooksPath', '.husky/_'])
    const { code, stderr } = await cli(bob, ['open', BRANCH])
    expect({ code, ran: ran() }).toEqual({ code: 0, ran: false })
    expect(stderr).toContain('the hooks lie in the work tree, where the branch may have replaced them')
    bob.git(['-c', 'core.hooksPath=/dev/null', 'switch', '-q', 'main'])
    await done(bob, ['open', BRANCH])
    bob.git(['-c', 'core.hooksPath=/dev/null', 'switch', '-q', 'main'])
    bob.git(['branch', '-q', '-D', BRANCH])
    await done(bob, ['open', BRANCH, '--worktree', '../bob-two'])
    expect(ran()).toBe(false)
    // Git itself does, so that this can fail.
    bob.git(['checkout', '-q', '--detach'])
    bob.git(['checkout', '-q', 'main'])
    bob.git(['checkout', '-q', '--detach', `origin/${BRANCH}`])
    expect(ran()).toBe(true)
  })

  byNight('runs none where hooks of git are links into the work tree', async () => {
    const { bob, ran } = await hostile(['tools/post-checkout'])
    const hooks = join(bob.root, '.git/hooks')
    mkdirSync(hooks, { recursive: true })
    symlinkSync('../../tools/post-checkout', join(hooks, 'post-checkout'))
    await done(bob, ['open', BRANCH])
    expect(ran()).toBe(false)
    bob.git(['-c', 'core.hooksPath=/dev/null', 'switch', '-q', 'main'])
    rmSync(hooks, { recursive: true })
    symlinkSync('../tools', hooks)
    await done(bob, ['open', BRANCH])
    expect(ran()).toBe(false)
  })

  byNight('runs the hooks of the person, with what they say, also where one fails', async () => {
    const { bob, ran } = await hostile(['bin/post-checkout'])
    const seen = join(bob.base, 'seen')
    hook(join(bob.root, '.git/hooks/post-checkout'), `echo "$3" > "${seen}"; echo "install again"; exit 3`)
    const { code, stderr } = await cli(bob, ['open', BRANCH])
    expect({ code, ran: ran() }).toEqual({ code: 0, ran: false })
    expect(stderr).toContain('install again\n')
    expect(readFileSync(seen, 'utf8')).toBe('1\n')
    expect(bob.git(['symbolic-ref', 'HEAD'])).toBe(`refs/heads/${BRANCH}`)
  })

  byNight('runs no program that it brings into a folder of PATH', async () => {
    const { bob, ran } = await hostile(['bin/git', 'bin/codex', 'bin/sed'])
    const env = { PATH: [join(bob.root, 'bin'), 'bin', bob.env.PATH].join(delimiter) }
    await done(bob, ['trust', '--origin'])
    const { json } = await cli(bob, ['open', BRANCH, '--to', 'codex', '--headless', '--json'], { env })
    expect(json).toMatchObject({ branch: BRANCH, started: false, errors: [{ code: 'E_AGENT_NOT_STARTED' }] })
    expect(ran()).toBe(false)
    // What is called there later is, so that this can fail.
    await cli(bob, ['resume', '--to', 'codex', '--headless'], { env })
    expect(ran()).toBe(true)
  })
})
