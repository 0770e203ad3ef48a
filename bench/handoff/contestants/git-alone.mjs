import { spawnSync } from 'node:child_process'
import { gitEnv } from '../repository.mjs'

/** What git tells whoever comes next, without a session and without a tool. */
const COMMANDS = [
  ['log', '--oneline', 'origin/main..'],
  ['diff', '--stat=200', '--summary', 'origin/main'],
  ['status', '--short', '--branch'],
]

export const gitAlone = {
  id: 'git',
  name: 'git log, diffstat and status',
  version: () => '',
  make({ repo, home }) {
    const parts = COMMANDS.map((args) => {
      const { stdout } = spawnSync('git', args, { cwd: repo, env: gitEnv(home), encoding: 'utf8' })
      return `$ git ${args.join(' ')}\n\n\`\`\`\n${stdout}\`\`\`\n`
    })
    return { markdown: parts.join('\n') }
  },
}
