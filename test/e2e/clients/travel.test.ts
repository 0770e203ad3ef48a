import { createHash } from 'node:crypto'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { Report } from '../client/run.ts'
import { git, handoff, type Lab, makeLab, textOf } from '../lab.ts'
import type { Scenario } from '../model/scenario.ts'
import { allowKey, CHECK, clientTest, DEMAND, GOAL, handoffBeside, pickUp, textsOf, turn } from './work.ts'

const BRANCH = 'feature/fix-calc'
const NEXT = 'describe add and sub of calc.js in README.md with one example each, and commit the fix'
const NOTES = 'sub: the sign is wrong, I was about to'

/** The same repository at another person's: a home and a clone of their own, and a bare repository between them. */
async function makePair(): Promise<[ann: Lab, bob: Lab]> {
  const ann = await makeLab()
  const bob = { ...ann, home: join(ann.folder, 'home-b'), repo: join(ann.folder, 'repo-b') }
  const hub = join(ann.folder, 'hub.git')
  await git(ann, 'clone', '-q', '--bare', ann.repo, hub)
  await git(ann, 'remote', 'add', 'origin', hub)
  await git(ann, 'fetch', '-q')
  await git(ann, 'clone', '-q', '-b', 'main', hub, bob.repo)
  await mkdir(bob.home)
  await writeFile(join(bob.home, '.profile'), await readFile(join(ann.home, '.profile')))
  await git(bob, 'config', 'user.email', 'kim@example.invalid')
  await git(bob, 'config', 'user.name', 'Kim')
  await allowKey(bob)
  for (const lab of [ann, bob]) expect((await handoff(lab, 'trust', '--origin')).code).toBe(0)
  return [ann, bob]
}

async function done(lab: Lab, ...args: string[]) {
  const { code, stdout, stderr } = await handoff(lab, ...args, '--json')
  expect(code, `${args.join(' ')}: ${stderr}${stdout}`).toBe(0)
  return JSON.parse(stdout)
}

/** The index, and the hashes of what git does not ignore. */
async function stateOf(lab: Lab) {
  const paths = (await git(lab, 'ls-files', '-z', '--cached', '--others', '--exclude-standard')).split('\0')
  const files = paths.filter((path) => path !== '' && path !== '.handoff/latest.md').sort()
  const hash = async (path: string) =>
    createHash('sha256')
      .update(await readFile(join(lab.repo, path)))
      .digest('hex')
  return {
    index: (await git(lab, 'ls-files', '-s')).split('\n').filter((line) => !line.endsWith('latest.md')),
    files: Object.fromEntries(await Promise.all(files.map(async (path) => [path, await hash(path)]))),
  }
}

/** It edits, stages, runs a test that fails, begins a file, and is killed while its turn is under way. */
const stopped: Scenario = {
  turns: [
    {
      on: 'fix add',
      steps: [
        [{ say: 'I look at the code first.' }, { read: 'calc.js' }],
        [
          {
            edit: 'calc.js',
            old: 'export const add = (a, b) => a - b',
            new: 'export const add = (a, b) => a + b',
          },
        ],
        [{ run: 'git add calc.js' }],
        [{ say: 'add is fixed; sub comes next.' }, { run: CHECK }],
        [
          {
            edit: 'calc.js',
            old: 'export const sub = (a, b) => a + b',
            new: 'export const sub = (a, b) => a + -',
          },
        ],
        [{ run: `printf '${NOTES}' > notes.txt; sleep 2; kill -9 $PPID; sleep 30` }],
      ],
    },
  ],
}

const goesOn: Scenario = {
  turns: [
    {
      on: 'A handoff brief is open',
      steps: [
        [{ say: 'I read the brief first.' }, { read: '.handoff/latest.md' }],
        [{ run: 'git status --short; git diff; cat notes.txt' }],
        [{ run: `${CHECK}; true` }],
        [
          {
            edit: 'calc.js',
            old: 'export const sub = (a, b) => a + -',
            new: 'export const sub = (a, b) => a - b',
          },
        ],
        [{ run: CHECK }],
        [{ run: 'rm notes.txt' }],
        [{ say: 'sub is fixed; every test passes.' }],
      ],
    },
  ],
}

/** Texts that the model got in requests that offer tools, by request. */
const requestsOf = ({ requests }: Report): string[] =>
  requests
    .filter(({ tools }) => Array.isArray(tools) && tools.length > 0)
    .map((body) => textsOf(body).join('\n'))

describe('the work travels', () => {
  clientTest(
    'from Claude Code, stopped in the middle of an edit, to Codex on another machine, and back',
    ['claude-code', 'codex'],
    async () => {
      const [ann, bob] = await makePair()
      const ask = `Please fix add in calc.js so that its test passes. ${DEMAND}`
      await expect(turn(ann, 'claude-code', ask, stopped)).rejects.toThrow(/ended with (?:null|137)/)
      expect(await git(ann, 'status', '--porcelain')).toBe('MM calc.js\n?? notes.txt\n')
      const first = await done(ann, 'create', GOAL, '--from', 'claude-code')
      expect(first.markdown).toContain(DEMAND)
      expect(first.markdown).toContain('A turn was under way')
      const sent = await done(ann, 'push', '--work', '--conversation')
      expect(sent.work).toMatchObject({ files: 2, staged: 1, left: [] })

      const report = await handoffBeside(
        ...([bob, 'codex', goesOn, 'open', BRANCH, '--to', 'codex', '--headless', '--json'] as const),
      )
      const opened = JSON.parse(report.stdout)
      expect(opened).toMatchObject({
        ok: true,
        id: first.id,
        agent: 'codex',
        exit: 0,
        work: { files: 2, staged: 1 },
      })
      const seen = requestsOf(report)
      expect(seen[0]).toContain('A handoff brief is open')
      expect(seen[0]).not.toContain(DEMAND)
      const all = seen.at(-1) ?? ''
      for (const fact of ['# Handoff Context', GOAL, DEMAND, CHECK]) expect(all).toContain(fact)
      // The edits, staged and not, the file that was begun, and the test that fails by that.
      for (const work of ['MM calc.js', '?? notes.txt', '+export const sub = (a, b) => a + -', NOTES])
        expect(all).toContain(work)
      expect(all).toMatch(/SyntaxError/)
      expect(await textOf(bob, 'calc.js')).toContain('sub = (a, b) => a - b')
      const answer = await done(bob, 'ask', 'which sign is wrong in sub?')
      expect(answer.searched[0].session).toMatchObject({ agent: 'claude-code' })

      const second = await done(bob, 'create', NEXT, '--from', 'codex')
      expect(second.parents).toEqual([first.id])
      await done(bob, 'push', '--work')
      const back = await done(ann, 'open', BRANCH)
      expect(back).toMatchObject({ brief: { id: second.id, trusted: true }, work: { by: 'Kim', left: [] } })
      expect(await stateOf(ann)).toEqual(await stateOf(bob))
      expect(await git(ann, 'status', '--porcelain')).toBe('MM calc.js\n')
      const next = requestsOf(await pickUp(ann, 'claude-code'))
      const read = next.find((text) => text.includes('# Handoff Context')) ?? ''
      for (const fact of [NEXT, DEMAND, 'every test passes']) expect(read).toContain(fact)

      // Two briefs, and of the work no commit.
      const files = await git(ann, 'log', '--format=', '--name-only', 'main..HEAD')
      expect(files.split('\n').filter((path) => path !== '' && !path.startsWith('.handoff/'))).toEqual([])
      expect((await git(ann, 'rev-list', '--count', 'main..HEAD')).trim()).toBe('2')
    },
  )

  clientTest(
    'to Codex in a worktree of its own, while Claude Code keeps everything as it left it',
    ['claude-code', 'codex'],
    async () => {
      const [ann] = await makePair()
      await allowKey(ann)
      const ask = `Please fix add in calc.js so that its test passes. ${DEMAND}`
      await expect(turn(ann, 'claude-code', ask, stopped)).rejects.toThrow(/ended with (?:null|137)/)
      const before = await stateOf(ann)
      const argv = [
        'create',
        GOAL,
        '--from',
        'claude-code',
        '--to',
        'codex',
        '--headless',
        '--work',
        '--worktree',
      ]
      const report = await handoffBeside(ann, 'codex', goesOn, ...argv, '--json')
      const { worktree, successor } = JSON.parse(report.stdout)
      expect(successor).toMatchObject({ agent: 'codex', cwd: worktree.folder, exit: 0 })
      const all = requestsOf(report).at(-1) ?? ''
      for (const fact of ['# Handoff Context', GOAL, DEMAND, 'MM calc.js', NOTES]) expect(all).toContain(fact)
      const there = { ...ann, repo: worktree.folder }
      expect(await textOf(there, 'calc.js')).toContain('sub = (a, b) => a - b')
      const after = await stateOf(ann)
      expect(after.files).toMatchObject(before.files)
      expect(after.index.filter((line) => !line.includes('.handoff/'))).toEqual(before.index)
      expect(await git(ann, 'status', '--porcelain')).toBe('MM calc.js\n?? notes.txt\n')
    },
  )
})
