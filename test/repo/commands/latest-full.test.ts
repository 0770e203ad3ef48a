import { describe, expect, it } from 'vitest'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo } from '../make-repo.ts'

const FULL = { '.handoff/config.yaml': 'latest: full\n' }
const create = (repo: ReturnType<typeof makeRepo>, goal: string) => cli(repo, ['create', goal, '--json'])

describe('latest: full', () => {
  it('commits the brief itself, keeps status clean, and warns when another open branch carries one', async () => {
    const repo = makeRepo()
    repo.commit('configure', FULL)
    writeClaudeSession(repo, USUAL)
    repo.git(['checkout', '-q', '-b', 'one'])
    const first = await create(repo, 'finish the retry queue on branch one')
    expect(first).toMatchObject({ code: 0, json: { ok: true } })
    expect(repo.git(['show', 'HEAD:.handoff/latest.md'])).toBe(first.json.markdown.trimEnd())
    expect(repo.read('.handoff/latest.md')).toBe(first.json.markdown)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    expect(first.json.warnings.join('\n')).not.toMatch(/latest: full/)

    repo.git(['checkout', '-q', '-b', 'two', 'main'])
    const second = await create(repo, 'document the limits of the queue on branch two')
    expect(second.json.warnings.join('\n')).toMatch(/latest: full: one also carries a brief/)
    const checked = await cli(repo, ['check', '--json'])
    expect(checked.json.warnings.join('\n')).toMatch(/latest: full: one also carries a brief/)

    repo.git(['merge', '-q', '-s', 'ours', '-m', 'merge one', 'one'])
    const third = await create(repo, 'write the release notes of the queue now')
    expect(third.json.warnings.join('\n')).not.toMatch(/latest: full/)
  })
})
