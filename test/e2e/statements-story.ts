import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './build.ts'

/** What a program printed; `json` is what `--json` gave. */
export interface Said {
  code: number | null
  out: string
  err: string
  // biome-ignore lint/suspicious/noExplicitAny: the checks look into objects whose shape the documents state
  json: any
}

interface With {
  env?: Record<string, string>
  stdin?: string
}

/** Somebody with a home, a git identity and a clone. */
export class Person {
  constructor(
    readonly home: string,
    readonly repo: string,
    private readonly path: string,
  ) {}

  static at(folder: string, name: string, path: string): Person {
    const home = join(folder, `home-${name}`)
    mkdirSync(home, { recursive: true })
    const config = `[user]\n\tname = ${name}\n\temail = ${name}@example.com\n[init]\n\tdefaultBranch = main\n`
    writeFileSync(join(home, '.gitconfig'), config)
    return new Person(home, join(folder, name), path)
  }

  run(program: string, args: readonly string[], { env = {}, stdin = '' }: With = {}, cwd = this.repo) {
    const child = spawn(program, args, {
      cwd,
      env: { PATH: this.path, HOME: this.home, LANG: 'C.UTF-8', GIT_CONFIG_NOSYSTEM: '1', ...env },
    })
    const said: Said = { code: null, out: '', err: '', json: undefined }
    const gather = (name: 'out' | 'err') => (text: string) => {
      said[name] += text
    }
    child.stdout.setEncoding('utf8').on('data', gather('out'))
    child.stderr.setEncoding('utf8').on('data', gather('err'))
    child.stdin.on('error', () => {}).end(stdin)
    return new Promise<Said>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => {
        const json = args.includes('--json') && said.out.startsWith('{') ? JSON.parse(said.out) : undefined
        resolve({ ...said, code, json })
      })
    })
  }

  handoff(args: string, more: With = {}): Promise<Said> {
    const words = [...args.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
    return this.run(process.execPath, [join(root, 'bin', 'handoff.cjs'), ...words], more)
  }

  /** What git printed; it must succeed. */
  async git(args: string, more: With = {}): Promise<string> {
    const words = [...args.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, word]) => quoted ?? word ?? '')
    const said = await this.run('git', words, more)
    if (said.code !== 0) throw new Error(`git ${args}: ${said.err}`)
    return said.out.trimEnd()
  }

  write(path: string, text: string, mode = 0o644): void {
    mkdirSync(dirname(join(this.repo, path)), { recursive: true })
    writeFileSync(join(this.repo, path), text, { mode })
  }

  read(path: string): string {
    return readFileSync(join(this.repo, path), 'utf8')
  }

  list(path: string): string[] {
    return readdirSync(join(this.repo, path)).sort()
  }

  /** Every file of the repository that a person edits, with its bytes. */
  bytes(): Map<string, string> {
    const own = /^\.git\/(?!config$|hooks\/)/
    return new Map(
      readdirSync(this.repo, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(this.repo.length + 1))
        .filter((path) => !own.test(path))
        .sort()
        .map((path) => [
          path,
          createHash('sha1')
            .update(readFileSync(join(this.repo, path)))
            .digest('hex'),
        ]),
    )
  }

  /** What is his and must stay: index, work tree, stash. */
  async own(): Promise<string[]> {
    return [await this.git('diff --cached'), await this.git('diff'), await this.git('stash list')]
  }
}

/** A value that looks like a key; made here, so that no file holds one. */
export const SECRET = `gh${'p'}_${'aB3dE6gH9jK2mN5pQ8sT1vW4yZ7cF0hJ6kL9'}`
export const GOAL = 'make sub() in calc.js pass its test, then write docs/usage.md'
/** A goal that tries to be markup. */
export const MARKUP =
  'check <script>alert(1)</script> in calc.js, ask @acme/leads, close #12 ![x](http://x.example/y)'

const TALK = `## User

Please fix add in calc.js. Do not touch calc.test.js, the QA team owns it. The token is ${SECRET}

## Assistant

add is fixed. May sub be called subtract?
`

const CALC = 'export const add = (a, b) => a + b\nexport const sub = (a, b) => a + b\n'

/** A day of a team, as the documents tell it; every output that a statement needs. */
export async function play(folder: string, notes: string, path: string) {
  const [ada, bob] = [Person.at(folder, 'ada', path), Person.at(folder, 'bob', path)]
  const origin = join(folder, 'origin.git')
  mkdirSync(origin)
  await ada.run('git', ['init', '-q', '--bare', '-b', 'main', origin], {}, folder)
  await ada.run('git', ['clone', '-q', origin, ada.repo], {}, folder)

  // Set up.
  ada.write('calc.js', CALC)
  ada.write('.handoff/config.yaml', 'gitHooks:\n  trailers: true\n')
  ada.write('.claude/settings.json', '{"permissions":   {"allow": ["Bash(ls)"]}}')
  ada.write('.git/hooks/pre-commit', '#!/bin/sh\necho own >>"$(git rev-parse --git-dir)/own"\n', 0o755)
  await ada.git('add .')
  await ada.git('commit -qm "Add the calculator"')
  const before = ada.bytes()
  const init = await ada.handoff('init --agent claude-code,codex --ci github --yes --json')
  const untracked = (await ada.git('status --porcelain -uall')).split('\n').map((line) => line.slice(3))
  await ada.git('add .')
  await ada.git('commit -qm "Set up"')
  await ada.git('push -q -u origin main')
  const quiet = await ada.run('git', ['switch', '-c', 'feature/fix-calc'])

  // Hand over.
  ada.write('stashed.txt', 'x\n')
  await ada.git('stash -u -q')
  ada.write('staged.txt', 'staged\n')
  await ada.git('add staged.txt')
  ada.write('calc.js', CALC.replace('a + b\n', 'a - b\n'))
  const noted = await ada.handoff('note - --json', { stdin: notes })
  const badNote = await ada.handoff('note - --json', { stdin: '{"unknownKey": "x"}' })
  const rule = await ada.handoff('rule "Never edit the generated client." --json')
  const ownBefore = await ada.own()
  const first = await ada.handoff(`create "${GOAL}" --session - --json`, { stdin: TALK })
  const ownAfter = await ada.own()
  const id: string = first.json?.id
  const readBack = {
    handoff: await ada.handoff('--json'),
    show: await ada.handoff('show --json'),
    log: await ada.handoff('log --json'),
    verify: await ada.handoff('verify --json'),
    check: await ada.handoff('check --json'),
    review: await ada.handoff('review --json'),
    receipt: await ada.handoff('receipt --json'),
    ask: await ada.handoff('ask "subtract" --json'),
    why: await ada.handoff('why calc.js --json'),
    status: await ada.handoff('status --json'),
    trust: await ada.handoff('trust --json'),
  }
  const committed = (await ada.git('show --name-only --format= HEAD')).split('\n')
  const message = await ada.git('log -1 --format=%B')
  const filter = await ada.git('config filter.handoff.clean')
  const generated = await ada.git('check-attr linguist-generated .handoff/briefs/x.md')
  const pointer = [
    await ada.git('rev-parse HEAD:.handoff/latest.md'),
    ada.read('.handoff/latest.md'),
  ] as const
  const brief = ada.read(first.json?.path)
  const pushed = await ada.handoff('push --work --json')
  const refs = await ada.git('ls-remote origin')

  // A colleague, first without set-up.
  await bob.run('git', ['clone', '-q', origin, bob.repo], {}, folder)
  const settings = JSON.parse(bob.read('.claude/settings.json'))
  const hooks: string[] = settings.hooks.SessionStart.map(
    (one: { hooks: [{ command: string }] }) => one.hooks[0].command,
  )
  const stranger: Said[] = []
  for (const command of [...hooks, hooks[1] ?? ''])
    stranger.push(await bob.run('sh', ['-c', command], { stdin: '{"source":"startup"}' }))
  const opened = await bob.handoff('open feature/fix-calc --json')
  const taken = await bob.own()
  const refsAfter = await bob.git('ls-remote origin')
  const agent = { env: { CLAUDECODE: '1' } }
  const untrusted = {
    person: await bob.handoff('show'),
    show: await bob.handoff('show', agent),
    log: await bob.handoff('log', agent),
    latest: bob.read('.handoff/latest.md'),
    env: await bob.handoff('trust --json', { env: { HANDOFF_TRUST: 'origin' } }),
  }
  await bob.handoff('trust --origin')
  const ofOrigin = await bob.handoff('trust --json')
  await bob.git(`remote set-url origin ${join(folder, 'elsewhere.git')}`)
  const moved = await bob.handoff('trust --json')
  const byHand = await bob.handoff(`trust ${id} --json`)

  // Goes on, and ends.
  const second = await ada.handoff('create "write docs/usage.md with two examples" --from git --json')
  const again = await ada.handoff('create "write docs/usage.md with two examples" --from git --json')
  const chain = await ada.handoff('log --json')
  const diff = await ada.handoff('diff --json')
  const done = await ada.handoff('done "shipped in 2.4" --prune --json')
  const left = ada.list('.handoff/briefs')
  const pruned = { show: await ada.handoff(`show ${id}`), log: await ada.handoff('log --json') }
  const closedReview = await ada.handoff('review')

  // Lands.
  await ada.git('stash -q')
  await ada.git('switch -q main')
  await ada.git('switch -q -c feature/markup')
  const markup = await ada.handoff(`create "${MARKUP}" --from git --json`)
  const markupReview = await ada.handoff('review main..HEAD')
  ada.write('new.js', 'export {}\n')
  await ada.git('add new.js')
  await ada.git('commit -qm "Add new.js"')
  const trailer = await ada.git('log -1 --format=%B')
  const worktreeHooks = await ada
    .git(`worktree add -q ${join(folder, 'tree')} main`)
    .then(() => ada.run('git', ['rev-parse', '--git-path', 'hooks'], {}, join(folder, 'tree')))
  await ada.git(`worktree remove ${join(folder, 'tree')}`)
  const switched = await ada.run('git', ['switch', 'main'])
  const back = await ada.run('git', ['switch', 'feature/markup'])
  await ada.git('switch -q main')
  await ada.git('merge -q --squash feature/markup')
  await ada.git('commit -qm "Markup (#1)"')
  const landed = { log: await ada.handoff('log --json'), moment: await ada.handoff('') }
  const html = await ada.handoff('log --all --html -')

  // Protected, merging, separate.
  const guard = '#!/bin/sh\nwhile read a b ref; do [ $ref != refs/heads/main ] || exit 1; done\n'
  writeFileSync(join(origin, 'hooks', 'pre-receive'), guard, { mode: 0o755 })
  await ada.git('switch -q -c feature/merging')
  await ada.git('merge -q --no-commit --no-ff feature/fix-calc')
  const parked = await ada.handoff('create "finish the merge of both branches in calc.js" --from git --json')
  await ada.git('merge --abort')
  await ada.git('switch -q -c feature/notes main')
  const head = await ada.git('rev-parse HEAD')
  const separate = await ada.handoff(
    'create "write the notes of release 2.4 in NEWS.md" --from git --branch separate --json',
  )
  const headAfter = await ada.git('rev-parse HEAD')
  await ada.handoff('push')
  const single = Person.at(folder, 'single', path)
  await single.run('git', ['clone', '-q', '--depth', '1', `file://${origin}`, single.repo], {}, folder)
  const branches = 'branch -r --list origin/handoff/*'
  const beforeFetch = await single.git(branches)
  await single.git('config --add remote.origin.fetch +refs/heads/handoff/*:refs/remotes/origin/handoff/*')
  await single.git('fetch -q')
  const fetched = [beforeFetch, await single.git(branches)]
  const separateRefs = await ada.git('ls-remote origin')

  // Hooks.
  const broken = '.handoff/briefs/20261122T100000-000abc00-broken.md'
  ada.write(broken, 'no brief\n')
  await ada.git(`add ${broken}`)
  const stopped = await ada.run('git', ['commit', '-qm', 'broken'])
  const off = await ada.run('git', ['commit', '-qm', 'broken'], { env: { HANDOFF: '0' } })
  await ada.git('reset -q --hard HEAD~1')
  const ownHook = ada.read('.git/own')

  // Removed.
  await ada.git('checkout -q .')
  await ada.git('switch -q main')
  const removed = await ada.handoff('init --remove --json')
  const after = ada.bytes()
  return {
    ada,
    bob,
    single,
    fetched,
    separateRefs,
    filter,
    generated,
    id,
    init,
    untracked,
    quiet,
    noted,
    badNote,
    rule,
    ownBefore,
    ownAfter,
    first,
    readBack,
    committed,
    message,
    pointer,
    brief,
    pushed,
    refs,
    stranger,
    opened,
    taken,
    refsAfter,
    untrusted,
    ofOrigin,
    moved,
    byHand,
    second,
    again,
    chain,
    diff,
    done,
    left,
    pruned,
    closedReview,
    markup,
    markupReview,
    worktreeHooks,
    switched,
    back,
    landed,
    html,
    parked,
    head,
    separate,
    headAfter,
    stopped,
    off,
    ownHook,
    trailer,
    removed,
    before,
    after,
  }
}

/** What needs a small repository alone: goals, configuration, CI, what `init` would write. */
export async function tryAlone(folder: string, path: string) {
  const eve = Person.at(folder, 'eve', path)
  await eve.run('git', ['init', '-q', eve.repo], {}, folder)
  eve.write('calc.js', CALC)
  await eve.git('add .')
  await eve.git('commit -qm "Add the calculator"')
  const short = await eve.handoff('create "continue" --json')
  const long = await eve.handoff(`create "${'write docs and tests '.repeat(250)}" --json`)
  const secret = await eve.handoff(`create "use ${SECRET} in calc.js for the client" --from git --json`)
  const redacted = await eve.handoff(
    `create "use ${SECRET} in calc.js for the client" --from git --redact --print`,
  )
  const alone = await eve.handoff('create "write docs/usage.md with an example"')
  const usage = await eve.handoff('craete --json')
  const sessions = await eve.handoff('sessions --verbose --json')
  eve.write(
    '.handoff/config.yaml',
    'limits.files: 7\nmaxCommands: 3\nbudget:\n  soft: 1500\nnope: 1\ninject: full\nmission: Keep the API\n',
  )
  const doctor = await eve.handoff('doctor --json', { env: { HANDOFF_LIMITS_INFORMATION: '2' } })
  const mission = await eve.handoff('"write docs/usage.md with an example" --from git --print')
  eve.write('.handoff/config.yaml', 'limits:\n  files: many\n')
  const wrong = await eve.handoff('status --json')
  eve.write('.handoff/config.yaml', '')
  const all = await eve.handoff('init --agent all --git-hooks none --ci gitlab --dry-run --json')
  return { short, long, secret, redacted, alone, usage, sessions, doctor, mission, wrong, all }
}
