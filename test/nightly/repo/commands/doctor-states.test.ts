import { chmodSync, mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../../repo/cli.ts'
import { doctor, healthy, inGit, installPackage, mend, putOld } from '../../../repo/doctor-world.ts'
import type { TempRepo } from '../../../repo/make-repo.ts'
import { AGENT, later } from '../../../repo/usual.ts'
import { sampled } from '../../../sampled.ts'

/** How a healthy repository is broken; the check that finds it and the level. Its command mends it. */
const states: [string, string, 'warning' | 'error', (repo: TempRepo) => unknown][] = [
  ['.handoff ignored at the top', 'ignored', 'error', (r) => r.write('.gitignore', '*.log\n.handoff\n')],
  [
    '.handoff ignored in this clone',
    'ignored',
    'error',
    (r) => writeFileSync(inGit(r, 'info/exclude'), '/.handoff/\n'),
  ],
  ['briefs ignored by their ending', 'ignored', 'error', (r) => r.write('.gitignore', '*.md\n')],
  [
    '.handoff ignored inside of itself',
    'ignored',
    'error',
    (r) => r.write('.handoff/.gitignore', '# x\n*\n'),
  ],
  [
    '.handoff of another tool',
    'folder',
    'error',
    (r) => {
      rmSync(join(r.root, '.handoff'), { recursive: true })
      r.write('.handoff/plan.json', '{}')
    },
  ],
  [
    '.handoff is a link',
    'folder',
    'error',
    (r) => {
      rmSync(join(r.root, '.handoff'), { recursive: true })
      symlinkSync(r.home, join(r.root, '.handoff'))
    },
  ],
  [
    'briefs is a link',
    'folder',
    'error',
    (r) => {
      rmSync(join(r.root, '.handoff/briefs'), { recursive: true })
      symlinkSync(r.home, join(r.root, '.handoff/briefs'))
    },
  ],
  ['a lock of the index', 'locks', 'error', (r) => putOld(inGit(r, 'index.lock'))],
  ['a lock of the branch', 'locks', 'error', (r) => putOld(inGit(r, 'refs/heads/main.lock'))],
  ['a lock of the configuration', 'locks', 'error', (r) => putOld(inGit(r, 'config.lock'))],
  ['no filter', 'filter', 'error', (r) => r.git(['config', '--unset-all', 'filter.handoff.clean'])],
  ['a wrong filter', 'filter', 'error', (r) => r.git(['config', 'filter.handoff.clean', 'cat'])],
  ['attributes gone', 'attributes', 'warning', (r) => unlinkSync(join(r.root, '.handoff/.gitattributes'))],
  [
    'attributes of this clone that win',
    'attributes',
    'warning',
    (r) => {
      mkdirSync(inGit(r, 'info'), { recursive: true })
      writeFileSync(inGit(r, 'info/attributes'), '*.md filter=lfs\n')
    },
  ],
  ['latest.md gone', 'latest', 'warning', (r) => unlinkSync(join(r.root, '.handoff/latest.md'))],
  ['latest.md of somebody', 'latest', 'warning', (r) => r.write('.handoff/latest.md', '# Mine\n')],
  [
    'latest.md in conflict',
    'latest',
    'warning',
    (r) =>
      r.write(
        '.handoff/latest.md',
        `<<<<<<< HEAD\n${r.git(['show', 'HEAD:.handoff/latest.md'])}\n=======\nother\n>>>>>>> x\n`,
      ),
  ],
  [
    'latest.md written into below',
    'latest',
    'warning',
    (r) => r.write('.handoff/latest.md', `${r.read('.handoff/latest.md')}\nmine\n`),
  ],
  [
    'latest.md of another branch',
    'latest',
    'warning',
    (r) => r.git(['-c', 'core.hooksPath=/dev/null', 'switch', '-q', '-c', 'other']),
  ],
  [
    'latest.md without the brief',
    'latest',
    'warning',
    (r) => r.write('.handoff/latest.md', `${r.git(['show', 'HEAD:.handoff/latest.md'])}\n`),
  ],
  [
    'a brief without a commit',
    'uncommitted',
    'warning',
    (r) =>
      cli(r, ['create', 'write down why the limit of the queue is 30 s', '--no-commit', '--no-notes'], {
        ...AGENT,
        now: later(1),
      }),
  ],
  [
    'a draft of a killed handoff',
    'uncommitted',
    'warning',
    (r) => {
      mkdirSync(inGit(r, 'handoff/drafts'), { recursive: true })
      writeFileSync(inGit(r, 'handoff/drafts/20261122T010203-00000000-x.md'), 'x')
    },
  ],
  [
    'a moved origin',
    'origin-trust',
    'warning',
    async (r) => {
      r.git(['remote', 'add', 'origin', join(r.base, 'one.git')])
      await mend(r, 'handoff trust --origin')
      r.git(['remote', 'set-url', 'origin', join(r.base, 'two.git')])
    },
  ],
  [
    'an origin that is gone',
    'origin-trust',
    'warning',
    async (r) => {
      r.git(['remote', 'add', 'origin', join(r.base, 'one.git')])
      await mend(r, 'handoff trust --origin')
      r.git(['remote', 'remove', 'origin'])
    },
  ],
  [
    "nobody's commits",
    'identity',
    'warning',
    (r) => r.git(['config', '--global', '--remove-section', 'user']),
  ],
  ['no runner', 'runner', 'warning', (r) => unlinkSync(inGit(r, 'handoff/hook'))],
  [
    'a runner whose program is gone',
    'runner',
    'warning',
    (r) =>
      writeFileSync(
        inGit(r, 'handoff/hook'),
        readFileSync(inGit(r, 'handoff/hook'), 'utf8').replace(
          /^program=.*$/m,
          "program='/gone/it'\\''s/handoff.cjs'",
        ),
      ),
  ],
  [
    'a runner of another version',
    'runner',
    'warning',
    (r) => {
      const folder = join(r.base, 'older')
      installPackage(r, folder, 'git-handoff', '0.0.1')
      const program = join(folder, 'node_modules/git-handoff/bin/x')
      const text = readFileSync(inGit(r, 'handoff/hook'), 'utf8')
      writeFileSync(inGit(r, 'handoff/hook'), text.replace(/^program=.*$/m, `program='${program}'`))
    },
  ],
  ['a hook of git gone', 'git-hooks', 'warning', (r) => unlinkSync(inGit(r, 'hooks/pre-commit'))],
  [
    'a hook of git that may not be run',
    'git-hooks',
    'warning',
    (r) => chmodSync(inGit(r, 'hooks/post-merge'), 0o644),
  ],
  [
    'an agent without its hooks',
    'agent-hooks',
    'warning',
    (r) => unlinkSync(join(r.root, '.claude/settings.json')),
  ],
  [
    'an agent with half of its hooks',
    'agent-hooks',
    'warning',
    (r) => {
      const path = '.claude/settings.json'
      const settings = JSON.parse(r.read(path)) as { hooks: Record<string, unknown> }
      delete settings.hooks.Stop
      r.write(path, `${JSON.stringify(settings, null, 2)}\n`)
    },
  ],
]

describe('every broken state is found, and its command mends it', () => {
  it.each(sampled(states, 2))('%s', async (_, id, level, breakIt) => {
    const repo = await healthy()
    await breakIt(repo)
    const found = await doctor(repo)
    expect(found.of(id).map((one) => one.level)).toEqual([level])
    expect(found.code).toBe(found.problems.some((one) => one.level === 'error') ? 1 : 0)
    await mend(repo, found.of(id)[0]?.fix)
    expect((await doctor(repo)).of(id)).toEqual([])
  })
})
