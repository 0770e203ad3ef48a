import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { cli } from '../cli.ts'
import { atFolder, makeEnv, prepared, type TempRepo } from '../make-repo.ts'
import { AGENT, headOf, later, made, usual } from '../usual.ts'

export const PAGE = 'https://github.com/acme/shop'
export const BRANCH = 'feature/queue'

/** Two people with homes of their own, and between them a bare repository that both know by its address on GitHub. */
export interface Team {
  ann: TempRepo
  bob: TempRepo
  hub: TempRepo
}

async function newTeam(): Promise<Team> {
  const ann = usual()
  const { base, env } = ann
  const hub = atFolder(base, join(base, 'hub/acme/shop.git'), env)
  ann.git(['clone', '-q', '--bare', ann.root, hub.root])
  const bob = atFolder(base, join(base, 'bob'), makeEnv(join(base, 'bob-home')))
  for (const { git } of [ann, { git: (args: string[]) => ann.git(args, { env: bob.env }) }])
    git(['config', '--global', `url.${base}/hub/.insteadOf`, 'https://github.com/'])
  ann.git(['clone', '-q', `${PAGE}.git`, bob.root], { env: bob.env })
  ann.git(['remote', 'add', 'origin', `${PAGE}.git`])
  ann.git(['fetch', '-q'])
  ann.git(['branch', '-q', '--set-upstream-to=origin/main'])
  ann.git(['switch', '-q', '-c', BRANCH])
  ann.commit('more', { 'src/queue.ts': 'xx\n' })
  return { ann, bob, hub }
}
export const makeTeam = prepared(newTeam)

/** The same after Ann has handed over and pushed; `extra` for `create`. */
async function newPushed(extra: string[] = []): Promise<Team & { id: string }> {
  const team = await newTeam()
  const { id } = await made(team.ann, extra, AGENT)
  await done(team.ann, ['push'])
  return { ...team, id }
}
export const pushed = prepared(newPushed)

/** A pull request from a fork: no branch of the repository has its commit. */
export const fromFork = prepared(async (number: number, commits: Record<string, string> = {}) => {
  const team = await newPushed()
  const { ann } = team
  ann.git(['switch', '-q', '-c', 'fork', 'main'])
  ann.commit('theirs', { 'theirs.txt': 'x\n', ...commits })
  const { id } = await made(ann, ['--from', 'git'], { now: later(5) })
  ann.git(['push', '-q', 'origin', `HEAD:refs/pull/${number}/head`])
  return { ...team, theirs: id, head: headOf(ann) }
})

/** A command that must succeed, as JSON. */
export async function done(repo: TempRepo, argv: string[], env: Record<string, string> = {}) {
  const { code, json } = await cli(repo, ['--json', ...argv], { env, now: later(30) })
  if (code !== 0) throw new Error(JSON.stringify(json.errors))
  return json
}

/** The only error of a command that must fail. */
export async function refused(repo: TempRepo, argv: string[], env: Record<string, string> = {}) {
  const { code, json } = await cli(repo, ['--json', ...argv], { env })
  if (code === 0) throw new Error(JSON.stringify(json))
  return json.errors[0]
}

/** All refs of a repository with their commits. */
export const refsOf = (repo: TempRepo): string =>
  repo.git(['for-each-ref', '--format=%(refname) %(objectname)'])

/** An executable of shell. */
export function hook(path: string, lines: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `#!/bin/sh\n${lines}\n`)
  chmodSync(path, 0o755)
}
