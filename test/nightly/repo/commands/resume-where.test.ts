import { symlinkSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../../repo/cli.ts'
import { cloneOf, makeRepo } from '../../../repo/make-repo.ts'
import { HOUR, resume, resumed } from '../../../repo/resumed.ts'
import { GOAL, itemsOf, later, made, succeeded, withBrief } from '../../../repo/usual.ts'

describe('resume: where the brief is', () => {
  it('no brief at all, and an id that is none', async () => {
    expect((await resume(makeRepo())).json.errors[0]).toMatchObject({ code: 'E_NO_BRIEF' })
    expect((await resume(makeRepo({ initial: false }))).json.errors[0]).toMatchObject({ code: 'E_NO_BRIEF' })
    const { repo } = await withBrief()
    expect((await resume(repo, ['20200101'])).json.errors[0]).toMatchObject({ code: 'E_UNKNOWN_ID' })
    expect((await resume(repo, ['../x.md'])).code).not.toBe(0)
    expect((await resume(repo, ['--output=/tmp/x'])).json.errors[0]).toMatchObject({ code: 'E_USAGE' })
  })

  it('edited by hand and not committed: what is committed counts, which is said, and the edit stays', async () => {
    const { repo, first } = await withBrief()
    repo.write(first.path, repo.read(first.path).replace(GOAL, 'do something else entirely'))
    for (const argv of [[], [first.path]]) {
      const json = await resumed(repo, [...argv, '--dry-run'])
      expect(json.brief.goal).toBe(GOAL)
      expect(json.warnings.join('\n')).toContain(`${first.path} was edited since it was committed`)
    }
    await resumed(repo)
    expect(repo.read(first.path)).toContain('do something else entirely')
  })

  it('a checkout with other line ends is no edit, a link in the place of the file is one', async () => {
    const { repo, first } = await withBrief()
    const told = async () => (await resumed(repo, ['--dry-run'])).warnings.join('\n')
    repo.write(first.path, repo.read(first.path).replaceAll('\n', '\r\n'))
    expect(await told()).not.toContain('was edited')
    unlinkSync(join(repo.root, first.path))
    expect(await told()).not.toContain('was edited')
    symlinkSync(join(repo.root, 'a.txt'), join(repo.root, first.path))
    expect(await told()).toContain(`${first.path} was edited since it was committed`)
  })

  it('edited and committed: resumed as it is, said, and not trusted by having been made here', async () => {
    const { repo, first } = await withBrief()
    repo.write(first.path, repo.read(first.path).replaceAll(GOAL, 'do something else entirely'))
    repo.commit('edit the brief')
    const json = await resumed(repo)
    expect(json.brief).toMatchObject({ goal: 'do something else entirely' })
    expect(succeeded(await cli(repo, ['trust', '--json']))).toMatchObject({ id: json.id, trusted: false })
    expect(json.warnings.join('\n')).toContain(`${first.id} is not trusted`)
    expect(json.warnings.join('\n')).toContain(`${first.id} was edited after it was first committed`)
  })

  it('no longer in the tree: found in history', async () => {
    const { repo, first } = await withBrief()
    await made(repo, ['--focus', 'docs'], { now: later(10) })
    succeeded(await cli(repo, ['prune', '--keep', '1', '--json'], { now: later(20) }))
    expect(repo.git(['ls-files', '.handoff/briefs'])).not.toContain(first.id)
    const json = await resumed(repo, [first.id])
    expect(json).toMatchObject({ parents: [first.id], resumedFrom: { id: first.id } })
    expect((await cli(repo, ['check', '--mode', 'strict'])).code).toBe(0)
  })

  it('a commit that is not in this clone, and a shallow clone: said, and nothing is lost', async () => {
    const { repo, first } = await withBrief()
    repo.commit('more', { 'a.txt': 'more\n' })
    const shallow = cloneOf(repo, { args: ['--depth', '1'] })
    const json = await resumed(shallow)
    expect(json.drift).toContain('not in this clone')
    expect(itemsOf(json.markdown, 'Constraints & Preferences')).toHaveLength(1)
    expect(json).toMatchObject({ parents: [first.id], transcript: 'carried' })
    // Now it stands on a commit that is known.
    expect(await resumed(shallow, [], 2 * HOUR)).toMatchObject({ id: json.id, repeat: true })
    const text = repo.read(first.path).replace(/^head: .*$/m, `head: ${'1a'.repeat(20)}`)
    repo.write(first.path, text)
    repo.commit('another head')
    expect((await resumed(repo)).drift).toContain('not in this clone')
  })

  it('a closed chain is not resumed, and says how to open it; its last brief opens it', async () => {
    const { repo, first } = await withBrief()
    const closed = succeeded(await cli(repo, ['done', 'shipped', '--json'], { now: later(5) }))
    for (const argv of [[], [closed.id], ['--to', 'codex', '--headless']]) {
      const { code, json } = await resume(repo, argv)
      expect([code, json.errors[0].code]).toEqual([2, 'E_CHAIN_CLOSED'])
      expect(json.errors[0].hint).toContain(`git handoff resume ${first.id}`)
    }
    const json = await resumed(repo, [first.id])
    expect(json).toMatchObject({ parents: [first.id] })
    expect(json.id > closed.id).toBe(true)
    expect((await cli(repo, ['show', '--json'])).json.id).toBe(json.id)
    expect((await cli(repo, ['status', '--json'])).json.brief.open).toBe(true)
  })

  it('conflict markers inside a brief: both sides are carried, the markers are not', async () => {
    const { repo, first } = await withBrief()
    const line = itemsOf(first.markdown, 'Constraints & Preferences')[0] as string
    const conflict = `<<<<<<< ours\n${line}\n=======\n- "Use no timers." [user]\n>>>>>>> theirs`
    repo.write(first.path, repo.read(first.path).replace(line, conflict))
    repo.commit('commit the conflict')
    const json = await resumed(cloneOf(repo))
    const quoted = itemsOf(json.markdown, 'Constraints & Preferences').join('\n')
    expect(quoted).toContain('Do NOT touch src/api.ts')
    expect(quoted).toContain('Use no timers.')
    expect(json.markdown).not.toMatch(/^(<{7}|={7}|>{7})/m)
  })

  it.each([
    ['CRLF', (text: string) => text.replaceAll('\n', '\r\n')],
    ['a byte order mark', (text: string) => `\u{feff}${text}`],
  ])('a brief with %s', async (_, change) => {
    const { repo, first } = await withBrief()
    const blob = repo.git(['hash-object', '-w', '--stdin'], { input: change(repo.read(first.path)) })
    repo.git(['update-index', '--cacheinfo', `100644,${blob},${first.path}`])
    repo.git(['commit', '-qm', 'change its bytes'])
    repo.git(['checkout-index', '-f', '-a'])
    const json = await resumed(repo)
    expect(itemsOf(json.markdown, 'Constraints & Preferences')).toHaveLength(1)
    expect(json.warnings.join('\n')).toContain('was edited after it was first committed')
  })
})
