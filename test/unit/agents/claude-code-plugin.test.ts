import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { claudeCode } from '../../../src/agents/claude-code/index.ts'
import { notesContract } from '../../../src/brief/template.ts'
import { mcpServer } from '../../../src/hooks/runner.ts'
import type { SetupEdit } from '../../../src/types/agent.ts'

const ROOT = new URL('../../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, ROOT), 'utf8')
const plugin = (path: string): unknown => JSON.parse(read(`templates/agents/claude-plugin/${path}`))

/** In a project that `init` has set up the plugin is silent; where only the plugin is, the program on PATH does. */
const line = (event: string): string =>
  `git -c safe.bareRepository=explicit -c 'alias.handoff-hook=!unset GIT_DIR; set -f; IFS=; cd ./$GIT_PREFIX; grep -qs handoff.hook \${CLAUDE_PROJECT_DIR:-.}/.claude/settings.json && exit 0; d=$(git rev-parse --git-common-dir 2>/dev/null) || exit 0; unset GIT_CONFIG_PARAMETERS; [ -f $d/handoff/hook ] && exec sh $d/handoff/hook claude-code ${event}; command -v git-handoff >/dev/null && git-handoff hook ${event} --agent claude-code; exit 0' handoff-hook`

const edits = claudeCode.setup?.({
  root: '/r',
  home: '/h',
  env: {},
  hookCommand: line,
  mcp: mcpServer('claude-code'),
  template: (name) => read(`templates/agents/${name}`),
})
const byType = (type: SetupEdit['type']) => (edits ?? []).filter((edit) => edit.type === type)

it('has the hooks that init writes', () => {
  const hooks: Record<string, unknown[]> = {}
  for (const edit of byType('json-item'))
    if (edit.type === 'json-item') hooks[edit.at[1] ?? ''] = [edit.value]
  expect(plugin('hooks/hooks.json')).toEqual({ hooks })
})

it('has the skill that init writes, and the server of whichever handoff git finds', () => {
  expect(byType('file').map((edit) => edit.type === 'file' && edit.content)).toEqual([
    read('templates/agents/claude-plugin/skills/handoff/SKILL.md'),
  ])
  const args = ['-c', 'safe.bareRepository=explicit', 'handoff', 'mcp']
  expect(plugin('.mcp.json')).toEqual({ mcpServers: { handoff: { command: 'git', args } } })
})

it('is of the version of the package', () => {
  const { version, description } = JSON.parse(read('package.json'))
  expect(plugin('.claude-plugin/plugin.json')).toMatchObject({ name: 'handoff', version, description })
})

it('asks for the same page everywhere', () => {
  const folded = (text: string): string => text.replace(/^ +/gm, '')
  for (const name of [
    'agents/SKILL.md',
    'agents/gemini-handoff.toml',
    'agents/opencode-plugin.js',
    'request.txt',
  ])
    expect(folded(read(`templates/${name}`))).toContain(notesContract)
})

it('lets no shell look into the goal, for Gemini CLI as well', () => {
  for (const name of ['SKILL.md', 'gemini-handoff.toml']) {
    const text = read(`templates/agents/${name}`)
    expect(text).toContain("git handoff create '<goal>'")
    expect(text).not.toContain('create "')
  }
})
