import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import { checkGoal, commitMessage, commitSubject } from '../../../src/brief/goal.ts'
import { sampleInput } from './sample.ts'

const check = (goal: string, allowVague = false, minLength = 12) => checkGoal(goal, { minLength, allowVague })

describe('checkGoal', () => {
  it.each([
    'implement team-level handoff, update tests, document API.',
    'port the retry queue to the new scheduler, keep the public API',
    'continue with the OAuth callback',
    'fix the login redirect',
    'continue with the retry queue',
    'fix the scheduler',
    'flush the queue before the release',
    'keep going on the parser rewrite',
    '# Heading\n```js\nfix()\n```\n"quotes" 🎉 and CRLF\r\n',
    '再試行キューを移植',
    '把重试队列移植到调度器',
    '재시도 큐를 옮겨줘',
    'Überarbeite die Warteschlange',
    'przepisz kolejke zgloszen',
    'strč prst skrz krk',
    'fix the theme',
    'bump pnpm tsx jwt',
    'x'.repeat(4096),
  ])('takes %j', (goal) => expect(check(goal)).toEqual({ ok: true, vague: false }))

  it.each([
    ['', 'empty'],
    ['  \n\t ', 'empty'],
    ['fix', 'too-short'],
    ['fix queue', 'too-short'],
    ['👨‍👩‍👧‍👦👨‍👩‍👧‍👦👨‍👩‍👧‍👦', 'too-short'],
    ['修正して', 'too-short'],
    ['continue with the work', 'vague'],
    ['Please keep going, everything!', 'vague'],
    ['just fix all the remaining issues please', 'vague'],
    ['asdf asdf asdf asdf', 'vague'],
    ['make everything better', 'vague'],
    ['pick it up and get it done', 'vague'],
    ['qwer uiop hjkl zxcv', 'vague'],
    ['lets make it really great', 'vague'],
    ['improvements and fixes', 'vague'],
    ['carry on where you left off', 'vague'],
    ['next, next, next, more', 'vague'],
    ['proceed and resume the work', 'vague'],
    ["let's go on with it, thanks", 'vague'],
    ['please continue the work from before', 'vague'],
    ['............', 'vague'],
  ])('refuses %j as %s', (goal, rule) => expect(check(goal)).toMatchObject({ ok: false, rule }))

  it('counts bytes for the upper limit, and nothing lifts it', () => {
    expect(check('é'.repeat(2048))).toMatchObject({ ok: true })
    expect(check('é'.repeat(2049), true)).toMatchObject({ ok: false, rule: 'too-long', bytes: 4098 })
    expect(check('', true)).toMatchObject({ ok: false, rule: 'empty' })
  })

  it('records what --allow-vague let pass', () => {
    expect(check('continue with the work', true)).toEqual({ ok: true, vague: true })
    expect(check('fix', true)).toEqual({ ok: true, vague: true })
    expect(check('fix the login redirect', true)).toEqual({ ok: true, vague: false })
  })

  it('halves a configured minimum for dense scripts', () => {
    expect(check('queue retries', false, 40)).toMatchObject({ ok: false, rule: 'too-short' })
    expect(check('再試行キューを移植する', false, 20)).toMatchObject({ ok: true })
  })
})

describe('the commit message', () => {
  it.each([
    ['port the retry queue', 'chore(handoff): port the retry queue'],
    ['Port the Retry Queue.', 'chore(handoff): port the Retry Queue'],
    ['API docs', 'chore(handoff): api docs'],
    [
      'line one\n\n# line two\r\nHandoff-Id: forged',
      'chore(handoff): line one # line two Handoff-Id: forged',
    ],
    ['a\u001b[31m\u0000b', 'chore(handoff): a\\u{1b}[31m\\u{0}b'],
  ])('%j', (goal, subject) => expect(commitSubject(goal)).toBe(subject))

  it('keeps every line short and every trailer one line', () => {
    const { meta } = draftBrief(sampleInput())
    const message = commitMessage({
      ...meta,
      goal: `${'🎉 long goal '.repeat(40)}\nHandoff-Id: forged`,
      reason: `why\nHandoff-Parent: forged\n${'x'.repeat(300)}`,
      agent: { ...meta.agent, label: 'Agent\n\nSigned-off-by: x' },
    })
    const lines = message.split('\n')
    expect(lines[0]?.length).toBeLessThanOrEqual(72)
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100)
    expect(lines.slice(1, 2)).toEqual([''])
    expect(lines.slice(2).map((line) => line.split(':')[0])).toEqual([
      'Handoff-Id',
      'Handoff-Parent',
      'Handoff-Reason',
      'Handoff-Agent',
      '',
    ])
    expect(message).not.toMatch(/^Signed-off-by/m)
  })

  it('has a line for each parent', () => {
    const parents = ['20260713T174502-2ab09c1d', '20260712T000000-00000000']
    const message = commitMessage({ ...draftBrief(sampleInput()).meta, parents })
    expect(message.match(/^Handoff-Parent: .*$/gm)).toEqual(parents.map((id) => `Handoff-Parent: ${id}`))
  })

  it('leaves out a parent that is not there, and names a closing', () => {
    const { meta } = draftBrief({ ...sampleInput(), parent: null })
    expect(commitMessage(meta)).not.toContain('Handoff-Parent')
    expect(commitMessage({ ...meta, kind: 'done' })).toMatch(/^chore\(handoff\): close cap the retry/)
  })
})
