import { execFileSync, spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isBroken, measure } from '../../../bench/handoff/takeover/measure.mjs'
import { playPredecessor, STOPS } from '../../../bench/handoff/takeover/predecessor.mjs'
import { prepare, viewFor } from '../../../bench/handoff/takeover/prepare.mjs'
import { paired, signFlip } from '../../../bench/handoff/takeover/statistics.mjs'
import { stepsOf, targetsOf } from '../../../bench/handoff/takeover/steps.mjs'
import { makeSyntheticTask } from '../../../bench/handoff/takeover/synthetic.mjs'
import { TASKS } from '../../../bench/handoff/takeover/tasks/index.mjs'

const REPOSITORIES = new URL('../../bench/handoff/takeover/repositories.mjs', import.meta.url).href

describe('taking work over', { timeout: 120_000 }, () => {
  let root = ''
  let sources = ''
  let task: ReturnType<typeof makeSyntheticTask>
  // biome-ignore lint/suspicious/noExplicitAny: entries of key.json
  let entries: any[] = []
  const scored = (view: string) => {
    const steps = JSON.parse(readFileSync(join(root, 'key/sums/steps.json'), 'utf8'))
    return measure(
      task,
      entries.find((entry) => entry.view === view),
      steps,
      sources,
    )
  }
  const act = (view: string, ...commands: string[]) => {
    const { place } = entries.find((entry) => entry.view === view)
    return commands.map((command) =>
      spawnSync(join(place, 'do'), [command], { cwd: place, encoding: 'utf8' }),
    )
  }

  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'takeover-test-')))
    sources = join(root, 'sources')
    task = makeSyntheticTask(sources)
    const plan = { tasks: [task], views: ['repository', 'skill'], players: 2, sources }
    entries = prepare({ ...plan, folder: join(root, 'play'), key: join(root, 'key') })
  }, 120_000)
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  it('cuts the session at each stop, with the work tree of that moment', () => {
    const left = STOPS.map((stop, n) => {
      const { events, repo } = playPredecessor(task, stop, join(root, `stop-${n}`), sources)
      return [
        events.length,
        execFileSync('git', ['diff', '-U0'], { cwd: repo, encoding: 'utf8' }).split('\n').at(-2),
      ]
    })
    expect(left.map(([count]) => count)).toEqual([3, 4, 5])
    expect(left[1]?.[1]).toMatch(/null\)$/)
    expect(left[2]?.[1]).toMatch(/, 0\)$/)
  })

  it('clones what is missing into a relative folder, as the default is', () => {
    const hub = join(root, 'hub/example')
    mkdirSync(hub, { recursive: true })
    execFileSync('git', ['clone', '-q', '--bare', join(sources, 'example+sums/repo'), join(hub, 'sums')])
    const program = `const { checkOut } = await import(${JSON.stringify(REPOSITORIES)})
      checkOut(${JSON.stringify({ repository: task.repository, fix: task.fix })}, '${root}/cloned', '${root}/home', '.cache/sources')`
    const config = {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `url.file://${root}/hub/.insteadOf`,
      GIT_CONFIG_VALUE_0: 'https://github.com/',
    }
    const { stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: root,
      env: { ...process.env, ...config },
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(existsSync(join(root, 'cloned/sums.mjs'))).toBe(true)
  })

  it('gives players the same frame and nothing else of the task', () => {
    const prompts = entries.map(({ place }) => readFileSync(join(place, 'PROMPT.md'), 'utf8'))
    const frames = prompts.map((prompt) => prompt.split('## What was handed over')[0])
    expect(frames[0]).toBe(frames[1])
    expect(prompts.filter((prompt) => prompt.includes('NOTES.md'))).toHaveLength(1)
    const fix = spawnSync('git', ['cat-file', '-e', task.fix], { cwd: join(entries[0].place, 'work') })
    expect(fix.status).not.toBe(0)
  })

  it('ends before anything is played when a view is not there', () => {
    const plan = { tasks: [task], views: ['repository', 'nobody'], players: 2, sources }
    const place = join(root, 'none')
    expect(() => prepare({ ...plan, folder: place, key: place })).toThrow(/There is no view "nobody"/)
    expect(existsSync(place)).toBe(false)
  })

  it('measures a successor that solves the task and keeps the rules', () => {
    act(
      'skill',
      'cat sums.mjs',
      `sed -i 's|sum(list) / list.length|list.length ? & : 0|' sums.mjs`,
      'node test.mjs',
      'git commit -qam Mean',
    )
    const { place } = entries.find(({ view }) => view === 'skill')
    writeFileSync(join(place, 'DONE'), 'the mean\n')
    expect(scored('skill')).toMatchObject({
      solved: 1,
      suite: 1,
      calls: 4,
      toFirstEdit: 2,
      again: 1,
      broken: 0,
      dropped: 0,
      outside: 0,
      done: 'the mean',
    })
    expect(scored('skill')?.bytesAgain).toBeGreaterThan(40)
  })

  it('measures one that does not, breaks rules, leaves the folder and tries again what was dropped', () => {
    const [first] = act(
      'repository',
      'cat ../PROMPT.md | head -1',
      'echo "Math.max" >> NOTES.md',
      "sed -n '/usable/p' sums.mjs",
    )
    expect(first?.stdout).toBe('# Take over\n')
    expect(scored('repository')).toMatchObject({
      solved: 0,
      calls: 3,
      broken: 2,
      dropped: 1,
      outside: 1,
      done: null,
    })
  })

  it('knows steps that aim at the same thing', () => {
    const repo = join(root, 'stop-0/sums')
    expect(targetsOf("cd . && sed -n '1,9p' ./sums.mjs | head -3; grep -n sum test.mjs", repo)).toEqual([
      'read sums.mjs',
      'read test.mjs',
    ])
    expect(targetsOf('node test.mjs 2>&1 | tail -5', repo)).toEqual(['run node test.mjs'])
    expect(targetsOf("sed -i 's/a/b/' sums.mjs", repo)).toEqual([])
    expect(stepsOf([{ kind: 'call', tool: 'read', path: 'sums.mjs', text: 'x' }], repo).targets).toEqual([
      'read sums.mjs',
    ])
  })

  it('tells rules that are broken', () => {
    const changes = {
      files: ['src/a.js', 'README.md'],
      subjects: ['wip'],
      added: [{ path: 'src/a.js', text: 'let a' }],
    }
    expect(isBroken({ files: /^README/ }, changes, [])).toBe(true)
    expect(isBroken({ added: /^let/, in: /^test/ }, changes, [])).toBe(false)
    expect(isBroken({ added: /^let/, most: 1 }, changes, [])).toBe(false)
    expect(isBroken({ needs: /let/, in: /^test/ }, changes, [])).toBe(true)
    expect(isBroken({ commit: /^fix: / }, changes, [])).toBe(true)
    expect(isBroken({ command: /push/ }, changes, [{ command: 'git push' }])).toBe(true)
  })

  it('gives each player each task once and each view equally often, and plays each task once in each view', () => {
    for (let player = 0; player < 4; player++) {
      const seen = [...Array(8).keys()].map((n) => viewFor(player, n, 4))
      expect([0, 1, 2, 3].map((view) => seen.filter((one) => one === view).length)).toEqual([2, 2, 2, 2])
    }
    for (let n = 0; n < 8; n++)
      expect(new Set([0, 1, 2, 3].map((player) => viewFor(player, n, 4))).size).toBe(4)
  })

  it('pairs by task', () => {
    expect(signFlip([1, 1, 1, 1])).toBe(2 / 16)
    expect(signFlip([0, 0])).toBe(1)
    const rows = [5, 6, 7].flatMap((calls, n) => [
      { task: `${n}`, view: 'a', calls },
      { task: `${n}`, view: 'b', calls: calls + 2 },
    ])
    expect(paired(rows, 'calls', 'a', 'b')).toEqual({ n: 3, mean: -2, interval: [-2, -2], p: 0.25 })
  })

  it('has tasks with all that the harness needs', () => {
    for (const { id, fix, goal, session, page, skill, rules, pilot } of TASKS) {
      expect(fix, id).toMatch(/^[0-9a-f]{40}$/)
      expect(goal, id).not.toContain('\n')
      expect(
        session.flatMap((step) => ('stop' in step ? [step.stop] : [])),
        id,
      ).toEqual(STOPS)
      expect(STOPS, id).toContain(pilot)
      expect(skill, id).toContain('## Suggested skills\n')
      const said = session.map((step) => ('person' in step ? step.person : '')).join('\n')
      for (const { text } of rules) expect(said, id).toContain(text.replace(/\.$/, ''))
      for (const { text } of rules) expect(page, id).toContain(text.replace(/\.$/, ''))
    }
  })
})
