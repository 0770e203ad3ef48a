import { execFile } from 'node:child_process'
import { access, mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './build.ts'
import { cacheFolder, type Installed, installClient } from './client/install.ts'

const LEFTHOOK = { id: 'lefthook', package: 'lefthook', version: '2.2.2', bin: 'lefthook' }
const PRE_COMMIT = '4.6.2'
export const EVENTS = [
  'pre-commit',
  'prepare-commit-msg',
  'post-checkout',
  'post-merge',
  'post-rewrite',
  'pre-push',
]

/** A real manager: where its program is, what a repository has that uses it, and how it puts its hooks into git. */
export interface Manager {
  id: string
  program: () => Promise<Installed>
  files: Record<string, string>
  install: string[]
}

export const managers: Manager[] = [
  {
    id: 'husky',
    program: async () => ({ program: join(root, 'node_modules/.bin/husky') }),
    files: {
      '.husky/pre-commit': 'echo theirs\n',
      'package.json': '{ "devDependencies": { "husky": "^9" } }\n',
    },
    install: [],
  },
  {
    id: 'lefthook',
    program: () => installClient(LEFTHOOK),
    files: {
      'lefthook.yml':
        '# mine\npre-commit:\n  jobs:\n    - name: theirs\n      run: echo theirs # why\n\npost-checkout: # later\n',
    },
    install: ['install'],
  },
  {
    id: 'pre-commit',
    program: installPreCommit,
    files: {
      '.pre-commit-config.yaml': `repos:
- repo: local # mine
  hooks:
  - id: theirs
    name: theirs
    entry: echo theirs
    language: system
    verbose: true
    pass_filenames: false
    always_run: true
    stages: [pre-commit]
`,
    },
    install: ['install', ...EVENTS.flatMap((event) => ['--hook-type', event])],
  },
]

/** In a virtual environment of the cache; whole or not at all. */
async function installPreCommit(): Promise<Installed> {
  const folder = join(cacheFolder(), `pre-commit@${PRE_COMMIT}`)
  const program = join(folder, 'bin/pre-commit')
  const run = promisify(execFile)
  try {
    await access(program).catch(async () => {
      await mkdir(cacheFolder(), { recursive: true })
      await rm(folder, { recursive: true, force: true })
      await run('python3', ['-m', 'venv', folder])
      const args = ['install', '-q', '--retries', '2', '--timeout', '10', `pre-commit==${PRE_COMMIT}`]
      await run(join(folder, 'bin/pip'), args, { timeout: 180_000 }).catch(async (error: unknown) => {
        // Scripts of such an environment name its folder, so that it cannot be made elsewhere and moved.
        await rename(folder, await mkdtemp(join(cacheFolder(), '.failed-')).then((to) => join(to, 'x')))
        throw error
      })
    })
    return { program }
  } catch (error) {
    return { missing: error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error) }
  }
}

/** The manager's program, or why there is none here; throws when it must be there. */
export async function programOf({ id, program }: Manager): Promise<Installed> {
  const installed = await program()
  if (!('missing' in installed)) return installed
  if (process.env.HANDOFF_E2E_REQUIRE === '1') throw new Error(`${id}: ${installed.missing}`)
  process.stderr.write(`\nNOT TESTED with the real ${id}, which cannot be had here: ${installed.missing}\n`)
  return installed
}
