import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { USUAL, writeClaudeSession } from '../repo/claude-session.ts'
import { cli } from '../repo/cli.ts'
import { atFolder, makeEnv, type TempRepo } from '../repo/make-repo.ts'
import { made } from '../repo/usual.ts'

/** A bare repository that everybody pulls from, and who works with it. Each has a clone and a home of their own. */
export interface Team {
  base: string
  origin: string
  user: TempRepo
  mate: TempRepo
  stranger: TempRepo
}

/** What the user is asked about: the clone, and whether the brief there may go before an agent, in exactly these words. */
export interface Scenario {
  name: string
  run(team: Team): Promise<TempRepo>
  trusted: boolean
  because: string
}

export const NOT_HERE = 'it was not made in this clone'
const ON_REMOTE = 'it is on a branch of a trusted remote'

/** Where a brief may come from, trusted or not, and what became of each door beside these. */
export const SCENARIOS: Scenario[] = [
  {
    name: '1 made in this clone',
    trusted: true,
    because: 'it was created in this clone',
    run: async ({ user }) => await withBrief(user),
  },
  {
    name: "2 a teammate's branch pushed to origin",
    trusted: true,
    because: ON_REMOTE,
    async run({ user, mate }) {
      await trustOrigin(user)
      await briefOn(mate, 'topic')
      mate.git(['push', '-q', 'origin', 'topic'])
      user.git(['fetch', '-q'])
      user.git(['switch', '-q', 'topic'])
      return user
    },
  },
  {
    name: '3 a fork, checked out as a local branch',
    trusted: false,
    because: NOT_HERE,
    async run({ user, stranger }) {
      await trustOrigin(user)
      await briefOn(stranger, 'evil')
      return takeEvil(user, stranger)
    },
  },
  {
    name: '4 a fork, brought into a local branch and not pushed',
    trusted: false,
    because: NOT_HERE,
    async run({ user, stranger }) {
      await trustOrigin(user)
      await briefOn(stranger, 'evil')
      user.git(['switch', '-q', '-c', 'mine'])
      user.git(['pull', '-q', '--ff-only', stranger.root, 'evil'])
      return user
    },
  },
  {
    name: '4 a fork, merged into the default branch and not pushed',
    trusted: false,
    // There it has landed, and is told to nobody.
    because: 'there is no brief',
    async run({ user, stranger }) {
      await trustOrigin(user)
      await briefOn(stranger, 'evil')
      user.git(['pull', '-q', '--no-rebase', '--no-ff', '--no-edit', stranger.root, 'evil'])
      return user
    },
  },
  {
    name: '5 the same with pull request refs mirrored under origin/pr',
    trusted: false,
    because: NOT_HERE,
    async run({ user, stranger, origin }) {
      await trustOrigin(user)
      await briefOn(stranger, 'evil')
      stranger.git(['push', '-q', origin, 'evil:refs/pull/7/head'])
      user.git(['config', '--add', 'remote.origin.fetch', '+refs/pull/*/head:refs/remotes/origin/pr/*'])
      user.git(['fetch', '-q'])
      user.git(['switch', '-q', '--no-track', '-c', 'review', 'origin/pr/7'])
      return user
    },
  },
  {
    name: '6 the same with the fork as a remote',
    trusted: false,
    because: NOT_HERE,
    async run({ user, stranger }) {
      await trustOrigin(user)
      await briefOn(stranger, 'evil')
      user.git(['remote', 'add', 'fork', stranger.root])
      user.git(['fetch', '-q', 'fork'])
      user.git(['switch', '-q', '-c', 'review', 'fork/evil'])
      return user
    },
  },
  {
    name: '7 trusted by name',
    trusted: true,
    because: 'you trusted it',
    run: async ({ user, stranger }) => await trustedByName(user, stranger),
  },
  {
    name: '8 work tree edited after that',
    trusted: false,
    because: 'the file differs from the commit',
    async run({ user, stranger }) {
      await trustedByName(user, stranger)
      const path = briefPath(user)
      user.write(path, user.read(path).replaceAll('retry queue', 'retry queue now'))
      return user
    },
  },
  {
    name: '9 brought into a branch of origin',
    trusted: true,
    because: ON_REMOTE,
    async run({ user, mate, stranger }) {
      await trustOrigin(user)
      await briefOn(stranger, 'evil')
      mate.git(['switch', '-q', '-c', 'next'])
      mate.git(['pull', '-q', '--ff-only', stranger.root, 'evil'])
      mate.git(['push', '-q', 'origin', 'next'])
      user.git(['fetch', '-q'])
      user.git(['switch', '-q', 'next'])
      return user
    },
  },
  {
    name: "10 a fresh clone of a stranger's repository",
    trusted: false,
    because: NOT_HERE,
    async run({ base, user, stranger }) {
      await withBrief(stranger)
      user.git(['clone', '-q', stranger.root, join(base, 'fresh')], { cwd: base })
      return atFolder(base, join(base, 'fresh'), user.env)
    },
  },
  {
    name: "11 the user's own e-mail forged",
    trusted: false,
    because: NOT_HERE,
    async run({ user, stranger }) {
      await trustOrigin(user)
      await briefOn(stranger, 'evil')
      const { email, name } = {
        email: user.git(['config', 'user.email']),
        name: user.git(['config', 'user.name']),
      }
      const forged = { GIT_COMMITTER_EMAIL: email, GIT_COMMITTER_NAME: name }
      stranger.git(['commit', '-q', '--amend', '--no-edit', `--author=${name} <${email}>`], { env: forged })
      return takeEvil(user, stranger)
    },
  },
  {
    name: '12 a committed link to a brief',
    trusted: false,
    because: 'it cannot be read',
    async run({ base, user, mate }) {
      await trustOrigin(user)
      await withBrief(mate)
      const path = briefPath(mate)
      const elsewhere = join(base, 'elsewhere.md')
      writeFileSync(elsewhere, mate.read(path))
      mate.git(['reset', '-q', '--hard', 'HEAD~1'])
      mkdirSync(join(mate.root, '.handoff/briefs'), { recursive: true })
      symlinkSync(elsewhere, join(mate.root, path))
      mate.commit('link')
      mate.git(['push', '-q', 'origin', 'main'])
      user.git(['pull', '-q'])
      return user
    },
  },
  {
    // Of a brief that nobody trusts nothing is inherited: test/repo/commands/inherit-trust.
    name: "made here upon a stranger's",
    trusted: true,
    because: 'it was created in this clone',
    run: async ({ user, stranger }) => await onward(await withStrangers(user, stranger)),
  },
  {
    name: "resumed here from a stranger's",
    trusted: false,
    because: NOT_HERE,
    async run({ user, stranger }) {
      await withStrangers(user, stranger)
      user.commit('more', { 'src/queue.ts': 'more\n' })
      await ok(user, ['resume'])
      return user
    },
  },
  {
    name: "closed here upon a stranger's",
    trusted: false,
    because: NOT_HERE,
    async run({ user, stranger }) {
      await withStrangers(user, stranger)
      await ok(user, ['done', 'the retry queue is ported'])
      return user
    },
  },
  {
    name: "the third made here upon a stranger's",
    trusted: true,
    because: 'it was created in this clone',
    run: async ({ user, stranger }) => await onward(await onward(await withStrangers(user, stranger))),
  },
  {
    name: "made here upon a stranger's, then trusted by name, and one upon that",
    trusted: true,
    because: 'it was created in this clone',
    async run({ user, stranger }) {
      await onward(await withStrangers(user, stranger))
      await ok(user, ['trust', idOf(user)])
      return onward(user)
    },
  },
  {
    name: "made here upon a stranger's that was trusted by name",
    trusted: true,
    because: 'it was created in this clone',
    run: async ({ user, stranger }) => await onward(await trustedByName(user, stranger)),
  },
  {
    name: "made here upon a teammate's on origin",
    trusted: true,
    because: 'it was created in this clone',
    async run({ user, mate }) {
      await trustOrigin(user)
      await pulledFrom(mate, user)
      return onward(user)
    },
  },
  {
    name: 'taken back by name',
    trusted: false,
    because: NOT_HERE,
    async run({ user, stranger }) {
      await trustedByName(user, stranger)
      await ok(user, ['trust', idOf(user), '--revoke'])
      return user
    },
  },
  {
    name: 'changed and committed after it was trusted',
    trusted: false,
    because: NOT_HERE,
    async run({ user, stranger }) {
      await trustedByName(user, stranger)
      const path = briefPath(user)
      user.commit('amend', { [path]: user.read(path).replaceAll('retry queue', 'retry queue now') })
      return user
    },
  },
  {
    name: 'trust in origin taken back',
    trusted: false,
    because: NOT_HERE,
    async run({ user, mate }) {
      await trustOrigin(user)
      await pulledFrom(mate, user)
      await ok(user, ['trust', '--origin', '--revoke'])
      return user
    },
  },
  {
    name: 'origin moved since it was trusted',
    trusted: false,
    because:
      'origin has another address than when you trusted it; `git handoff trust --origin` trusts the new one',
    run: async (team) => await moved(team),
  },
  {
    name: 'origin moved and trusted again',
    trusted: true,
    because: ON_REMOTE,
    async run(team) {
      const user = await moved(team)
      await trustOrigin(user)
      return user
    },
  },
  {
    name: 'origin moved back',
    trusted: true,
    because: ON_REMOTE,
    async run(team) {
      const user = await moved(team)
      user.git(['remote', 'set-url', 'origin', team.origin])
      return user
    },
  },
  {
    name: 'HANDOFF_TRUST=origin without a word of the user',
    trusted: true,
    because: ON_REMOTE,
    async run({ user, mate }) {
      await pulledFrom(mate, user)
      return { ...user, env: { ...user.env, HANDOFF_TRUST: 'origin' } }
    },
  },
  {
    name: 'HANDOFF_TRUST with another word',
    trusted: false,
    because: NOT_HERE,
    async run({ user, mate }) {
      await pulledFrom(mate, user)
      return { ...user, env: { ...user.env, HANDOFF_TRUST: '1' } }
    },
  },
  {
    name: 'a fork under a remote called origin/fork',
    trusted: false,
    because: NOT_HERE,
    async run({ user, stranger }) {
      await trustOrigin(user)
      await briefOn(stranger, 'evil')
      user.git(['config', 'remote.origin/fork.url', stranger.root])
      user.git(['config', 'remote.origin/fork.fetch', '+refs/heads/*:refs/remotes/origin/fork/*'])
      user.git(['fetch', '-q', 'origin/fork'])
      user.git(['switch', '-q', '--no-track', '-c', 'review', 'refs/remotes/origin/fork/evil'])
      return user
    },
  },
]

/** What git makes of a commit of a stranger's brief, by who signed it with what. */
export const SIGNATURES: { name: string; trusted: boolean; sign(keys: Keys, team: Team): void }[] = [
  { name: 'good, by an allowed signer', trusted: true, sign: ({ allow }) => allow('stranger') },
  { name: 'a key that nobody listed', trusted: false, sign: ({ allow }) => allow('other') },
  { name: 'no list at all', trusted: false, sign: () => undefined },
  {
    name: 'a list that the branch brings itself',
    trusted: false,
    sign({ allow, list }, { user }) {
      allow('stranger')
      user.write('.signers', readFileSync(list, 'utf8'))
      user.git(['config', '--global', 'gpg.ssh.allowedSignersFile', '.signers'])
    },
  },
  {
    name: 'a key that was allowed until before',
    trusted: false,
    sign: ({ allow }) => allow('stranger', 'valid-before="20200101"'),
  },
  {
    name: 'a key that is allowed from later on',
    trusted: false,
    sign: ({ allow }) => allow('stranger', 'valid-after="20990101"'),
  },
  {
    name: 'a key for another purpose',
    trusted: false,
    sign: ({ allow }) => allow('stranger', 'namespaces="file"'),
  },
  {
    name: 'a revoked key',
    trusted: false,
    sign({ allow, folder }, { user }) {
      allow('stranger')
      const revoked = join(folder, 'revoked')
      execFileSync('ssh-keygen', ['-q', '-k', '-f', revoked, join(folder, 'stranger.pub')])
      user.git(['config', '--global', 'gpg.ssh.revocationFile', revoked])
    },
  },
  {
    name: 'a signature of another commit',
    trusted: false,
    sign({ allow }, { user }) {
      allow('stranger')
      const signed = user.git(['cat-file', 'commit', 'HEAD'])
      const other = signed.replace(/\n\n(?!.*-----END)[\s\S]*$/, '\n\nanother subject\n')
      const id = user.git(['hash-object', '-t', 'commit', '-w', '--stdin'], { input: other })
      user.git(['reset', '-q', '--hard', id])
    },
  },
]

export function makeTeam(base: string): Team {
  const origin = join(base, 'origin.git')
  const clone = (name: string, from: string): TempRepo => {
    const env = makeEnv(join(base, `${name}-home`))
    const repo = atFolder(base, join(base, name), env)
    repo.git(['clone', '-q', from, join(base, name)], { cwd: base })
    return repo
  }
  const env = makeEnv(join(base, 'home'))
  const at = atFolder(base, base, env)
  at.git(['init', '-q', '--bare', '-b', 'main', origin])
  const mate = clone('mate', origin)
  mate.commit('queue', { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n', 'test/queue.test.ts': 'z\n' })
  mate.git(['push', '-q', 'origin', 'main'])
  const [user, stranger] = [clone('user', origin), clone('stranger', origin)]
  stranger.git(['config', '--global', 'user.email', 'stranger@example.com'])
  return { base, origin, user, mate, stranger }
}

/** A brief on the branch that is checked out. */
async function withBrief(repo: TempRepo): Promise<TempRepo> {
  writeClaudeSession(repo, USUAL, { branch: branchOf(repo) })
  await made(repo)
  return repo
}

async function briefOn(repo: TempRepo, branch: string): Promise<void> {
  repo.git(['switch', '-q', '-c', branch])
  await withBrief(repo)
}

async function ok(repo: TempRepo, argv: string[]): Promise<void> {
  const { code, stderr } = await cli(repo, argv)
  if (code !== 0) throw new Error(`handoff ${argv.join(' ')}: ${stderr}`)
}

const trustOrigin = (repo: TempRepo): Promise<void> => ok(repo, ['trust', '--origin'])

/** The user has checked out the branch of a stranger, with a brief. */
async function withStrangers(user: TempRepo, stranger: TempRepo): Promise<TempRepo> {
  await briefOn(stranger, 'evil')
  return takeEvil(user, stranger)
}

/** The user fetches the branch of a stranger and checks it out. */
function takeEvil(user: TempRepo, stranger: TempRepo): TempRepo {
  user.git(['fetch', '-q', stranger.root, 'evil:evil'])
  user.git(['switch', '-q', 'evil'])
  return user
}

/** The brief of a teammate comes with main. */
async function pulledFrom(mate: TempRepo, user: TempRepo): Promise<void> {
  await withBrief(mate)
  mate.git(['push', '-q', 'origin', 'main'])
  user.git(['pull', '-q'])
}

const branchOf = (repo: TempRepo): string => repo.git(['branch', '--show-current']).trim()

/** The next brief, of a session with more in it. */
async function onward(repo: TempRepo): Promise<TempRepo> {
  const before = idOf(repo)
  const steps = [...USUAL, { bash: `echo ${before}` }, { says: 'Done with that.' }]
  writeClaudeSession(repo, steps, { branch: branchOf(repo) })
  await made(repo, ['--focus', `after ${before}`])
  return repo
}

async function trustedByName(user: TempRepo, stranger: TempRepo): Promise<TempRepo> {
  await withStrangers(user, stranger)
  await ok(user, ['trust', idOf(user)])
  return user
}

async function moved({ base, origin, user, mate }: Team): Promise<TempRepo> {
  await trustOrigin(user)
  await pulledFrom(mate, user)
  user.git(['clone', '-q', '--bare', origin, join(base, 'elsewhere.git')])
  user.git(['remote', 'set-url', 'origin', join(base, 'elsewhere.git')])
  user.git(['fetch', '-q'])
  return user
}

const briefPath = (repo: TempRepo): string =>
  repo.git(['ls-files', '.handoff/briefs']).split('\n').at(-1) ?? ''
const idOf = (repo: TempRepo): string => /(\d{8}T\d{6}-[0-9a-f]{8})/.exec(briefPath(repo))?.[1] ?? ''

/** Keys of a stranger and of somebody else, and the user's list of signers. */
interface Keys {
  folder: string
  list: string
  /** Puts a key on the list. */
  allow(name: string, options?: string): void
}

/** A brief of a stranger whose commit is signed, in the user's clone. */
export async function signed(team: Team, sign: (keys: Keys, team: Team) => void): Promise<TempRepo> {
  const { base, user, stranger } = team
  const folder = join(base, 'keys')
  mkdirSync(folder)
  for (const name of ['stranger', 'other'])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', name, '-f', join(folder, name)])
  stranger.git(['config', '--global', 'gpg.format', 'ssh'])
  stranger.git(['config', '--global', 'user.signingKey', join(folder, 'stranger')])
  stranger.git(['config', '--global', 'commit.gpgSign', 'true'])
  await briefOn(stranger, 'evil')
  takeEvil(user, stranger)
  const list = join(folder, 'signers')
  const allow = (name: string, options = ''): void => {
    const key = readFileSync(join(folder, `${name}.pub`), 'utf8')
    writeFileSync(list, `stranger@example.com ${options} ${key}`)
    user.git(['config', '--global', 'gpg.ssh.allowedSignersFile', list])
  }
  sign({ folder, list, allow }, team)
  return user
}
