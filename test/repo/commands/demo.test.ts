import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { CODE, openDemo } from '../../../src/demo/demo-place.ts'
import { STORY } from '../../../src/demo/story.ts'
import { byNight, describeByNight, sampled } from '../../sampled.ts'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import { type CliOptions, cli, NOW } from '../cli.ts'
import { hashFiles } from '../hash-files.ts'
import { makeFolder, makeRepo, type TempRepo } from '../make-repo.ts'

let temporary: string

beforeEach(() => {
  temporary = makeFolder()
})

/** `handoff demo`, whose folder is made there and nowhere else. */
async function demo(repo: Parameters<typeof cli>[0], argv: string[] = [], options: CliOptions = {}) {
  vi.stubEnv('TMPDIR', temporary)
  try {
    return await cli(repo, ['demo', ...argv], options)
  } finally {
    vi.unstubAllEnvs()
  }
}

/** A person whose every setting would break a commit, and whose agent calls. */
function hostile(): { repo: TempRepo; env: Record<string, string> } {
  const repo = makeRepo()
  const hooks = join(repo.base, 'hooks')
  mkdirSync(hooks)
  for (const name of ['pre-commit', 'prepare-commit-msg', 'commit-msg', 'post-commit', 'post-checkout'])
    writeFileSync(join(hooks, name), `#!/bin/sh\necho ran >>'${repo.base}/ran'\nexit 1\n`, { mode: 0o755 })
  writeFileSync(
    join(repo.home, '.gitconfig'),
    `[core]\n\thooksPath = ${hooks}\n[commit]\n\tgpgSign = true\n[gpg]\n\tprogram = false\n[user]\n\tuseConfigOnly = true\n[init]\n\ttemplateDir = ${repo.base}\n[safe]\n\tbareRepository = explicit\n`,
  )
  const { GIT_CONFIG_NOSYSTEM: _, ...env } = repo.env
  return {
    repo: { ...repo, env },
    env: {
      CLAUDECODE: '1',
      CLAUDE_CODE_SESSION_ID: '11111111-2222-4333-8444-555555555555',
      GIT_DIR: join(repo.root, '.git'),
      GIT_INDEX_FILE: join(repo.root, '.git/index'),
      GIT_TEMPLATE_DIR: hooks,
      HANDOFF_NOTES_MAX_AGE: '1s',
      XDG_CONFIG_HOME: join(repo.base, 'config'),
    },
  }
}

/** Commits carry the time at which they were made; the tokens of their hashes count. */
const withoutHashes = (text: string): string =>
  text.replace(/\b[0-9a-f]{7,12}\b/g, '<hash>').replace(/\d+ tokens/, 'tokens')

describe('handoff demo', () => {
  byNight('tells the whole story with what the commands print, and leaves nothing behind', async () => {
    const repo = makeRepo()
    writeClaudeSession(repo, USUAL)
    const before = hashFiles(repo.base)
    const { code, stdout, stderr } = await demo(repo)
    expect([code, stderr]).toEqual([0, ''])
    const typed = [...stdout.matchAll(/^\$ (git handoff \w+|git \w+)/gm)].map(([, words]) => words)
    expect(typed).toEqual([
      'git diff',
      ...['note', 'create', 'show'].map((verb) => `git handoff ${verb}`),
      'git commit',
      ...['done', 'review'].map((verb) => `git handoff ${verb}`),
    ])
    const inOrder = [
      ' calc.js | 2 +-\n',
      'Noted.',
      'Session: Claude Code 5f0c7f6e-1d5b-4f0e-9a44-0c1f2b7d9e10, last event 4 min ago, ',
      'Handed over: 20261122T100000-',
      ' lines left out]\n\n## Status\n',
      '- Last check: `node --test` failed (exit 1): not ok 2 - sub\n',
      '- Abandoned: one table of operators: other teams import the functions by name\n',
      '> add is fixed. The test of sub still fails: sub adds instead of subtracting.\n',
      '- "Do not touch calc.test.js, the QA team owns it."\n',
      '- "Keep both functions exported by name, other teams import them."\n',
      '- 1 modified: `calc.js`\n',
      '```text\nmake sub() in calc.js pass its test, keep the exported names\n```\n',
      '] Let add add and sub subtract\n',
      'Closed: add and sub pass their tests (commit ',
      'Claude Code on `fix/calc`, closed: add and sub pass their tests; 1 handoff since `main`\\\nRules: 2 stood at the end\n',
      '- **Tried and dropped**: one table of operators: other teams import the functions by name\n',
    ]
    let at = 0
    for (const text of inOrder) {
      const found = stdout.indexOf(text, at)
      expect(found, `${text} in\n${stdout.slice(at)}`).toBeGreaterThan(-1)
      at = found + text.length
    }
    expect(stdout).toMatch(/\n {2}git handoff create "<[^>\n]+>"\n$/)
    expect(stdout).not.toContain(temporary)
    expect(stdout).not.toContain('warning:')
    expect(hashFiles(repo.base)).toEqual(before)
    expect(readdirSync(temporary)).toEqual([])
  })

  byNight('is the same where no setting, no hook and no agent of the person fits', async () => {
    const { repo, env } = hostile()
    const before = hashFiles(repo.base)
    const { code, stdout, stderr } = await demo(repo, [], { env })
    expect([code, stderr]).toEqual([0, ''])
    const usual = await demo(makeRepo())
    expect(withoutHashes(stdout)).toBe(withoutHashes(usual.stdout))
    expect(hashFiles(repo.base)).toEqual(before)
  })

  it.each(sampled([0, 1, 2, 3, 4, 5, 6], 1))('cancelled at step %i leaves nothing behind', async (step) => {
    const repo = makeRepo()
    const controller = new AbortController()
    let told = ''
    const { code, stderr } = await demo(repo, [], {
      signal: controller.signal,
      onStdout: (text) => {
        told += text
        if (told.includes(`\n${step + 1}. `)) controller.abort()
      },
    })
    // What takes no time is over before anybody looks.
    expect(code === 130 || step === STORY.length - 1, stderr).toBe(true)
    expect(readdirSync(temporary)).toEqual([])
  })

  it('without git says so, and leaves nothing behind', async () => {
    const repo = makeRepo()
    const { code, json } = await demo(repo, ['--json'], { env: { PATH: join(repo.base, 'none') } })
    expect([code, json.errors[0].code]).toEqual([2, 'E_GIT_MISSING'])
    expect(readdirSync(temporary)).toEqual([])
  })

  it('where no temporary folder can be made says why', async () => {
    const closed = join(temporary, 'closed')
    writeFileSync(closed, '')
    temporary = closed
    const { code, stderr } = await demo(makeRepo())
    expect([code, stderr]).toEqual([1, expect.stringContaining('ENOTDIR')])
  })
})

describeByNight('what the session of the demo tells', () => {
  byNight('is so: one of the two tests fails before the last commit, none after it', async () => {
    const repo = makeRepo()
    const { root, home, env } = repo
    const { place, writeCode, close } = await openDemo({ root, home, env, now: () => NOW, newId: () => '' })
    const test = () =>
      spawnSync(process.execPath, ['--test', '--test-reporter', 'tap'], {
        cwd: place.root,
        env: { PATH: process.env.PATH },
        encoding: 'utf8',
      })
    const half = test()
    expect([half.status, half.stdout]).toEqual([
      1,
      expect.stringMatching(/^\s*ok 1 - add$[\s\S]*not ok 2 - sub$/m),
    ])
    writeCode(CODE.fixed)
    expect(test().status).toBe(0)
    close()
    expect(existsSync(place.root)).toBe(false)
  })
})
