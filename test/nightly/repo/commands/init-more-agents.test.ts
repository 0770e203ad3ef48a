import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../../repo/cli.ts'
import { makeRepo, type TempRepo } from '../../../repo/make-repo.ts'
import { withBrief } from '../../../repo/usual.ts'

const init = (repo: TempRepo, ...argv: string[]) => cli(repo, ['init', '--json', ...argv])
const json = (repo: TempRepo, path: string) => JSON.parse(repo.read(path))
const SKILL = '.agents/skills/handoff/SKILL.md'

describe('files of several agents', () => {
  it('stay until the last of them goes', async () => {
    const repo = makeRepo()
    await init(repo, '--agent', 'amp,goose,antigravity')
    expect(json(repo, '.amp/settings.json')).toEqual({
      'amp.mcpServers': { handoff: { command: 'git', args: expect.any(Array) } },
    })
    const text = repo.read(SKILL)
    await init(repo, '--remove', '--agent', 'amp')
    expect(existsSync(join(repo.root, '.amp'))).toBe(false)
    await init(repo, '--remove', '--agent', 'antigravity')
    expect(repo.read(SKILL)).toBe(text)
    await init(repo, '--remove', '--agent', 'goose')
    expect(existsSync(join(repo.root, '.agents'))).toBe(false)
  })

  it('are the plugin of OpenCode, which Kilo loads too', async () => {
    const repo = makeRepo()
    await init(repo, '--agent', 'kilo,opencode')
    const [kilo, opencode] = ['kilo.json', 'opencode.json'].map((name) => json(repo, name))
    expect(kilo).toEqual({
      ...opencode,
      $schema: 'https://app.kilo.ai/config.json',
      mcp: { handoff: { ...opencode.mcp.handoff, command: expect.any(Array) } },
    })
    expect(kilo.plugin).toEqual(['./.agents/opencode/handoff.js'])
    await init(repo, '--remove', '--agent', 'opencode')
    expect(existsSync(join(repo.root, 'opencode.json'))).toBe(false)
    expect(repo.read('.agents/opencode/handoff.js')).toContain("process.env.KILO ? 'kilo' : 'opencode'")
  })
})

describe('files that are there in another form', () => {
  it('take the settings of Kilo and Amp with comments', async () => {
    const repo = makeRepo()
    repo.write('kilo.jsonc', '{} // mine\n')
    repo.write('.amp/settings.jsonc', '{} // mine\n')
    await init(repo, '--agent', 'kilo,amp')
    for (const path of ['kilo.jsonc', '.amp/settings.jsonc'])
      expect(repo.read(path)).toMatch(/"handoff"[\s\S]*\/\/ mine/)
    for (const path of ['kilo.json', '.amp/settings.json'])
      expect(existsSync(join(repo.root, path))).toBe(false)
  })

  it('take hooks of Droid into its settings, where a file of hooks would switch those off', async () => {
    const repo = makeRepo()
    repo.write('.factory/settings.json', '{"hooks":{"Stop":[]}}\n')
    await init(repo, '--agent', 'droid')
    expect(existsSync(join(repo.root, '.factory/hooks.json'))).toBe(false)
    expect(json(repo, '.factory/settings.json').hooks).toMatchObject({ Stop: [{}], SessionStart: [{}, {}] })
    repo.write('.factory/hooks.json', '{"Stop":[]}\n')
    await init(repo, '--agent', 'droid')
    expect(json(repo, '.factory/hooks.json')).toMatchObject({ Stop: [{}], SessionStart: [{}, {}] })
    expect(json(repo, '.factory/settings.json').hooks).toEqual({ Stop: [] })
  })

  it('leave the one convention of Aider alone, and say so', async () => {
    const repo = makeRepo()
    repo.write('.aider.conf.yml', 'read: CONVENTIONS.md\n')
    const { left } = (await init(repo, '--agent', 'aider')).json
    expect(left).toEqual([{ path: '.aider.conf.yml', reason: expect.any(String) }])
    expect(repo.read('.aider.conf.yml')).toBe('read: CONVENTIONS.md\n')
  })
})

it('hooks of Droid give its model the pointer at the start of a session', async () => {
  const { repo } = await withBrief()
  const payload = { session_id: 's', cwd: repo.root, hook_event_name: 'SessionStart', source: 'startup' }
  const { stdout } = await cli(repo, ['hook', 'session-start', '--agent', 'droid'], {
    stdin: JSON.stringify(payload),
  })
  expect(JSON.parse(stdout)).toEqual({
    hookSpecificOutput: {
      hookEventName: 'SessionStart',
      additionalContext: expect.stringContaining('In `.handoff/latest.md`'),
    },
  })
})

it('hooks of Antigravity give its model the pointer before the first request of a session, once', async () => {
  const { repo } = await withBrief()
  const ask = async (conversationId: string, invocationNum: number) => {
    const payload = { conversationId, workspacePaths: [repo.root], transcriptPath: '/t.jsonl', invocationNum }
    const { stdout } = await cli(repo, ['hook', 'prompt', '--agent', 'antigravity'], {
      stdin: JSON.stringify(payload),
    })
    return JSON.parse(stdout)
  }
  const pointer = {
    injectSteps: [{ ephemeralMessage: expect.stringContaining('In `.handoff/latest.md`') }],
  }
  expect(await ask('a', 0)).toEqual(pointer)
  expect(await ask('a', 1)).toEqual({})
  expect(await ask('b', 0)).toEqual(pointer)
})
