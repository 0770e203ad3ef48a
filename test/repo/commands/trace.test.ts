import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { evaluate } from '../../../bench/eval/evaluate.ts'
import { run } from '../../../src/cli.ts'
import { createFakes } from '../../unit/secrets/fake.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { makeFolder, makeRepo } from '../make-repo.ts'
import { GOAL, made, usual } from '../usual.ts'

const traced = (folder: string) => ({ env: { HANDOFF_TRACE_DIR: folder } })

describe('HANDOFF_TRACE_DIR', () => {
  it('keeps what went in and came out of one create, for its owner alone', async () => {
    const repo = usual()
    const folder = join(makeFolder(), 'traces')
    const answer = await made(repo, [], traced(folder))
    expect(readdirSync(folder).sort()).toEqual([`${answer.id}.json`, `${answer.id}.session.jsonl`])
    for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
    const trace = JSON.parse(readFileSync(join(folder, `${answer.id}.json`), 'utf8'))
    expect(trace).toMatchObject({
      trace_id: answer.id,
      timestamp: '2026-11-22T10:00:00.000Z',
      session_file: `${answer.id}.session.jsonl`,
      goal: GOAL,
      input: { agent: 'claude-code', git: { branch: 'main' } },
      output: { relevantFiles: answer.brief.relevantFiles },
      final_prompt: answer.markdown,
      model_used: null,
      tokens: answer.tokens,
    })
    expect(trace.latency_ms).toBeGreaterThan(0)
  })

  it('names nobody’s home and holds no secret', async () => {
    const repo = makeRepo()
    repo.commit('queue', { 'src/queue.ts': 'x\n' })
    const secret = createFakes(7).make('ghp_{A-Za-z0-9:36}')
    writeClaudeSession(repo, [
      { user: `Look at src/queue.ts. The token is ${secret}, and /home/carol/notes.txt says more.` },
      { bash: 'cat .env', output: `TOKEN=${secret}\n` },
      { says: 'Seen.' },
    ])
    const folder = makeFolder()
    await made(repo, [], traced(folder))
    const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'))
    expect(texts).toHaveLength(2)
    for (const text of texts) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(repo.base)
      expect(text).not.toContain('carol')
    }
    expect(texts.join('\n')).toContain('[REDACTED:')
    expect(texts.join('\n')).toContain('/home/dev/repo')
  })

  it('is what an evaluation case is made of', async () => {
    const repo = usual()
    const folder = makeFolder()
    const { id } = await made(repo, [], traced(folder))
    const cases = makeFolder()
    const trace = join(cases, 'real', 'trace')
    mkdirSync(trace, { recursive: true })
    writeFileSync(join(trace, 'session.jsonl'), readFileSync(join(folder, `${id}.session.jsonl`)))
    const one = {
      goal: GOAL,
      recorded: 'by a test',
      session: 'trace/session.jsonl',
      tags: ['happy'],
      expected_files: ['src/queue.ts'],
      expected_demands: ['Do NOT touch src/api.ts'],
      label: { pass: true, critique: 'All there.' },
      git: {
        branch: 'work',
        base: {
          subject: 'queue',
          files: { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n', 'test/queue.test.ts': 'z\n' },
        },
      },
    }
    writeFileSync(join(cases, 'real', 'case.yaml'), stringify(one))
    const { json } = await evaluate(run, { folder: cases })
    expect(json.scores[0]?.problems).toEqual([])
    expect(json.ok).toBe(true)
  })

  it('that cannot be written does not cost the brief', async () => {
    const repo = usual()
    const file = join(makeFolder(), 'file')
    writeFileSync(file, '')
    const answer = await made(repo, [], traced(file))
    expect(answer.commit).toMatch(/^[0-9a-f]{40}$/)
    expect(answer.warnings.join('\n')).toMatch(/no trace was kept: /)
  })

  it('is not looked at when it is empty', async () => {
    const repo = usual()
    const answer = await made(repo, [], traced(''))
    expect(answer.warnings.join('\n')).not.toContain('trace')
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })
})
