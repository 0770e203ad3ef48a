import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import { makeRepo, type TempRepo } from '../repo/make-repo.ts'
import { sampled } from '../sampled.ts'
import { useTerminals } from './terminal.ts'
import { tmuxTest } from './tmux.ts'

const terminal = useTerminals()

/** A program that writes down its arguments and environment; `evil` is one that a checkout brings. */
function recorder(folder: string, name: string, log: string): void {
  mkdirSync(folder, { recursive: true })
  const path = join(folder, name)
  const record = `require('node:fs').writeFileSync(${JSON.stringify(log)}, JSON.stringify({ args: process.argv.slice(2), env: process.env }))`
  writeFileSync(path, `#!${process.execPath}\n${record}\n`)
  chmodSync(path, 0o755)
}

const recorded = (log: string): { args: string[]; env: Record<string, string> } =>
  JSON.parse(readFileSync(log, 'utf8'))

/** As `git handoff` runs us in a checkout. */
const byNpx = (repo: TempRepo, env: Record<string, string>): Record<string, string> => ({
  ...env,
  PATH: `${join(repo.root, 'node_modules/.bin')}:${env.PATH}`,
  INIT_CWD: repo.root,
  NODE: process.execPath,
  COLOR: '1',
  npm_command: 'exec',
  npm_execpath: '/usr/lib/node_modules/npm/bin/npm-cli.js',
  npm_config_user_agent: 'npm/11.19.1 node/v22',
  npm_config_editor: './evil.sh',
  EDITOR: './evil.sh',
})

describe.concurrent('S-2: an agent that is started at a terminal on a hostile branch', () => {
  const started = [
    ['codex', 'codex'],
    ['claude', 'claude'],
  ] as const
  for (const [to, program] of sampled(started, 1))
    tmuxTest(`${to} has the environment of the shell, and our line first`, async () => {
      const repo = makeRepo()
      const evil = randomBytes(8).toString('hex')
      const agents = join(repo.base, 'agents')
      const [log, stolen] = [join(repo.base, 'seen.json'), join(repo.base, 'stolen.json')]
      recorder(agents, program, log)
      recorder(join(repo.root, 'node_modules/.bin'), program, stolen)
      const slots = '{{start}} {{agent}} {{branch}} {{goal}} {{drift}} {{file}}'
      const template = `--settings={"x":"${evil} ${slots}"}\n`
      repo.commit('theirs', {
        'src/queue.ts': 'x\n',
        '.handoff/templates/pointer-prompt.txt': template,
        '.handoff/config.yaml': `mission: ${evil}\npersonas: {${program}: {agent: codex, start: "-c x=${evil}"}}\n`,
      })
      writeClaudeSession(repo, USUAL, { end: new Date(Date.now() - 60_000) })
      const shell = {
        ...repo.env,
        // Without what npm has added for this very test.
        PATH: [
          agents,
          ...(repo.env.PATH ?? '').split(':').filter((one) => !one.includes('node_modules')),
        ].join(':'),
        SSH_AUTH_SOCK: '/run/agent',
        GITHUB_TOKEN: randomBytes(8).toString('hex'),
        MOCK_API_KEY: randomBytes(8).toString('hex'),
        NODE_OPTIONS: '--no-deprecation',
        GIT_SSH_COMMAND: 'ssh -v',
      }
      const goal = 'finish the retry queue and document its limits'
      const argv = ['create', goal, '--from', 'claude-code', '--to', to, '--no-ask']
      const marks = { CLAUDE_PID: '1', OPENCODE_PID: '2' }
      const ended = await terminal(repo, argv, { env: { ...byNpx(repo, shell), ...marks } }).ends()
      expect(ended.exit, ended.screen).toBe(0)
      const { args, env } = recorded(log)
      expect(args).toHaveLength(1)
      expect(args[0]).toMatch(/^A handoff brief is open on branch `main`, by Claude Code, /)
      expect(args[0]).not.toContain(evil)
      const typed = terminal(repo, [], { env: shell, command: [join(agents, program)] })
      await typed.ends()
      const own = recorded(log).env
      // What tmux and the shell of each terminal set for themselves.
      for (const name of ['_', 'SHLVL', 'TMUX_PANE', 'OLDPWD', 'PWD'])
        for (const one of [own, env]) delete one[name]
      expect(env).toEqual(own)
      expect(() => recorded(stolen)).toThrow()
      expect(ended.screen).not.toContain('Not passed')
    })
})
