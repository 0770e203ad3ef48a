import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { makeFolder, type TempRepo } from '../make-repo.ts'
import { made, succeeded, usual } from '../usual.ts'

function withRemote(repo: TempRepo): string {
  const hub = join(repo.base, 'hub.git')
  repo.git(['init', '-q', '--bare', hub])
  repo.git(['remote', 'add', 'origin', hub])
  return hub
}

it.each(sampled(['HEAD', '-', '-x'], 1))(
  'G-L17: the line for the next person works as it stands for a branch called %s',
  async (name) => {
    const repo = usual()
    const hub = withRemote(repo)
    repo.git(['update-ref', `refs/heads/${name}`, 'HEAD'])
    repo.git(['symbolic-ref', 'HEAD', `refs/heads/${name}`])
    const { id } = await made(repo, ['--from', 'git'])
    const { open } = succeeded(await cli(repo, ['push', '--json']))
    const clone = join(makeFolder(), 'clone')
    repo.git(['clone', '-q', '--no-checkout', hub, clone])
    expect(open).toMatch(/^git fetch /)
    expect(open).not.toContain('git handoff open')
    execFileSync('sh', ['-c', open], { cwd: clone, env: repo.env, stdio: 'ignore' })
    expect(succeeded(await cli(repo, ['status', '--json'], { cwd: clone })).brief.id).toBe(id)
  },
)
