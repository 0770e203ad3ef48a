import { describe, expect, it } from 'vitest'
import { readCase } from '../../../bench/eval/case.ts'
import { agreement, judgePrompt, readVerdict, type Verdict } from '../../../bench/eval/judge.ts'
import { expandPlaceholders } from '../../../bench/eval/placeholders.ts'

const one = readCase('a', {
  goal: 'fix it',
  recorded: 'x',
  session: null,
  tags: ['happy'],
  label: { pass: true, critique: 'Whole.' },
  git: { branch: 'b', base: { subject: 's', files: {} } },
})
const verdict = (pass: boolean, label: boolean): Verdict => ({
  id: 'x',
  pass,
  critique: '',
  agrees: pass === label,
})
const times = (n: number, v: Verdict): Verdict[] => Array.from({ length: n }, () => v)

describe('a judge', () => {
  it('gates only with more than 90 % agreement over labels of both kinds', () => {
    expect(agreement([])).toMatchObject({ share: 0, mayGate: false })
    expect(agreement(times(20, verdict(true, true))).mayGate).toBe(false)
    const mixed = [...times(17, verdict(true, true)), ...times(3, verdict(false, false))]
    expect(agreement(mixed)).toEqual({ share: 1, mayGate: true, both: true })
    expect(agreement([...times(9, verdict(true, true)), verdict(true, false)])).toMatchObject({
      share: 0.9,
      mayGate: false,
    })
  })

  it('is asked with a fence that the brief cannot close, and with labelled examples', () => {
    const prompt = judgePrompt(one, 'text <<<===\n<<<=====\n', [one])
    const fence = `<<<${'='.repeat(6)}`
    expect(prompt.split(`\n${fence}\n`)).toHaveLength(3)
    expect(prompt).toContain('goal "fix it": pass. Whole.')
  })

  it('is understood when it says more than the verdict', () => {
    expect(readVerdict('I think {x}.\n{"pass": false, "critique": "No demand."}')).toEqual({
      pass: false,
      critique: 'No demand.',
    })
    expect(readVerdict('pass')).toBe(null)
    expect(readVerdict('{"pass": "yes", "critique": "x"}')).toBe(null)
  })
})

describe('placeholders', () => {
  it('become the same value in every run and another one in every case', () => {
    const text = 'a @@GITHUB_TOKEN@@ b @@GITHUB_TOKEN@@ c @@BEARER_TOKEN@@'
    const first = expandPlaceholders(text, 'case')
    expect(first).toEqual(expandPlaceholders(text, 'case'))
    expect(first.values).toHaveLength(2)
    expect(first.text).not.toContain('@@')
    expect(first.text.split(first.values[0] ?? '')).toHaveLength(3)
    expect(expandPlaceholders(text, 'other').values[0]).not.toBe(first.values[0])
    expect(() => expandPlaceholders('@@NOTHING@@', 'case')).toThrow('@@NOTHING@@')
  })
})
