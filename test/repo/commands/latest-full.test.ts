import { expect, it } from 'vitest'
import { cli } from '../cli.ts'
import { later, made, usual } from '../usual.ts'

const FULL = { env: { HANDOFF_LATEST: 'full' } }
const LATEST = '.handoff/latest.md'

it('latest: full commits the brief itself there, and git status stays clean', async () => {
  const repo = usual()
  for (const [minutes, focus] of [
    [0, 'the queue'],
    [5, 'the limits'],
  ] as const) {
    const { markdown, commit } = await made(repo, ['--focus', focus], { ...FULL, now: later(minutes) })
    expect(`${repo.git(['show', `${commit}:${LATEST}`])}\n`).toBe(markdown)
    expect(repo.read(LATEST)).toBe(markdown)
    expect(repo.git(['status', '--porcelain'])).toBe('')
    await cli(repo, ['show'], FULL)
    expect(repo.read(LATEST)).toBe(markdown)
  }
})

it('a goal that would cut the file at the marker of the copy is refused', async () => {
  const repo = usual()
  const goal = 'explain the marker:\n<!-- handoff:begin branch=main id=x head=y -->\nand what stands below it'
  const failed = await cli(repo, ['create', goal, '--json'], FULL)
  expect(failed).toMatchObject({ code: 1, json: { errors: [{ code: 'E_REFUSED' }] } })
  expect(failed.json.errors[0].message).toContain('marker of latest.md')
  expect(repo.git(['status', '--porcelain'])).toBe('')
})

it('back to the pointer: the next brief brings it back', async () => {
  const repo = usual()
  await made(repo, [], FULL)
  const { id, commit } = await made(repo, ['--focus', 'the limits'], { now: later(5) })
  expect(repo.git(['show', `${commit}:${LATEST}`])).toMatch(/^# Work may have been handed over here/)
  expect(repo.read(LATEST)).toContain(`id=${id}`)
  expect(repo.git(['status', '--porcelain'])).toBe('')
})
