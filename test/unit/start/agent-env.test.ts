import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { personEnv, unattendedEnv } from '../../../src/start/agent-env.ts'
import { withoutNpm } from '../../../src/workspace/program-name.ts'

const word = (): string => randomBytes(6).toString('hex')

/** What people have in a shell, secrets and settings of git and Node with them. */
const shell = (): Record<string, string> => ({
  PATH: '/usr/local/bin:/usr/bin',
  HOME: '/home/dev',
  EDITOR: 'vim',
  NODE_OPTIONS: '--max-old-space-size=4096',
  SSH_AUTH_SOCK: `/run/${word()}`,
  MOCK_API_KEY: word(),
  GITHUB_TOKEN: word(),
  GIT_SSH_COMMAND: 'ssh -i key',
  GIT_AUTHOR_NAME: word(),
  [`X_${word().toUpperCase()}`]: word(),
})

/** What npm 11 adds for `git handoff` in a checkout whose `.npmrc` sets `node-options` and `editor`. */
const byNpx = (env: Record<string, string>): Record<string, string> => ({
  ...env,
  PATH: `/w/repo/node_modules/.bin:/w/node_modules/.bin:/root/.npm/_npx/ab/node_modules/.bin:/usr/lib/node_modules/npm/node_modules/@npmcli/run-script/lib/node-gyp-bin:${env.PATH}`,
  INIT_CWD: '/w/repo',
  NODE: '/usr/bin/node',
  COLOR: '0',
  EDITOR: './evil.sh',
  NODE_OPTIONS: '--require ./evil.cjs',
  npm_config_editor: './evil.sh',
  npm_config_node_options: '--require ./evil.cjs',
  npm_execpath: '/usr/lib/node_modules/npm/bin/npm-cli.js',
  npm_config_user_agent: 'npm/11.19.1',
  npm_command: 'exec',
  npm_package_name: word(),
  npm_lifecycle_script: word(),
})

describe('U-H3: the environment of an agent at a terminal', () => {
  it('is that of the shell', () => {
    const env = shell()
    expect(personEnv(withoutNpm(env))).toEqual(env)
  })

  it('holds nothing of npm, nor the programs of the checkout', () => {
    const { EDITOR, NODE_OPTIONS, ...rest } = shell()
    // npm has written over these two, and what the checkout says is nobody's wish.
    expect(personEnv(withoutNpm(byNpx({ ...rest, EDITOR: '', NODE_OPTIONS: '' })))).toEqual(rest)
    const kept = { ...byNpx(shell()), npm_config_editor: '', npm_config_node_options: '' }
    expect(withoutNpm(kept)).toMatchObject({ EDITOR: './evil.sh', NODE_OPTIONS: '--require ./evil.cjs' })
  })

  it('has no mark of the agent that calls, and no repository of a hook that calls', () => {
    const env = shell()
    const marks = { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: word(), CODEX_THREAD_ID: word(), AI_AGENT: 'x' }
    const hook = {
      GIT_DIR: '.git',
      GIT_INDEX_FILE: 'i',
      GIT_WORK_TREE: '/w',
      GIT_PREFIX: '',
      GIT_CONFIG_PARAMETERS: 'x',
    }
    expect(personEnv({ ...env, ...marks, ...hook })).toEqual(env)
  })

  it('without npm keeps variables that begin like its own', () => {
    const env = { ...shell(), npm_config_registry: 'https://npm.example', NODE: '/opt/node', COLOR: '1' }
    expect(withoutNpm(env)).toBe(env)
  })
})

describe('the environment of an agent that nobody watches', () => {
  it('holds no secret but those that are passed, and names the others', () => {
    const env = { ...shell(), OPENAI_API_KEY: word(), DATABASE_URL: `postgres://u:${word()}@h/d` }
    const { env: given, withheld } = unattendedEnv(env, ['OPENAI_*', 'MOCK_API_KEY'])
    const {
      SSH_AUTH_SOCK,
      GITHUB_TOKEN,
      DATABASE_URL,
      GIT_SSH_COMMAND,
      GIT_AUTHOR_NAME,
      NODE_OPTIONS,
      ...rest
    } = env as Record<string, string>
    expect(given).toEqual(rest)
    expect(withheld).toEqual(['DATABASE_URL', 'GITHUB_TOKEN', 'SSH_AUTH_SOCK'])
  })
})
