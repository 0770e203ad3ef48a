import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { makeFolder, makeRepo } from '../make-repo.ts'
import { made, usual, withBrief } from '../usual.ts'

const ZERO = '0'.repeat(40)

describe('handoff hook <hook of git>', () => {
  it('refuses a broken brief with a status of its own', async () => {
    const repo = makeRepo()
    repo.write('.handoff/briefs/20261122T100000-000abc00-broken.md', 'junk\n')
    repo.git(['add', '-A'])
    const { code, stdout, stderr } = await cli(repo, ['hook', 'pre-commit'])
    expect([code, stdout]).toEqual([65, ''])
    expect(stderr).toContain('broken.md:1: error:')
  })

  byNight('is silent for sound briefs, and for warnings', async () => {
    const repo = usual()
    const { path } = await made(repo, ['--no-commit'])
    repo.git(['add', '-f', path])
    expect(await cli(repo, ['hook', 'pre-commit'])).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  it('outside a repository only the checks say that they did not take place', async () => {
    const folder = makeFolder()
    const nowhere = { root: folder, home: folder, env: { PATH: process.env.PATH ?? '', HOME: folder } }
    for (const event of ['prepare-commit-msg', 'post-checkout', 'post-merge', 'post-rewrite'])
      expect(await cli(nowhere, ['hook', event]), event).toMatchObject({ code: 0, stdout: '', stderr: '' })
    for (const event of ['pre-commit', 'pre-push']) {
      const { code, stderr } = await cli(nowhere, ['hook', event])
      expect([code, stderr]).toEqual([
        0,
        expect.stringMatching(/^handoff: the briefs of this \w+ were not checked: .+\n$/),
      ])
    }
  })

  byNight('keeps in the journal what goes wrong in a hook that only tells', async () => {
    const { repo } = await withBrief()
    // What this clone made cannot be read any more.
    rmSync(join(repo.root, '.git/handoff/created'))
    mkdirSync(join(repo.root, '.git/handoff/created'))
    const { code, stdout, stderr } = await cli(repo, ['hook', 'post-checkout', '--', ZERO, 'x', '1'])
    expect([code, stdout, stderr]).toEqual([0, '', ''])
    const journal = readFileSync(join(repo.root, '.git/handoff/journal'), 'utf8')
    expect(journal).toMatch(/"agent":"git","event":"post-checkout","failed":".*EISDIR/)
  })

  it('tells the brief once, in one line, with nothing that moves a terminal, and stays within a line', async () => {
    const repo = usual()
    const long = `finish the retry queue ${'and more '.repeat(40)}`.trim()
    const { id } = (await cli(repo, ['create', `${long}\nsecond line`, '--json', '--from', 'git'])).json
    const { stderr } = await cli(repo, ['hook', 'post-checkout', '--', ZERO, 'x', '1'])
    expect(stderr).toMatch(
      new RegExp(`^handoff: brief ${id} is open here: finish the retry queue [^\\n]*…\\n$`),
    )
    expect(stderr.length).toBeLessThan(200)
    expect(await cli(repo, ['hook', 'post-checkout', '--', 'x', 'x', '1'])).toMatchObject({
      stderr: '',
      stdout: '',
    })
    expect(await cli(repo, ['hook', 'post-rewrite', '--', 'rebase', 'no'])).toMatchObject({
      stderr: '',
      stdout: '',
    })
  })

  byNight('leaves a message alone that is no UTF-8, too large, or melted into another later', async () => {
    const repo = usual()
    repo.write('.handoff/config.yaml', 'gitHooks: {trailers: true}\n')
    await made(repo)
    const file = join(repo.root, '.git/COMMIT_EDITMSG')
    const offer = () => cli(repo, ['hook', 'prepare-commit-msg', '--', '.git/COMMIT_EDITMSG', 'message'])
    for (const content of [
      Buffer.from([0x61, 0xff, 0xfe, 0x0a]),
      Buffer.alloc(300_000, 'x'),
      Buffer.from('fixup! x\n'),
    ]) {
      repo.write('.git/COMMIT_EDITMSG', content)
      expect(await offer()).toMatchObject({ code: 0, stdout: '', stderr: '' })
      expect(readFileSync(file).equals(content)).toBe(true)
    }
    repo.write('.git/COMMIT_EDITMSG', 'subject\n')
    expect(await offer()).toMatchObject({ code: 0, stdout: '', stderr: '' })
    expect(readFileSync(file, 'utf8')).toMatch(/^subject\n\nHandoff-For: \S+\n$/)
    expect(await offer()).toMatchObject({ code: 0 })
    expect(readFileSync(file, 'utf8').match(/Handoff-For/g)).toHaveLength(1)
  })

  it('knows agents and git apart', async () => {
    const repo = makeRepo()
    const { code, stderr } = await cli(repo, ['hook', 'pre-rebase'])
    expect([code, stderr]).toEqual([0, expect.stringContaining('knows no event pre-rebase')])
    const { json } = await cli(repo, ['hook', 'pre-rebase', '--json'])
    expect(json).toMatchObject({ ok: true, warnings: [expect.stringContaining('knows no event pre-rebase')] })
    const nobody = await cli(repo, ['hook', 'session-start'])
    expect([nobody.code, nobody.stderr]).toEqual([0, expect.stringContaining('knows no agent of that name')])
  })
})
