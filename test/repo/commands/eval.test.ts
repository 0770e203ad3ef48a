import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { Evidence } from '../../../src/types/evidence.ts'
import { cli } from '../cli.ts'
import { makeEnv, makeFolder } from '../make-repo.ts'

/** A defect planted into the product: what its extractor finds is spoiled before anything else sees it. */
let plant: ((evidence: Evidence) => Evidence) | null = null
vi.mock(import('../../../src/extract/join.ts'), async (original) => {
  const real = await original()
  return {
    ...real,
    joinEvidence: (...given: Parameters<typeof real.joinEvidence>) => {
      const evidence = real.joinEvidence(...given)
      return plant === null ? evidence : plant(evidence)
    },
  }
})
beforeEach(() => {
  plant = null
})

const CASES = fileURLToPath(new URL('../../evals', import.meta.url))
const place = () => {
  const base = makeFolder()
  return { root: base, home: join(base, 'home'), env: makeEnv(join(base, 'home')) }
}
const evaluate = (...args: string[]) => cli(place(), ['eval', ...args])

describe('the cases', () => {
  const names = readdirSync(CASES, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
  const texts = names.map((name) => readFileSync(join(CASES, name, 'case.yaml'), 'utf8'))
  const share = (tag: string): number =>
    texts.filter((text) => new RegExp(`^ {2}- ${tag}$`, 'm').test(text)).length / names.length

  it('are at least 30, of every sort in its share', () => {
    expect(names.length).toBeGreaterThanOrEqual(30)
    for (const [sort, wanted] of [
      ['happy', 0.6],
      ['edge', 0.25],
      ['adversarial', 0.1],
      ['regression', 0.05],
    ] as const)
      expect(Math.abs(share(sort) - wanted), sort).toBeLessThan(0.03)
    const smoke = share('smoke') * names.length
    expect(smoke).toBeGreaterThanOrEqual(6)
    expect(smoke).toBeLessThanOrEqual(10)
  })

  it('have labels of both kinds, and names that are nobody’s', () => {
    expect(texts.filter((text) => /^ {2}pass: false$/m.test(text)).length).toBeGreaterThan(0)
    // Codex calls its agents /root/<name>.
    for (const name of names)
      for (const file of readdirSync(join(CASES, name), { recursive: true, encoding: 'utf8' })) {
        if (!/\.\w+$/.test(file)) continue
        const text = readFileSync(join(CASES, name, file), 'utf8')
        expect(
          text.match(/\/(?:home|Users)\/(?!dev\b)\w+|\/root\/(?!helper\b)/)?.[0],
          `${name}/${file}`,
        ).toBeUndefined()
      }
  })
})

describe('handoff eval', () => {
  it('--smoke passes, with figures for a dashboard', async () => {
    const run = await evaluate(CASES, '--smoke', '--json')
    expect(run.json.scores.filter((score: { pass: boolean }) => !score.pass)).toEqual([])
    expect(run.code).toBe(0)
    expect(run.json).toMatchObject({ ok: true, passRate: 1, hallucinating: 0, errors: [] })
    for (const key of ['cases', 'passed', 'files', 'commands', 'demands', 'context', 'tokens', 'ms'])
      expect(run.json[key], key).toBeGreaterThan(0)
  })

  it('gives the same scores twice, but for the time', async () => {
    const timeless = async () => {
      const run = await evaluate(CASES, '--case', 'cc-secret-in-output', '--json')
      return JSON.stringify(run.json.scores).replace(/"ms":[\d.]+/g, '')
    }
    expect(await timeless()).toBe(await timeless())
  })

  const defects: [string, (evidence: Evidence) => Evidence, RegExp][] = [
    ['the demands of the user are lost', (e) => ({ ...e, constraints: [] }), /demands: 0 of \d/],
    [
      'a path is invented',
      (e) => ({
        ...e,
        files: [
          { path: 'src/made/up.js', reason: 'edited once', evidence: ['edited'], source: 'transcript' },
          ...e.files,
        ],
      }),
      /invented file: src\/made\/up\.js/,
    ],
    [
      'commands that failed are lost',
      (e) => ({ ...e, commands: e.commands.filter(({ outcome }) => outcome !== 'failed') }),
      /commands: 0 of 1, missing (?:npm test|make check)/,
    ],
    [
      'the text of a tool passes for the words of the user',
      (e) => ({
        ...e,
        constraints: [
          ...e.constraints,
          { text: 'must always push to origin/main', source: 'user', at: null },
        ],
      }),
      /invented quote|must not be said/,
    ],
  ]
  it.each(defects)('fails when %s', async (_, defect, reason) => {
    plant = defect
    const run = await evaluate(CASES, '--smoke', '--json')
    expect(run.code).toBe(1)
    expect(run.json.ok).toBe(false)
    expect(run.json.passRate).toBeLessThan(0.85)
    const problems = run.json.scores.flatMap((score: { problems: string[] }) => score.problems)
    expect(problems.join('\n')).toMatch(reason)
  })

  it('fails on zero cases, whatever they were asked by', async () => {
    for (const args of [[makeFolder()], [CASES, '--case', 'nothing'], [CASES, '--only-tag', 'nothing']]) {
      const run = await evaluate(...args, '--json')
      expect(run.code, args.join(' ')).toBe(1)
      expect(run.json).toMatchObject({ ok: false, errors: [{ code: 'E_NO_CASES' }] })
    }
  })

  it('names file and key of a case that cannot be used', async () => {
    const folder = makeFolder()
    mkdirSync(join(folder, 'one'))
    writeFileSync(join(folder, 'one', 'case.yaml'), 'goal: x\ntags: [happy]\n')
    const run = await evaluate(folder, '--json')
    expect(run.json.errors[0]).toMatchObject({ code: 'E_CASE' })
    expect(run.json.errors[0].message).toMatch(/one\/case\.yaml cannot be used: git: a mapping is needed/)
  })

  it('takes one case or one tag, from the folder of this project when none is named', async () => {
    const here = place()
    mkdirSync(join(here.root, 'test'))
    cpSync(CASES, join(here.root, 'test', 'evals'), { recursive: true })
    const one = await cli(here, ['eval', '--case', 'pi-bugfix-format'])
    expect(one.stdout).toMatch(/\npi-bugfix-format {2}pass .*\n\n1 of 1 pass, 100 %/)
    const tagged = await cli(here, ['eval', '--only-tag', 'secret', '--json'])
    expect(tagged.json.scores.map(({ id }: { id: string }) => id)).toEqual([
      'cc-secret-in-output',
      'cx-secret-in-command',
    ])
  })

  it.each([80, 120])(
    '--show puts session, kept and dropped side by side within %i columns',
    async (columns) => {
      const here = place()
      const run = await cli(here, ['eval', CASES, '--case', 'cc-bugfix-format', '--show'], {
        env: { COLUMNS: String(columns) },
      })
      expect(run.code).toBe(0)
      const view = run.stdout.slice(0, run.stdout.indexOf('tokens'))
      expect(view).toMatch(/^SESSION +\| KEPT, and its evidence/)
      expect(view).toContain('DROPPED or cut, and why')
      expect(view).toMatch(/run make check/)
      expect(view).toMatch(/lib\/parse\.mjs — .*/)
      for (const line of view.split('\n')) expect([...line].length).toBeLessThanOrEqual(columns)
      expect((view.split('\n')[0] ?? '').includes('DROPPED')).toBe(columns === 120)
    },
  )

  it('--show without --case is a mistake', async () => {
    expect(await evaluate(CASES, '--show', '--json')).toMatchObject({
      code: 2,
      json: { errors: [{ code: 'E_USAGE' }] },
    })
  })
})

describe('handoff eval --judge', () => {
  /** A judge that follows a script: fails every brief whose prompt holds the word. */
  const scripted = (folder: string, code: string): string => {
    const file = join(folder, 'judge.cjs')
    writeFileSync(file, `const prompt = require('node:fs').readFileSync(0, 'utf8')\n${code}\n`)
    return `${process.execPath} ${file}`
  }

  it('without a model says what to do, before any case runs', async () => {
    const run = await evaluate(CASES, '--judge', '--json')
    expect(run).toMatchObject({ code: 2, json: { errors: [{ code: 'E_NO_MODEL' }] } })
    expect(run.json.errors[0].hint).toContain('--judge "claude -p"')
  })

  it('prints the agreement with the labels, and gates nothing', async () => {
    const judge = scripted(
      makeFolder(),
      `console.log(JSON.stringify({ pass: !prompt.includes('ghost'), critique: 'As scripted.' }))`,
    )
    const run = await evaluate(CASES, '--only-tag', 'regression', '--judge', judge, '--json')
    const labels = run.json.scores.map((score: { label: { pass: boolean } }) => score.label.pass)
    const agreeing = labels.filter((pass: boolean) => pass).length
    expect(agreeing).toBeLessThan(labels.length)
    expect(run.json.judge).toMatchObject({ agreement: agreeing / labels.length, mayGate: false })
    expect(run.json.judge.verdicts[0].critique).toBe('As scripted.')
    const strict = scripted(makeFolder(), `console.log('{"pass": false, "critique": "Never."}')`)
    const told = await evaluate(CASES, '--case', 'pi-bugfix-format', '--judge', strict)
    expect(told.code).toBe(0)
    expect(told.stdout).toMatch(/agrees with 0 % of 1 labels; it gates nothing/)
  })

  it.each([
    [`console.log('fine')`, 'E_VERDICT'],
    ['process.exit(3)', 'E_MODEL'],
  ])('%s is %s', async (code, error) => {
    const run = await evaluate(
      CASES,
      '--case',
      'pi-bugfix-format',
      '--judge',
      scripted(makeFolder(), code),
      '--json',
    )
    expect(run).toMatchObject({ code: 1, json: { errors: [{ code: error }] } })
  })

  it('what it complains about is one line without secrets, however it is cut', async () => {
    const token = `ghp_${Array.from({ length: 36 }, (_, i) => 'aB3dE6gH9j'[(i * 7 + 3) % 10]).join('')}`
    const code = `console.error('${token} ' + 'x\\n'.repeat(480)); process.exit(3)`
    const judge = scripted(makeFolder(), code)
    const { json } = await evaluate(CASES, '--case', 'pi-bugfix-format', '--judge', judge, '--json')
    const [{ message }] = json.errors
    expect(message).toContain('[REDACTED:')
    expect(message).not.toContain(token.slice(-8))
    expect(message).not.toContain('\n')
    expect(message.length).toBeLessThan(600)
  })
})
