import { describe, expect, it } from 'vitest'
import { checks, diagnose, word } from '../../../src/doctor/checks.ts'
import type { Facts } from '../../../src/doctor/read-facts.ts'
import { renderDoctor, WIDTH } from '../../../src/doctor/render.ts'
import { well, wellAgent, wellRepo } from './facts.ts'

const screen = (facts: Facts, isVerbose = false, width = WIDTH): string =>
  renderDoctor({
    findings: diagnose(facts),
    version: facts.version,
    root: facts.repo && '/repo',
    isElsewhere: false,
    agents: facts.agents,
    config: [
      { key: 'limits.files', value: 5, from: '.handoff/config.yaml' },
      { key: 'edit', value: false, from: 'default' },
    ],
    isVerbose,
    width,
  })

const tooWide = (text: string, width: number): string[] =>
  text
    .split('\n')
    .filter((line) => line.length > width && !/^\s*(?:\$ |`[^`]*`\S*$)/.test(line) && /\S\s+\S.* /.test(line))

describe('the screen', () => {
  const ill = well({
    agents: [wellAgent(), wellAgent({ id: 'pi', label: 'Pi', program: null, hasRun: false, sessions: 0 })],
    repo: wellRepo({
      ignored: { source: '.gitignore', line: '3', pattern: '.handoff' },
      locks: [{ path: '.git/index.lock', ageSeconds: 150 }],
    }),
    off: 'shell',
  })

  it('is quiet about what is well', () => {
    expect(screen(well())).toBe(`handoff 1.2.3: ${checks.length} checks passed

Agents
  Claude Code    2 sessions here  set up

Configuration that is not the default (--verbose lists all)
  limits.files = 5  (.handoff/config.yaml)`)
  })

  it('tells the worst first, with the command, and names agents that are not here', () => {
    expect(screen(ill)).toBe(`handoff 1.2.3: 2 errors, 1 warning, ${checks.length - 3} checks passed

error    the rule \`.handoff\` (.gitignore:3) keeps .handoff/ out of every commit
         [ignored]
         $ printf '%s\\n' '!/.handoff/' '!/.handoff/**' >> .gitignore

error    git writes nothing while .git/index.lock is there, untouched for 2 min
         [locks]
         Only if no git is running:
         $ rm .git/index.lock

warning  HANDOFF=0 in this shell switches every hook off [switched-off]
         $ unset HANDOFF

Agents
  Claude Code    2 sessions here  set up
  Not found: Pi.

Configuration that is not the default (--verbose lists all)
  limits.files = 5  (.handoff/config.yaml)`)
  })

  it('lists all when asked', () => {
    const text = screen(ill, true)
    for (const { id } of checks) expect(text).toContain(`[${id}]`)
    expect(text).toContain('edit = false  (default)')
  })

  it.each([WIDTH, 40])('fits into %i columns but for commands', (width) => {
    for (const facts of [well(), ill, well({ repo: null })]) {
      const [findings = ''] = screen(facts, true, width).split('\nAgents\n')
      expect(tooWide(width === WIDTH ? screen(facts, true) : findings, width)).toEqual([])
    }
  })

  it('says that what needs a repository was not checked', () => {
    expect(screen(well({ repo: null }))).toContain('Not a Git repository: what needs one was not checked.')
  })
})

describe('a word of shell', () => {
  it.each([
    ['.git/index.lock', '.git/index.lock'],
    ['~/.config/handoff/config.yaml', '~/.config/handoff/config.yaml'],
    ['~/my files/x', "~/'my files/x'"],
    ["it's", "'it'\\''s'"],
    ['-rf', "'-rf'"],
    ['$(id)', "'$(id)'"],
  ])('%s', (text, expected) => {
    expect(word(text)).toBe(expected)
  })
})
