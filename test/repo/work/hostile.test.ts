import { chmodSync, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { hashFiles } from '../hash-files.ts'
import type { TempRepo } from '../make-repo.ts'
import { hook } from '../remote/team.ts'
import { BRANCH, done, makePair, type Pair, stateOf } from './pair.ts'

interface Entry {
  mode: string
  name: string
  oid: string
}

/** A tree of any entries, written without a look at them. */
function tree({ git, root }: TempRepo, entries: readonly Entry[]): string {
  const file = join(root, '.git/tree')
  const bytes = entries.flatMap(({ mode, name, oid }) => [
    Buffer.from(`${mode} ${name}\0`),
    Buffer.from(oid, 'hex'),
  ])
  writeFileSync(file, Buffer.concat(bytes))
  return git(['hash-object', '-t', 'tree', '-w', '--literally', file])
}

/** Puts work of these trees beside Ann's brief on the hub. */
function forge(
  { ann, id }: Pair,
  work: string,
  { index = work, note = {} }: { index?: string; note?: object } = {},
) {
  const whole = { branch: BRANCH, files: 1, staged: 0, intent: [], left: [], ...note }
  const head = ann.git(['rev-parse', 'HEAD'])
  const staging = ann.git(['commit-tree', index, '-p', head, '-m', 'index'])
  const message = `x\n\nHandoff-Work: ${JSON.stringify(whole)}\n`
  const commit = ann.git(['commit-tree', work, '-p', head, '-p', staging, '-F', '-'], { input: message })
  ann.git(['push', '-q', '--force', 'origin', `${commit}:refs/handoff/work/${id}`])
}

/** The entries of HEAD with others. */
function withEntries(repo: TempRepo, others: readonly Entry[]): string {
  const names = new Set(others.map(({ name }) => name))
  const listing = repo.git(['ls-tree', 'HEAD']).split('\n')
  const own = listing.flatMap((line): Entry[] => {
    const [, mode = '', oid = '', name = ''] = /^(\d+) \w+ (\w+)\t(.*)$/.exec(line) ?? []
    return names.has(name) ? [] : [{ mode: mode.replace(/^0/, ''), name, oid }]
  })
  const all = [...own, ...others]
  return tree(
    repo,
    all.sort((a, b) => (a.name < b.name ? -1 : 1)),
  )
}

const blob = (repo: TempRepo, text: string): string =>
  repo.git(['hash-object', '-w', '--stdin'], { input: text })

/** Names and entries that lead out of the work tree or into the git directory. */
const CASES: readonly (readonly [string, (repo: TempRepo) => Entry[]])[] = [
  ...['.git', '.GIT', 'git~1', '.git ', '.g\u200cit', '..', '.', '.git::$INDEX_ALLOCATION'].map(
    (name) =>
      [
        `a folder called ${JSON.stringify(name)}`,
        (repo: TempRepo) => [
          {
            mode: '40000',
            name,
            oid: tree(repo, [{ mode: '100755', name: 'evil', oid: blob(repo, 'evil\n') }]),
          },
        ],
      ] as const,
  ),
  ['a name with a slash', (repo) => [{ mode: '100644', name: '../evil', oid: blob(repo, 'evil\n') }]],
  ['an absolute name', (repo) => [{ mode: '100644', name: '/tmp/evil', oid: blob(repo, 'evil\n') }]],
  [
    'a link and a folder of one name',
    (repo) => [
      { mode: '120000', name: 'way', oid: blob(repo, '../outside') },
      {
        mode: '40000',
        name: 'way',
        oid: tree(repo, [{ mode: '100644', name: 'evil', oid: blob(repo, 'evil\n') }]),
      },
    ],
  ],
  [
    'a link to the git directory and a file below',
    (repo) => [
      { mode: '120000', name: 'hooks', oid: blob(repo, '.git/hooks') },
      {
        mode: '40000',
        name: 'hooks',
        oid: tree(repo, [{ mode: '100755', name: 'evil', oid: blob(repo, 'evil\n') }]),
      },
    ],
  ],
  [
    '.gitmodules as a link',
    (repo) => [{ mode: '120000', name: '.gitmodules', oid: blob(repo, '../outside/evil') }],
  ],
  ['an odd mode', (repo) => [{ mode: '104755', name: 'suid', oid: blob(repo, 'evil\n') }]],
]

describe('work that somebody forged', () => {
  it.each(sampled(CASES, 1))(
    'writes nothing outside the work tree and nothing in .git: %s',
    async (_, entries) => {
      const pair = await makePair()
      const { ann, bob, base } = { ...pair, base: pair.ann.base }
      mkdirSync(join(base, 'outside'))
      symlinkSync('../outside', join(bob.root, 'own-link'))
      forge(pair, withEntries(ann, entries(ann)))
      const git = () => ({
        ...hashFiles(join(bob.root, '.git'), ['objects', 'handoff', 'logs', 'refs', 'index']),
      })
      const before = git()
      const { stdout, stderr } = await cli(bob, ['open', BRANCH])
      expect(readdirSync(join(base, 'outside'))).toEqual([])
      expect([existsSync('/tmp/evil'), existsSync(join(base, 'evil'))]).toEqual([false, false])
      const after = git()
      delete after['packed-refs']
      delete before['packed-refs']
      expect(after).toEqual(before)
      for (const [path, content] of Object.entries(stateOf(bob).files))
        if (path === 'suid' || path === 'way' || path === 'hooks') expect(content).toMatch(/^(?:-|x|->)/)
      expect(stdout + stderr).not.toContain('Error:')
    },
  )

  it('runs none of the programs that it brings: hooks, filters, drivers, submodules', async () => {
    const pair = await makePair()
    const { ann, bob } = pair
    const ran = join(ann.base, 'ran')
    const evil = blob(ann, `#!/bin/sh\necho ran >> "${ran}"\n`)
    const config = blob(ann, `[submodule "x"]\n\tpath = x\n\turl = ext::sh -c touch% ${ran}\n`)
    const attributes = blob(ann, '* filter=evil diff=evil merge=evil\n')
    const hooks = tree(ann, [
      { mode: '100755', name: 'post-checkout', oid: evil },
      { mode: '100755', name: 'post-index-change', oid: evil },
      { mode: '100755', name: 'reference-transaction', oid: evil },
    ])
    forge(
      pair,
      withEntries(ann, [
        { mode: '40000', name: 'hooks', oid: hooks },
        { mode: '40000', name: 'bin', oid: tree(ann, [{ mode: '100755', name: 'git', oid: evil }]) },
        { mode: '100644', name: '.gitattributes', oid: attributes },
        { mode: '100644', name: '.gitmodules', oid: config },
        { mode: '160000', name: 'x', oid: ann.git(['rev-parse', 'HEAD']) },
      ]),
    )
    bob.git(['config', 'core.hooksPath', 'hooks'])
    bob.git(['config', 'submodule.recurse', 'true'])
    const env = { PATH: `${join(bob.root, 'bin')}:${bob.env.PATH}` }
    const opened = await cli(bob, ['open', BRANCH], { env })
    expect([opened.code, opened.stderr]).toEqual([0, ''])
    expect(existsSync(join(bob.root, 'hooks/post-checkout'))).toBe(true)
    expect(existsSync(ran)).toBe(false)
  })

  byNight.each([
    [
      'paths to be added that lead out',
      { intent: ['../../etc/passwd', '/etc/passwd', ':(top)*', '.git/config', '--all'] },
    ],
    ['no list', { intent: 'a.txt' }],
    ['no numbers', { files: '1', staged: {} }],
    ['a name with signs of a terminal', { left: [{ path: '\u001b]0;x\u0007\u202e', why: '\u001b[2J' }] }],
    ['another branch', { branch: 'main' }],
  ])('takes nothing on trust of its note: %s', async (_, note) => {
    const pair = await makePair()
    const { ann, bob } = pair
    forge(pair, withEntries(ann, [{ mode: '100644', name: 'new.txt', oid: blob(ann, 'new\n') }]), { note })
    const { stdout, stderr } = await cli(bob, ['open', BRANCH])
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they must not reach the terminal
    expect(stdout + stderr).not.toMatch(/[\u001b\u0007\u202e]/)
    expect(bob.git(['ls-files', '-s', '-z', '--', 'a.txt'])).toBe(
      ann.git(['ls-files', '-s', '-z', '--', 'a.txt']),
    )
    if (/^\{"(?:branch|files|intent":"a)/.test(JSON.stringify(note)))
      expect(existsSync(join(bob.root, 'new.txt'))).toBe(false)
  })

  byNight('passes over a ref that is no work, and one beside no brief of the branch', async () => {
    const pair = await makePair()
    const { ann, bob, id } = pair
    ann.git(['push', '-q', 'origin', `main:refs/handoff/work/${id}`])
    ann.git(['push', '-q', 'origin', 'main:refs/handoff/work/20990101T000000-00000000'])
    ann.git(['push', '-q', 'origin', 'main:refs/handoff/work/odd name'.replace(' ', '-')])
    const blobs = blob(ann, 'x')
    ann.git(['push', '-q', 'origin', `${blobs}:refs/handoff/work/20990101T000000-00000001`])
    expect((await done(bob, ['open', BRANCH])).work).toBeNull()
    expect(bob.git(['status', '--porcelain'])).toBe('')
  })

  byNight('never replaces the program that runs', async () => {
    const pair = await makePair()
    const { ann, bob } = pair
    hook(join(bob.root, 'own'), 'true')
    chmodSync(join(bob.root, 'own'), 0o755)
    forge(pair, withEntries(ann, [{ mode: '100755', name: 'own', oid: blob(ann, 'theirs\n') }]))
    const before = stateOf(bob)
    const { json } = await cli(bob, ['open', BRANCH, '--json'])
    expect(json.errors[0].code).toBe('E_IN_THE_WAY')
    expect(stateOf(bob)).toEqual(before)
  })
})
