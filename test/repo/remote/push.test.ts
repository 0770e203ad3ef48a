import { existsSync, readFileSync, renameSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { AGENT, headOf, made } from '../usual.ts'
import { BRANCH, done, hook, makeTeam, PAGE, refsOf, refused } from './team.ts'

describe('handoff push', () => {
  it('pushes the branch with its brief and nothing else, sets the upstream, and says how to open it', async () => {
    const { ann, hub } = await makeTeam()
    const { id } = await made(ann, [], AGENT)
    ann.git(['branch', 'secret'])
    ann.git(['tag', '-a', '-m', 'v1', 'v1'])
    ann.git(['config', 'push.followTags', 'true'])
    const before = refsOf(hub)
    const { stdout } = await cli(ann, ['push'])
    expect(stdout).toBe(
      `Pushed ${BRANCH} (new) to origin.\nFor the next person: git handoff open ${PAGE}/tree/${BRANCH}\n`,
    )
    expect(refsOf(hub)).toBe(`refs/heads/${BRANCH} ${headOf(ann)}\n${before}`)
    expect(ann.git(['rev-parse', '--abbrev-ref', '@{upstream}'])).toBe(`origin/${BRANCH}`)
    expect(await done(ann, ['push'])).toMatchObject({
      brief: id,
      remote: 'origin',
      branch: BRANCH,
      pushed: [{ ref: `refs/heads/${BRANCH}`, state: 'same' }],
      page: `${PAGE}/tree/${BRANCH}`,
    })
  })

  byNight(
    'pushes the branch of briefs that belongs to it, and leaves that of others and parked briefs here',
    async () => {
      const { ann, hub } = await makeTeam()
      ann.git(['branch', 'handoff/other'])
      const { commit } = await made(ann, ['--branch', 'separate'], AGENT)
      const message = `x\n\nHandoff-Parked-On: refs/heads/${BRANCH}`
      const parked = ann.git(['commit-tree', '-m', message, `${commit}^{tree}`])
      const id = '20261122T090000-0001abcd'
      ann.git(['update-ref', `refs/handoff/${id}`, parked])
      const { pushed } = await done(ann, ['push'])
      expect(pushed).toEqual([
        { ref: `refs/heads/${BRANCH}`, state: 'new' },
        { ref: `refs/heads/handoff/${BRANCH}`, state: 'new' },
      ])
      expect(hub.git(['rev-parse', `handoff/${BRANCH}`])).toBe(commit)
      expect(refsOf(hub)).not.toMatch(/handoff\/(?:other|20261122)/)
    },
  )

  it('writes nothing with --dry-run, anywhere', async () => {
    const { ann, hub } = await makeTeam()
    const before = refsOf(hub)
    const { stdout } = await cli(ann, ['push', '--dry-run'])
    expect(stdout).toMatch(/^Would push feature\/queue \(new\) to origin\.\n/)
    expect(refsOf(hub)).toBe(before)
    expect(ann.tryGit(['config', `branch.${BRANCH}.merge`]).status).toBe(1)
  })

  byNight('says what stays here', async () => {
    const { ann } = await makeTeam()
    ann.write('src/queue.ts', 'not committed\n')
    const { warnings } = await done(ann, ['push'])
    expect(warnings).toEqual([
      'no brief is open on this branch; `git handoff create "<goal>"` makes one',
      'not pushed: 1 uncommitted file (`src/queue.ts`)',
    ])
  })

  byNight(
    'runs the pre-push hook with its input and the person’s variables, and stops where that does',
    async () => {
      const { ann, hub } = await makeTeam()
      const seen = join(ann.base, 'seen')
      const file = join(ann.root, '.git/hooks/pre-push')
      hook(
        file,
        `cat > "${seen}"; echo "$1 $MY_SETTING \${LC_ALL-} \${GIT_LITERAL_PATHSPECS-none}" >> "${seen}"`,
      )
      await done(ann, ['push'], { MY_SETTING: 'mine' })
      const zero = '0'.repeat(40)
      expect(readFileSync(seen, 'utf8')).toBe(
        `refs/heads/${BRANCH} ${headOf(ann)} refs/heads/${BRANCH} ${zero}\norigin mine C none\n`,
      )
      ann.commit('bad')
      hook(file, 'echo "lint: 3 errors"; exit 1')
      const before = refsOf(hub)
      expect(await refused(ann, ['push'])).toMatchObject({
        code: 'E_PUSH_REFUSED',
        message: 'Handoff failed: The pre-push hook refused the push:\nlint: 3 errors',
        said: 'lint: 3 errors',
      })
      expect(refsOf(hub)).toBe(before)
    },
  )

  byNight('lets its own pre-push hook check the briefs', async () => {
    const { ann, hub } = await makeTeam()
    ann.write('.handoff/config.yaml', 'gitHooks: {prePush: true}\n')
    await cli(ann, ['init', '--yes', '--agent', 'codex', '--git-hooks', 'plain'])
    const { path } = await made(ann, [], AGENT)
    ann.write(path, `${ann.read(path)}\n<!-- hidden -->\n`)
    ann.git(['commit', '-q', '-a', '--no-verify', '-m', 'spoiled'])
    const before = refsOf(hub)
    const { message } = await refused(ann, ['push'])
    expect(message).toContain('handoff: the push was stopped by the errors above.')
    expect(refsOf(hub)).toBe(before)
  })

  byNight('never forces: whoever was faster is pulled first', async () => {
    const { ann, bob, hub } = await makeTeam()
    await done(ann, ['push'])
    bob.git(['fetch', '-q'])
    bob.git(['switch', '-q', BRANCH])
    bob.commit('faster')
    await done(bob, ['push'])
    ann.commit('slower')
    const before = refsOf(hub)
    expect(await refused(ann, ['push'])).toMatchObject({
      code: 'E_PUSH_BEHIND',
      message: `Handoff failed: origin has commits on ${BRANCH} that are not here.`,
      hint: `Run \`git pull --rebase origin ${BRANCH}\`, then \`git handoff push\` again.`,
    })
    expect(refsOf(hub)).toBe(before)
  })

  byNight('tells what a protected branch says', async () => {
    const { ann, hub } = await makeTeam()
    hook(
      join(hub.root, 'hooks/update'),
      'echo "error: GH006: Protected branch update failed for $1." >&2; exit 1',
    )
    expect(await refused(ann, ['push'])).toMatchObject({
      code: 'E_PUSH_REFUSED',
      message: `Handoff failed: origin refused ${BRANCH}: hook declined: GH006: Protected branch update failed for refs/heads/${BRANCH}.`,
    })
    expect(ann.tryGit(['config', `branch.${BRANCH}.merge`]).status).toBe(1)
  })

  byNight(
    'says of each remote that does not answer why, and never asks where nobody can answer',
    async () => {
      const { ann, hub } = await makeTeam()
      const server = createServer((_, answer) =>
        answer.writeHead(401, { 'www-authenticate': 'Basic realm="x"' }).end(),
      )
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
      const { port } = server.address() as AddressInfo
      const at = async (url: string) => {
        ann.git(['remote', 'set-url', 'origin', url])
        return refused(ann, ['push'])
      }
      try {
        expect(await at(`http://127.0.0.1:${port}/acme/shop.git`)).toMatchObject({
          code: 'E_REMOTE_DENIED',
          message: expect.stringMatching(
            /^Handoff failed: origin does not let you in: could not read Username .*\.$/,
          ),
        })
      } finally {
        server.close()
      }
      expect(await at(`http://127.0.0.1:${port}/acme/shop.git`)).toMatchObject({ code: 'E_UNREACHABLE' })
      renameSync(hub.root, `${hub.root}.gone`)
      expect(await at(`${PAGE}.git`)).toMatchObject({ code: 'E_REMOTE_MISSING' })
      const canary = join(ann.base, 'ran')
      expect(await at(`ext::sh -c touch% ${canary}`)).toMatchObject({ code: 'E_GIT' })
      expect(existsSync(canary)).toBe(false)
    },
  )

  byNight('goes where git would: to the push remote, else the only one, else origin', async () => {
    const { ann, hub } = await makeTeam()
    ann.git(['clone', '-q', '--bare', ann.root, join(ann.base, 'fork.git')])
    ann.git(['remote', 'rename', 'origin', 'upstream'])
    expect((await done(ann, ['push', '--dry-run'])).remote).toBe('upstream')
    ann.git(['remote', 'add', 'fork', join(ann.base, 'fork.git')])
    expect(await refused(ann, ['push'])).toMatchObject({
      code: 'E_NO_REMOTE',
      message: `${BRANCH} has no upstream, and none of the remotes (upstream, fork) is called origin.`,
    })
    ann.git(['config', 'remote.pushDefault', 'fork'])
    const before = refsOf(hub)
    const { remote, open } = await done(ann, ['push'])
    expect({ remote, open }).toEqual({ remote: 'fork', open: `git handoff open ${BRANCH}` })
    expect(refsOf(hub)).toBe(before)
  })

  byNight('needs a branch, a commit and a remote', async () => {
    const { ann } = await makeTeam()
    ann.git(['checkout', '-q', '--detach'])
    expect((await refused(ann, ['push'])).message).toMatch(/^HEAD is detached/)
    ann.git(['switch', '-q', '--orphan', 'empty'])
    expect((await refused(ann, ['push'])).message).toMatch(/has no commit yet/)
    ann.git(['switch', '-q', 'main'])
    ann.git(['remote', 'remove', 'origin'])
    expect(await refused(ann, ['push'])).toMatchObject({
      code: 'E_NO_REMOTE',
      message: 'This repository has no remote.',
    })
  })
})
