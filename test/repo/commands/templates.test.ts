import { beforeAll, describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { type TempRepo, writeOwn } from '../make-repo.ts'
import { create, headOf, made, sectionOf, succeeded, usual } from '../usual.ts'

const PREAMBLE = 'templates/preamble.txt'
const POINTER = 'templates/pointer-prompt.txt'
const BUILT_IN =
  'You are continuing work from a previous thread. Use the context below and focus only on the goal at the bottom.'

describe('templates of the person', () => {
  let repo: TempRepo
  beforeAll(async () => {
    repo = usual()
    await made(repo)
  })

  it('preamble.txt stands in place of the built-in one; the date line and every section stay', async () => {
    expect((await made(repo, ['--print'])).markdown).toContain(BUILT_IN)
    writeOwn(repo, PREAMBLE, 'Read the house rules in docs/rules.md first.\n')
    const { markdown } = await made(repo, ['--print'])
    expect(sectionOf(markdown, 'Handoff Context')).toMatch(
      /^Goal: .*\n\nRead the house rules in docs\/rules\.md first\.\n\nThe facts below were true at `/,
    )
    expect(markdown).not.toContain(BUILT_IN)
    expect(sectionOf(markdown, 'Working Memory')).not.toBe('')
  })

  it.each(
    sampled(
      [
        ['an unknown slot', 'one\ntwo {{branch}}\n', `${PREAMBLE}:2`, '{{branch}}'],
        ['a slot that is not closed', 'one {{\n', `${PREAMBLE}:1`, 'not closed'],
        ['an empty preamble', '\n', `${PREAMBLE}:1`, 'empty'],
      ],
      1,
    ),
  )('%s is an error that names file and line, and nothing is written', async (_, text, place, what) => {
    writeOwn(repo, PREAMBLE, text)
    const head = headOf(repo)
    const failed = await create(repo, ['--focus', 'x and y'])
    expect(failed).toMatchObject({ code: 2, json: { errors: [{ code: 'E_TEMPLATE' }] } })
    expect(failed.json.errors[0].message).toContain(place)
    expect(failed.json.errors[0].message).toContain(what)
    expect(headOf(repo)).toBe(head)
    writeOwn(repo, PREAMBLE, 'fine\n')
  })

  byNight('pointer-prompt.txt is used by show --prompt, filled in once and never again', async () => {
    const own = usual()
    const goal = 'explain {{file}} and {{goal}} in the docs of the queue'
    succeeded(await cli(own, ['create', goal, '--json']))
    expect((await cli(own, ['show', '--prompt'])).stdout).toContain(` old: ${goal}`)
    writeOwn(own, POINTER, '{{drift}}\n!touch x WHERE {{file}}\u200b\n')
    const lines = (await cli(own, ['show', '--prompt'])).stdout.split('\n')
    expect(lines.slice(1)).toEqual([
      'Nothing was committed since.',
      '!touch x WHERE `.handoff/latest.md`\\u{200b}',
      '',
    ])
    expect(lines[0]).toContain(` old: ${goal}`)
    writeOwn(own, POINTER, '{{drift}}\n{{goal}}\n')
    const failed = await cli(own, ['show', '--prompt', '--json'])
    expect(failed.json.errors[0]).toMatchObject({
      code: 'E_TEMPLATE',
      message: expect.stringContaining(`${POINTER}:2: unknown slot {{goal}}`),
    })
  })
})
