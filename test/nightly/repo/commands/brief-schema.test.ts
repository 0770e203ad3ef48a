import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { readBrief } from '../../../../src/lib/library.ts'
import { cli, NOW } from '../../../repo/cli.ts'
import { AGENT, later, made, printed, usual } from '../../../repo/usual.ts'

const published = new URL('../../../../docs/brief.v1.schema.json', import.meta.url)
const { $defs, ...file } = JSON.parse(readFileSync(published, 'utf8'))
const schema = z.fromJSONSchema($defs.value)
const matter = z.fromJSONSchema(file)
/** What a validator of another tool has against a value. */
const complaints = (value: unknown) =>
  schema.safeParse(value).error?.issues.map(({ path, message }) => `/${path.join('/')} ${message}`) ?? []

describe('the structured form of a brief fits the published schema', () => {
  it('without notes, with them, resumed and closed: in create, show and the library', async () => {
    const repo = usual()
    const bare = await printed(repo)
    expect(complaints(bare.brief)).toEqual([])
    expect(bare.brief.notes).toBeNull()
    expect(bare.markdown).not.toMatch(/^ {2}notes:/m)
    const first = await made(repo, [], AGENT)
    await cli(repo, ['note', '--active-hypothesis', 'the timer is cleared twice'], {
      ...AGENT,
      now: later(1),
    })
    const noted = await made(repo, [], { ...AGENT, now: later(2) })
    expect(noted.brief.notes).toMatchObject({ page: '- Active hypothesis: the timer is cleared twice' })
    const resumed = await cli(repo, ['resume', first.id, '--json'], { now: later(3) })
    expect(resumed.json).toMatchObject({ ok: true })
    await cli(repo, ['done', 'it works'], { now: later(4) })
    const { json: chain } = await cli(repo, ['log', '--json'])
    expect(chain.briefs).toHaveLength(4)
    const told: string[][] = []
    for (const { id } of chain.briefs as { id: string }[]) {
      const { json } = await cli(repo, ['show', id, '--json'])
      const read = await readBrief({ cwd: repo.root, env: repo.env, home: repo.home, now: () => NOW, id })
      const { success } = matter.safeParse(parse(json.text.split('\n---\n')[0]))
      expect(success).toBe(true)
      told.push(complaints(json.brief), complaints(JSON.parse(JSON.stringify(read.brief))))
      expect(complaints({ ...json.brief, goal: 3 })).toEqual([expect.stringMatching(/^\/goal /)])
    }
    expect(told).toEqual(told.map(() => []))
  })
})
