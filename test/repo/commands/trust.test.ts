import { execFileSync } from 'node:child_process'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, describeByNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { atFolder, cloneOf, type TempRepo } from '../make-repo.ts'
import { withBrief } from '../usual.ts'

const show = async (repo: TempRepo) => (await cli(repo, ['show', '--json'])).json

/** A clone of a repository with one brief, in the same home. */
async function cloned(extra: string[] = []) {
  const { repo: origin, id } = await withBrief()
  return { origin, id, clone: cloneOf(origin, { args: extra, env: origin.env }) }
}

const startOf = async (repo: TempRepo): Promise<string> => {
  const payload = { session_id: 'other', source: 'startup', cwd: repo.root }
  const { stdout } = await cli(repo, ['hook', 'session-start', '--agent', 'claude-code'], {
    stdin: JSON.stringify(payload),
  })
  return JSON.parse(stdout).hookSpecificOutput.additionalContext
}

describe('a brief from elsewhere', () => {
  it('is told to a person as not trusted, with the command that changes it', async () => {
    const { id, clone } = await cloned()
    const state = async () => (await cli(clone, ['status'])).stdout
    const line = `  Not trusted, so no agent sees it: it was not made in this clone. Read it, then: \`git handoff trust ${id}\`, or for every brief on branches of origin: \`git handoff trust --origin\`\n`
    expect(await state()).toContain(line)
    expect((await cli(clone, ['status', '--json'])).json.brief).toMatchObject({
      trusted: false,
      because: 'it was not made in this clone',
    })
    expect((await cli(clone, ['trust'])).stderr).toBe(
      `Read it with \`git handoff show ${id}\`; to let agents read it: \`git handoff trust ${id}\`\n`,
    )
    const { stderr } = await cli(clone, ['trust', id])
    expect(stderr).not.toContain('Read it')
    expect(await state()).not.toContain('trusted')
    expect((await cli(clone, ['status', '--json'])).json.brief.trusted).toBe(true)
  })

  byNight('is told as trusted still, when taking trust back changes nothing', async () => {
    const { repo, id } = await withBrief()
    expect((await cli(repo, ['trust', '--revoke'])).stdout).toBe(
      `${id} is still trusted: it was created in this clone.\n`,
    )
  })
})

describeByNight('trust in origin', () => {
  byNight(
    'ends when origin is moved to another address, says so in one line, and is asked for again',
    async () => {
      const { origin, id, clone } = await cloned()
      expect((await cli(clone, ['trust', '--origin', '--json'])).json).toMatchObject({
        origin: true,
        url: `file://${origin.root}`,
      })
      expect(await show(clone)).toMatchObject({ id, trusted: true })

      renameSync(origin.root, `${origin.root}-elsewhere`)
      clone.git(['remote', 'set-url', 'origin', `file://${origin.root}-elsewhere`])
      const { trusted, because } = await show(clone)
      expect(trusted).toBe(false)
      expect(because).toMatch(/^origin has another address .* `git handoff trust --origin`/)
      expect(await startOf(clone)).toMatch(/^A handoff brief .* origin has another address .*\n$/)
      const list = await cli(clone, ['trust', '--list', '--json'])
      expect(list.json).toMatchObject({ trusted: [], origin: { trusted: false } })
      expect((await cli(clone, ['trust', '--list'])).stdout).toContain('not trusted until')
      // Setting up again overrules nobody.
      await cli(clone, ['init', '--agent', 'codex'])
      expect(await show(clone)).toMatchObject({ trusted: false })

      await cli(clone, ['trust', '--origin'])
      expect(await show(clone)).toMatchObject({ trusted: true })
      clone.git(['remote', 'set-url', 'origin', `file://${origin.root}`])
      expect(await show(clone)).toMatchObject({ trusted: false })
    },
  )

  byNight('ends as well when a setting of git sends it elsewhere, and with origin itself', async () => {
    const { origin, clone } = await cloned()
    await cli(clone, ['trust', '--origin'])
    clone.git(['config', `url.file:///elsewhere/.insteadOf`, `file://${origin.base}/`])
    expect(await show(clone)).toMatchObject({ trusted: false })
    clone.git(['config', '--unset', 'url.file:///elsewhere/.insteadOf'])
    expect(await show(clone)).toMatchObject({ trusted: true })
    const refs = clone.git(['for-each-ref', '--format=%(refname) %(objectname)', 'refs/remotes/origin/main'])
    clone.git(['remote', 'remove', 'origin'])
    clone.git(['update-ref', ...(refs.split(' ') as [string, string])])
    expect(await show(clone)).toMatchObject({ trusted: false })
    expect((await cli(clone, ['trust', '--origin', '--json'])).json.errors[0].code).toBe('E_NO_ORIGIN')
  })

  byNight('holds when only the login in its address is made anew, and keeps none', async () => {
    const { clone } = await cloned()
    const at = (login: string) =>
      clone.git(['remote', 'set-url', 'origin', `https://${login}@example.invalid/one.git`])
    at(`x:${'t'.repeat(8)}1`)
    const told = await cli(clone, ['trust', '--origin'])
    expect(told.stdout).toContain('(https://example.invalid/one.git)')
    expect(await show(clone)).toMatchObject({ trusted: true })
    at(`x:${'t'.repeat(8)}2`)
    expect(await show(clone)).toMatchObject({ trusted: true })
    expect(readFileSync(join(clone.root, '.git/handoff/trusted'), 'utf8')).not.toContain('tttt')
  })

  byNight('does not hold by a line that names no address', async () => {
    const { id, clone } = await cloned()
    await cli(clone, ['trust', id])
    await cli(clone, ['trust', id, '--revoke'])
    writeFileSync(join(clone.root, '.git/handoff/trusted'), 'remote:origin\n')
    expect(await show(clone)).toMatchObject({ trusted: false })
  })
})

describeByNight('a signature', () => {
  /** Signs the commit of the brief with a new key, which the list at `signers` allows. */
  function sign(repo: TempRepo, signers: string): void {
    const key = join(repo.base, 'key')
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'dev@example.com', '-f', key])
    repo.git(['config', '--global', 'gpg.format', 'ssh'])
    repo.git(['config', '--global', 'user.signingKey', key])
    repo.git(['config', '--global', 'gpg.ssh.allowedSignersFile', signers])
    repo.git(['commit', '-q', '-S', '--amend', '--no-edit', '--allow-empty'])
    // Whoever reads it signs with another key.
    repo.git(['config', '--global', '--unset', 'user.signingKey'])
  }
  const listOf = (repo: TempRepo): string =>
    `dev@example.com ${readFileSync(join(repo.base, 'key.pub'), 'utf8')}`

  byNight(
    'counts by a list of signers outside of the work tree, not by one that the branch brings',
    async () => {
      const { clone } = await cloned()
      const outside = join(clone.base, 'signers')
      sign(clone, outside)
      writeFileSync(outside, listOf(clone))
      expect(await show(clone)).toMatchObject({ trusted: true, because: 'its commit is well signed' })
      clone.git(['config', '--global', 'gpg.ssh.allowedSignersFile', '.signers'])
      clone.write('.signers', listOf(clone))
      expect(clone.git(['log', '-1', '--format=%G?'])).toBe('G')
      expect(await show(clone)).toMatchObject({ trusted: false })
    },
  )

  byNight('counts not by a certificate alone, which names its owner and allows nobody', async () => {
    const { clone } = await cloned()
    const program = join(clone.base, 'x509')
    // What git needs to hear, to sign and to find it good (gpg-interface.c).
    writeFileSync(
      program,
      `#!/bin/sh
case "$*" in
  *--verify*) cat > /dev/null; printf '[GNUPG:] NEWSIG\\n[GNUPG:] GOODSIG 0123456789ABCDEF Somebody\\n[GNUPG:] VALIDSIG 0123 2026-01-01 0\\n[GNUPG:] TRUST_FULLY 0 shell\\n' ;;
  *) cat > /dev/null; printf '\\n[GNUPG:] SIG_CREATED x\\n' >&2; printf -- '-----BEGIN SIGNED MESSAGE-----\\nx\\n-----END SIGNED MESSAGE-----\\n' ;;
esac
`,
      { mode: 0o755 },
    )
    clone.git(['config', '--global', 'gpg.format', 'x509'])
    clone.git(['config', '--global', 'gpg.x509.program', program])
    clone.git(['commit', '-q', '-S', '--amend', '--no-edit', '--allow-empty'])
    expect(clone.git(['log', '-1', '--format=%G?'])).toBe('G')
    expect(await show(clone)).toMatchObject({ trusted: false })
  })

  byNight('of the commit at which a shallow clone begins vouches for nothing that came before', async () => {
    const { origin, id } = await cloned()
    const outside = join(origin.base, 'signers')
    origin.git(['commit', '-q', '--allow-empty', '-m', 'later'])
    sign(origin, outside)
    writeFileSync(outside, listOf(origin))
    origin.git(['clone', '-q', '--depth', '1', `file://${origin.root}`, join(origin.base, 'short')], {
      cwd: origin.base,
    })
    const short = atFolder(origin.base, join(origin.base, 'short'), origin.env)
    expect(short.git(['log', '-1', '--format=%G?', '--', '.handoff/briefs'])).toBe('G')
    expect(await show(short)).toMatchObject({ id, trusted: false })
  })
})
