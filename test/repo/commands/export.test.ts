import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { type Step, USUAL, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { itemsOf, printed, SESSION, usual } from '../usual.ts'

/** Made here: nothing that looks like a secret is stored. */
const KEY = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`

describe('handoff export', () => {
  it('writes a transcript without secrets, from which the same brief is made', async () => {
    const repo = usual()
    const steps: Step[] = [
      ...USUAL,
      { bash: `curl -H "Authorization: token ${KEY}" api`, output: 'a\u009bb' },
    ]
    writeClaudeSession(repo, steps, { id: SESSION })
    const { code, stdout, stderr } = await cli(repo, ['export', SESSION.slice(0, 6), '--format', 'atif'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).not.toContain(KEY)
    expect(stdout).not.toContain('\u009b')
    expect(JSON.parse(stdout)).toMatchObject({ schema_version: 'ATIF-v1.7', session_id: SESSION })
    expect(stdout).toContain('[REDACTED:')
    const file = join(repo.home, 'session.json')
    writeFileSync(file, stdout)
    const [before, after] = [
      await printed(repo, ['--session', SESSION]),
      await printed(repo, ['--session', file]),
    ]
    expect(itemsOf(before.markdown, 'Relevant Files').length).toBeGreaterThan(0)
    const facts = ({ markdown }: typeof before) =>
      markdown.slice(markdown.indexOf('\n# ')).replaceAll('ATIF transcript', 'Claude Code')
    expect(facts(after)).toBe(facts(before))
  })

  it('says what it cannot do', async () => {
    const repo = usual()
    const errorOf = async (...args: string[]) =>
      (await cli(repo, ['export', ...args, '--json'])).json.errors[0]
    expect(await errorOf(SESSION, '--format', 'otel')).toMatchObject({
      code: 'E_USAGE',
      message: expect.stringContaining("argument 'otel' is invalid. Allowed choices are atif."),
    })
    expect(await errorOf()).toMatchObject({ code: 'E_USAGE' })
    expect(await errorOf('none')).toMatchObject({ code: 'E_SESSION_UNKNOWN' })
    const { json } = await cli(repo, ['export', SESSION, '--json'])
    expect(json).toMatchObject({ ok: true, format: 'atif', session: SESSION, redacted: {}, warnings: [] })
    expect(json.document.steps.length).toBeGreaterThan(3)
  })
})
