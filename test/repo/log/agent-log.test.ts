import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readLogForAgent } from '../../../src/mcp/mcp-tools.ts'
import { openOutput } from '../../../src/output/output.ts'
import { byNight } from '../../sampled.ts'
import { cli, NOW } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { briefFile, commitBrief, idOf } from './brief-file.ts'

const silent = { write: () => {} }

/** What the tool that reads the chain tells an agent. */
function told(repo: TempRepo, env: Record<string, string> = {}, args: object = {}): Promise<string> {
  const out = openOutput({ stdout: silent, stderr: silent, json: false, color: false, interactive: false })
  const place = {
    root: repo.root,
    home: repo.home,
    env: { ...repo.env, ...env },
    now: () => NOW,
    newId: () => '',
  }
  return readLogForAgent({ place, out, stderr: silent, readStdin: async () => '', version: '0' }, args)
}

const UNTRUSTED = '  (not trusted, so nothing of it is shown)'

describe('the chain as an agent reads it', () => {
  byNight('asks git as often for thirty briefs of others as for one', async () => {
    const repo = makeRepo()
    const folder = join(repo.base, 'shim')
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    mkdirSync(folder)
    writeFileSync(join(folder, 'git'), `#!/bin/sh\necho x >> "$0.count"\nexec ${real} "$@"\n`, {
      mode: 0o755,
    })
    const counted = async () => {
      writeFileSync(join(folder, 'git.count'), '')
      const text = await told(repo, { PATH: `${folder}:${repo.env.PATH}` }, { limit: 50 })
      return { lines: text.split('\n'), count: readFileSync(join(folder, 'git.count'), 'utf8').length / 2 }
    }
    commitBrief(repo, { n: 1 })
    const one = await counted()
    expect(one.lines).toEqual([`${idOf(1)}${UNTRUSTED}`])
    const files = Array.from({ length: 20 }, (_, at) => briefFile({ n: at + 2 }))
    repo.commit('more', Object.fromEntries(files.map(({ path, text }) => [path, text])))
    const many = await counted()
    expect(many.lines).toHaveLength(21)
    expect(many.lines.every((line) => line.endsWith(UNTRUSTED))).toBe(true)
    expect(many.count).toBe(one.count)
  })

  it('shows what a trusted remote carries, at that very path and content', async () => {
    const repo = makeRepo()
    const a = commitBrief(repo, { n: 1, goal: 'carried by origin and told' })
    repo.git(['update-ref', 'refs/remotes/origin/main', 'HEAD'])
    const b = commitBrief(repo, { n: 2, goal: 'only here' })
    const env = { HANDOFF_TRUST: 'origin' }
    expect(await told(repo, env)).toBe(
      `${b.id}${UNTRUSTED}\n${a.id}  2026-11-10T01:00:00.000Z  main  Codex  followed: carried by origin and told`,
    )
    repo.git(['update-ref', 'refs/remotes/origin/pr/1', 'HEAD'])
    expect(await told(repo, env)).toContain(`${b.id}${UNTRUSTED}`)
  })

  byNight('a good signature vouches for what was signed, not for what was made of it since', async () => {
    const repo = makeRepo()
    const key = join(repo.base, 'key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
    writeFileSync(join(repo.base, 'signers'), `dev@example.com ${readFileSync(`${key}.pub`, 'utf8')}`)
    for (const [name, value] of [
      ['gpg.format', 'ssh'],
      ['user.signingKey', key],
      ['gpg.ssh.allowedSignersFile', join(repo.base, 'signers')],
      ['commit.gpgSign', 'true'],
    ])
      repo.git(['config', name ?? '', value ?? ''])
    const { id, path } = commitBrief(repo, { n: 1, goal: 'signed by one who may' })
    expect(await told(repo)).toContain('signed by one who may')
    expect((await cli(repo, ['show', id, '--json'])).json.trusted).toBe(true)
    repo.git(['config', 'commit.gpgSign', 'false'])
    repo.commit('edit', { [path]: briefFile({ n: 1, goal: 'changed by one who may not' }).text })
    expect(await told(repo)).toBe(`${id}${UNTRUSTED}`)
    expect((await cli(repo, ['show', id, '--json'])).json.trusted).toBe(false)
  })
})
