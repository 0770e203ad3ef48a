/** Sessions that went on in another directory than the one they began in: they are where they are. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { claudeCode } from '../../../src/agents/claude-code/index.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import { qwenCode } from '../../../src/agents/qwen-code/index.ts'
import type { Adapter } from '../../../src/types/agent.ts'

const ID = '11111111-2222-4333-8444-555555555555'
const [OLD, NEW] = ['/home/dev/old', '/home/dev/new']
const AT = '2026-11-29T10:00:00.000Z'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'moved-'))
})
afterEach(() => rmSync(home, { recursive: true }))

const write = (path: string, records: object[]): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, records.map((record) => `${JSON.stringify(record)}\n`).join(''))
}
const talk = (cwd: string, gitBranch = 'main') => ({
  ...{ type: 'user', uuid: 'u1', sessionId: ID, timestamp: AT, cwd, gitBranch },
  message: { role: 'user', content: 'Make the parser fast.' },
})
/** Which of the two directories has the session, with the branch that it is on. */
async function placesOf(adapter: Adapter, ...roots: string[]) {
  const found = await Promise.all(roots.map((root) => adapter.find({ home, env: {} }, [root])))
  return found.map((refs) => refs.map(({ cwd, branch }) => [cwd, branch]))
}

describe('a session of Claude Code', () => {
  const claude = (folder: string, records: object[]) =>
    write(join(home, '.claude/projects', folder, `${ID}.jsonl`), records)

  it('that /cd moved is of the new directory (2.1.332 moves the file there)', async () => {
    const moved = { type: 'relocated', sessionId: ID, relocatedCwd: NEW }
    claude('-home-dev-new', [talk(OLD), moved])
    expect(await placesOf(claudeCode, OLD, NEW)).toEqual([[], [[NEW, 'main']]])
    claude('-home-dev-new', [talk(OLD), moved, talk(`${NEW}/src`)])
    expect(await placesOf(claudeCode, OLD, NEW)).toEqual([[], [[`${NEW}/src`, 'main']]])
  })

  it('that entered a worktree is of that one, and of the first when it left it', async () => {
    const tree = `${OLD}/.claude/worktrees/fast`
    const entered = {
      ...{ type: 'worktree-state', sessionId: ID },
      worktreeSession: { originalCwd: OLD, worktreePath: tree, worktreeBranch: 'feature/fast' },
    }
    claude('-home-dev-old', [talk(OLD), entered])
    expect(await placesOf(claudeCode, tree, OLD)).toEqual([[], [[tree, 'feature/fast']]])
    const both = await claudeCode.find({ home, env: {} }, [tree, OLD])
    expect(both.map(({ cwd }) => cwd)).toEqual([tree])
    const left = { type: 'worktree-state', sessionId: ID, worktreeSession: null }
    claude('-home-dev-old', [talk(OLD), entered, talk(tree, 'feature/fast'), left, talk(OLD)])
    expect(await placesOf(claudeCode, OLD)).toEqual([[[OLD, 'main']]])
  })

  it('that ran one command elsewhere stays where it is', async () => {
    claude('-home-dev-old', [talk(OLD), talk('/srv/shared')])
    expect(await placesOf(claudeCode, OLD)).toEqual([[[OLD, 'main']]])
  })
})

it('a thread of Codex is where its last turn ran', async () => {
  const rollout = join(home, '.codex/sessions/2026/11/29', `rollout-2026-11-29T10-00-00-${ID}.jsonl`)
  const row = (type: string, payload: object) => ({ timestamp: AT, type, payload })
  const turn = (cwd: string) => row('turn_context', { turn_id: 't', cwd, model: 'gpt-5.5' })
  const meta = row('session_meta', { id: ID, cwd: OLD, timestamp: AT, source: 'cli' })
  write(rollout, [meta, turn(OLD)])
  expect(await placesOf(codex, OLD, NEW)).toEqual([[[OLD, undefined]], []])
  write(rollout, [meta, turn(OLD), turn(NEW), row('event_msg', { type: 'user_message', message: 'Go on.' })])
  expect(await placesOf(codex, OLD, NEW)).toEqual([[], [[NEW, undefined]]])
})

it('a session of Qwen Code is where its last record is, in the folder of either directory', async () => {
  const said = (cwd: string) => ({
    ...{ uuid: 'u1', sessionId: ID, timestamp: AT, type: 'user', cwd, gitBranch: 'main' },
    message: { role: 'user', parts: [{ text: 'Make the parser fast.' }] },
  })
  write(join(home, '.qwen/projects/-home-dev-new/chats', `${ID}.jsonl`), [said(OLD), said(NEW)])
  expect(await placesOf(qwenCode, OLD, NEW)).toEqual([[], [[NEW, 'main']]])
})
