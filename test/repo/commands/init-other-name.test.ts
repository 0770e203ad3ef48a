import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'

const put = (repo: TempRepo, path: string, content: string): void => {
  mkdirSync(dirname(join(repo.root, path)), { recursive: true })
  writeFileSync(join(repo.root, path), content)
}
const json = (repo: TempRepo, path: string) => JSON.parse(repo.read(path))

const THEIRS: Record<string, string> = {
  '.mcp.json': '{\n  "mcpServers": {\n    "handoff": { "command": "handoff-mcp" }\n  }\n}\n',
  '.claude/skills/handoff/SKILL.md': '---\nname: handoff\n---\nSummarise in chat.\n',
  '.codex/config.toml': '[mcp_servers.handoff]\ncommand = "handoff-mcp"\n',
  '.qwen/commands/handoff.md': 'Write HANDOFF.md.\n',
  'opencode.json': '{ "command": { "handoff": { "template": "Write HANDOFF.md" } } }\n',
  '.pi/extensions/handoff.js': 'export default () => {}\n',
}
const AGENTS = 'claude-code,codex,qwen-code,opencode,pi'
const init = (repo: TempRepo, ...args: string[]) =>
  cli(repo, ['init', '--agent', AGENTS, '--git-hooks', 'none', '--yes', '--json', ...args])

describe('init where something else is called handoff', () => {
  byNight('sets ours up as git-handoff, keeps that name, and takes it out again', async () => {
    const repo = makeRepo()
    for (const [path, content] of Object.entries(THEIRS)) put(repo, path, content)
    const told = await init(repo)
    expect(told).toMatchObject({
      code: 0,
      json: { left: [], renamed: expect.arrayContaining(Object.keys(THEIRS)) },
    })
    expect(told.json.warnings.join('\n')).toContain(
      '.claude/skills/handoff/SKILL.md is not ours: type /git-handoff <goal>',
    )
    expect(told.json.warnings.join('\n')).toContain(
      '.mcp.json has a server or command handoff that is not ours; ours is called git-handoff there',
    )
    expect(Object.keys(json(repo, '.mcp.json').mcpServers)).toEqual(['handoff', 'git-handoff'])
    expect(json(repo, '.mcp.json').mcpServers.handoff).toEqual({ command: 'handoff-mcp' })
    expect(repo.read('.codex/config.toml')).toContain('[mcp_servers.git-handoff]')
    expect(repo.read('.claude/skills/git-handoff/SKILL.md')).toMatch(/^---\nname: git-handoff\n/)
    expect(existsSync(join(repo.root, '.qwen/commands/git-handoff.md'))).toBe(true)
    expect(Object.keys(json(repo, 'opencode.json').command)).toEqual(['handoff', 'git-handoff'])
    expect(repo.read('.pi/extensions/git-handoff.js')).toContain("const COMMAND = 'git-handoff'")
    // What nothing else is called keeps its name.
    expect(Object.keys(json(repo, 'opencode.json').mcp)).toEqual(['handoff'])
    for (const path of [
      '.claude/skills/handoff/SKILL.md',
      '.qwen/commands/handoff.md',
      '.pi/extensions/handoff.js',
    ])
      expect(repo.read(path)).toBe(THEIRS[path])

    expect((await init(repo)).json).toMatchObject({ changed: [], left: [] })
    const { stdout } = await cli(repo, ['doctor'])
    expect(stdout).not.toMatch(/the set-up of .* is missing or old/)

    // The name stays when the other one goes: people know it.
    put(repo, '.claude/skills/handoff/SKILL.md', '')
    rmSync(join(repo.root, '.claude/skills/handoff'), { recursive: true })
    expect((await init(repo)).json.changed).toEqual([])
    expect(existsSync(join(repo.root, '.claude/skills/handoff'))).toBe(false)
    put(repo, '.claude/skills/handoff/SKILL.md', THEIRS['.claude/skills/handoff/SKILL.md'] ?? '')

    expect((await cli(repo, ['init', '--remove', '--json'])).code).toBe(0)
    for (const [path, content] of Object.entries(THEIRS)) expect(repo.read(path)).toBe(content)
    expect(existsSync(join(repo.root, '.claude/skills/git-handoff'))).toBe(false)
    expect(existsSync(join(repo.root, '.pi/extensions/git-handoff.js'))).toBe(false)
  })

  byNight('is taken out of a clone whose record is lost', async () => {
    const repo = makeRepo()
    for (const [path, content] of Object.entries(THEIRS)) put(repo, path, content)
    await init(repo)
    writeFileSync(join(repo.root, '.git/handoff/init.json'), 'torn')
    await cli(repo, ['init', '--remove', '--json'])
    expect(json(repo, '.mcp.json')).toEqual(JSON.parse(THEIRS['.mcp.json'] ?? ''))
    expect(existsSync(join(repo.root, '.claude/skills/git-handoff'))).toBe(false)
    expect(repo.read('.codex/config.toml')).toBe(THEIRS['.codex/config.toml'])
  })

  it('names it so when the context is nearly full', async () => {
    const repo = makeRepo()
    put(repo, '.claude/skills/handoff/SKILL.md', THEIRS['.claude/skills/handoff/SKILL.md'] ?? '')
    await init(repo)
    const path = join(repo.base, 's.jsonl')
    const message = { model: 'claude-sonnet-4-5', usage: { input_tokens: 160_000 } }
    writeFileSync(path, `${JSON.stringify({ type: 'assistant', message })}\n`)
    const stdin = JSON.stringify({ session_id: 's', transcript_path: path, cwd: repo.root })
    const hook = await cli(repo, ['hook', 'stop', '--agent', 'claude-code'], { stdin })
    expect(hook.stdout).toContain('type: /git-handoff <')
  })

  byNight('has a way on where `.handoff/` is of another tool: what the hint says', async () => {
    const repo = makeRepo()
    put(repo, '.handoff/notes.txt', 'theirs\n')
    repo.commit('theirs')
    const argv = ['create', 'finish the queue and document its limits', '--from', 'git', '--json']
    const { code, json: told } = await cli(repo, argv)
    expect([code, told.errors[0].code]).toEqual([2, 'E_FOREIGN_FOLDER'])
    const command = /`(echo [^`]+)`/.exec(told.errors[0].hint)?.[1] ?? ''
    execFileSync('sh', ['-c', command], { cwd: repo.root })
    const { json: made } = await cli(repo, argv)
    expect((await cli(repo, ['show', '--json'])).json.id).toBe(made.id)
    expect((await init(repo)).code).toBe(0)
    expect(readdirSync(join(repo.root, '.handoff'))).toEqual(['notes.txt'])
    expect(repo.read('.handoff/notes.txt')).toBe('theirs\n')
  })

  byNight('runs and names no other program called handoff, and doctor tells of it', async () => {
    const repo = makeRepo()
    const [bin, ran] = [join(repo.base, 'theirs'), join(repo.base, 'ran')]
    mkdirSync(bin)
    writeFileSync(join(bin, 'handoff'), `#!/bin/sh\ntouch '${ran}'\n`, { mode: 0o755 })
    const env = { PATH: `${bin}:${repo.env.PATH}` }
    await cli(repo, ['init', '--agent', AGENTS, '--git-hooks', 'none', '--yes'], { env })
    const lines = [repo.read('.claude/settings.json'), repo.read('AGENTS.md')].join('\n')
    expect(lines).toMatch(/git (?:-c \S+ )*(?:for-each-repo|handoff)/)
    expect(lines).not.toMatch(/(?:^|[`"';&] ?)handoff (?:hook|create|resume|show)/m)
    await cli(repo, ['create', 'finish the queue and document its limits', '--from', 'git'], { env })
    const stdin = JSON.stringify({ session_id: 's', source: 'startup', cwd: repo.root })
    await cli(repo, ['hook', 'session-start', '--agent', 'claude-code'], { stdin, env })
    expect(existsSync(ran)).toBe(false)
    expect((await cli(repo, ['doctor'], { env })).stdout).toContain('`handoff` is another program here')
  })
})
