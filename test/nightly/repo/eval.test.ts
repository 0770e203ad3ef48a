import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { evaluate } from '../../../bench/eval/evaluate.ts'
import { run } from '../../../src/cli.ts'
import type { Evidence } from '../../../src/types/evidence.ts'
import { makeFolder } from '../../repo/make-repo.ts'

/** A defect planted into the product: what its extractor finds is spoiled before anything else sees it. */
let plant: ((evidence: Evidence) => Evidence) | null = null
vi.mock(import('../../../src/facts/digest.ts'), async (original) => {
  const real = await original()
  return {
    ...real,
    createDigest: (...given: Parameters<typeof real.createDigest>) => {
      const digest = real.createDigest(...given)
      return {
        ...digest,
        finish(input: Parameters<typeof digest.finish>[0]) {
          const evidence = digest.finish(input)
          return plant === null ? evidence : plant(evidence)
        },
      }
    },
  }
})
beforeEach(() => {
  plant = null
})

const CASES = fileURLToPath(new URL('../../evals', import.meta.url))
const evaluated = (options: Partial<Parameters<typeof evaluate>[1]>) =>
  evaluate(run, { folder: CASES, ...options })

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

  it('name nobody', () => {
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

describe('npm run eval', () => {
  it('passes on the smoke cases, with figures for a dashboard', async () => {
    const { json } = await evaluated({ tag: 'smoke' })
    expect(json.scores.filter(({ pass }) => !pass)).toEqual([])
    expect(json).toMatchObject({ ok: true, passRate: 1, hallucinating: 0 })
    for (const key of ['cases', 'passed', 'files', 'commands', 'demands', 'context', 'tokens', 'ms'] as const)
      expect(json[key], key).toBeGreaterThan(0)
  })

  it('gives the same scores twice, but for the time', async () => {
    const timeless = async () => {
      const { json } = await evaluated({ id: 'cc-secret-in-output' })
      return JSON.stringify(json.scores).replace(/"ms":[\d.]+/g, '')
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
    const { json } = await evaluated({ tag: 'smoke' })
    expect(json.ok).toBe(false)
    expect(json.passRate).toBeLessThan(0.85)
    expect(json.scores.flatMap(({ problems }) => problems).join('\n')).toMatch(reason)
  })

  it('fails on zero cases, whatever they were asked by', async () => {
    for (const options of [{ folder: makeFolder() }, { id: 'nothing' }, { tag: 'nothing' }])
      await expect(evaluated(options)).rejects.toThrow('No evaluation case was found')
  })

  it('names file and key of a case that cannot be used', async () => {
    const folder = makeFolder()
    mkdirSync(join(folder, 'one'))
    writeFileSync(join(folder, 'one', 'case.yaml'), 'goal: x\ntags: [happy]\n')
    await expect(evaluated({ folder })).rejects.toThrow(
      /one\/case\.yaml cannot be used: git: a mapping is needed/,
    )
  })

  it('takes one case or one tag', async () => {
    const one = await evaluated({ id: 'pi-bugfix-format' })
    expect(one.text).toMatch(/\npi-bugfix-format {2}pass .*\n\n1 of 1 pass, 100 %/)
    const tagged = await evaluated({ tag: 'secret' })
    expect(tagged.json.scores.map(({ id }) => id)).toEqual(['cc-secret-in-output', 'cx-secret-in-command'])
  })

  it('shows the brief of a case, and what was cut', async () => {
    const { text } = await evaluated({ id: 'cc-bugfix-format', show: true })
    expect(text).toMatch(/\n- `lib\/parse\.mjs` — .*\n[\s\S]*\n- `make check` — .*\n[\s\S]*\nCut to fit:\n/)
  })

  it('shows one case only', async () => {
    await expect(evaluated({ show: true })).rejects.toThrow('--show needs --case <id>.')
  })
})
