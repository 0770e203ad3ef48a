import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { acpCommand } from '../../../src/agents/acp/acp-command.ts'
import { noOwnSettings } from '../../../src/config/own.ts'
import { openOutput } from '../../../src/output/output.ts'
import { loadAcp } from '../../../src/session/load-acp.ts'
import { byNight, describeByNight, sampled } from '../../sampled.ts'
import { cli, NOW } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { GOAL, itemsOf, sectionOf } from '../usual.ts'

const AGENT = fileURLToPath(new URL('../../fixtures/acp/agent.mjs', import.meta.url))

function world(how: string): TempRepo {
  const repo = makeRepo({ second: { 'src/queue.ts': 'x\n', 'src/api.ts': 'y\n' } })
  const command = JSON.stringify([process.execPath, AGENT, how, repo.root])
  repo.write('../home/.config/handoff/config.yaml', `acp:\n  scripted: ${command}\n`)
  return repo
}
const create = (repo: TempRepo, ...args: string[]) =>
  cli(repo, ['create', GOAL, '--from', 'acp:scripted', '--json', '--no-notes', ...args])
/** Nothing was written, and no agent is left. */
async function expectNothing(repo: TempRepo): Promise<void> {
  expect(repo.git(['status', '--porcelain'])).toBe('')
  expect(repo.git(['log', '--format=%s'])).not.toContain('handoff')
  await expectNobody(repo)
}
async function expectNobody(repo: TempRepo): Promise<void> {
  const left = () => {
    const all = execFileSync('ps', ['-eo', 'args'], { encoding: 'utf8' })
    return all.split('\n').filter((line) => line.includes(AGENT) && line.includes(repo.root))
  }
  await expect.poll(left, { timeout: 10_000 }).toEqual([])
}

describe('create --from acp:<agent>', () => {
  it('makes the brief of the newest session of this folder, as the agent replays it', async () => {
    const repo = world('well')
    const { code, json } = await create(repo)
    expect(code, JSON.stringify(json.errors)).toBe(0)
    expect(json.session).toMatchObject({ agent: 'scripted', id: 's1' })
    const { markdown } = json
    expect(sectionOf(markdown, 'Where it stands')).toContain(
      'The queue is bounded at 100 entries. The test of the limits still fails.',
    )
    expect(sectionOf(markdown, 'How it got here')).toContain(
      '"Bound the retry queue. Do not touch src/api.ts."',
    )
    expect(itemsOf(markdown, 'Relevant Files')[0]).toMatch(/^- `src\/queue\.ts` — edited/)
    expect(sectionOf(markdown, 'Relevant Commands')).toContain('`npm test` — test, failed (exit 1)')
    expect(sectionOf(markdown, 'Progress')).toContain('Write down the limits')
    expect(markdown).toContain('\nagent: Scripted Agent\n')
    expect(markdown).toContain('\n    version: "2.5"\n')
    // What a brief was made from is not read again from a file: what it says is carried.
    expect((await cli(repo, ['ask', 'limits', '--json'])).code).toBe(0)
  })

  byNight('takes the session that is named, where the agent lists none', async () => {
    expect((await create(world('no-list'), '--session', 's1')).json.session).toMatchObject({ id: 's1' })
  })

  it.each(
    sampled(
      [
        ['no-load', 'it cannot load a session'],
        ['no-list', 'it cannot list its sessions'],
        ['none', 'it has no session of this folder'],
        ['newer', 'it speaks version 7 of the protocol'],
        ['exits', 'it ended with exit 3'],
        ['half', 'it ended with exit 0'],
        ['complains', '(no login: run agent login)'],
      ],
      1,
    ),
  )('says why there is no session: %s', async (how, why) => {
    const repo = world(how)
    const { code, json } = await create(repo)
    expect(code).toBe(1)
    expect(json.errors).toMatchObject([{ code: 'E_ACP', message: expect.stringContaining(why) }])
    expect(json.errors[0].message).not.toContain('\n')
    await expectNothing(repo)
  })

  byNight('goes on over what is no message, and keeps no more than there is room for', async () => {
    expect((await create(world('garbage'))).code).toBe(0)
    const huge = await create(world('huge'))
    expect(huge.code).toBe(0)
    expect(huge.json.warnings.join()).toContain('replayed more than is kept')
  })

  byNight.each(sampled(['hangs', 'hangs-on'], 1))(
    'gives up an agent that says nothing any more: %s',
    async (how) => {
      const repo = world(how)
      const place = { root: repo.root, home: repo.home, env: repo.env, now: () => NOW, newId: () => '' }
      const nowhere = { write: () => undefined }
      const said: string[] = []
      const stderr = { write: (text: string) => said.push(text) }
      const out = openOutput({ stdout: nowhere, stderr, json: false, color: false, interactive: false })
      const limit = how === 'hangs' ? 2500 : 700
      const own = { ...noOwnSettings(), acp: { scripted: [process.execPath, AGENT, how, repo.root] } }
      const loading = loadAcp(
        { place, out, stderr: nowhere, readStdin: async () => '', version: '0' },
        { own, env: repo.env, limit },
        'scripted',
        undefined,
      )
      await expect(loading).rejects.toMatchObject({
        code: 'E_ACP',
        message: expect.stringContaining(`it said nothing for ${limit / 1000} s`),
      })
      const waits = 'Waiting for scripted to answer; Ctrl-C cancels.\n'
      expect(said).toEqual(how === 'hangs' ? [waits] : [])
      await expectNothing(repo)
    },
  )

  it('starts what the registry file of the person names, by npm or uv', async () => {
    const repo = world('well')
    const registry = join(repo.base, 'registry.json')
    const agent = (id: string, distribution: object) => ({ id, name: id, version: '1.0.0', distribution })
    const agents = [
      agent('plain', { npx: { package: '@scope/plain@1.0.0', args: ['--acp'] } }),
      agent('named', { npx: { package: 'many', cmd: 'one', args: [] } }),
      agent('python', { uvx: { package: 'snake', cmd: 'hiss', args: ['serve'] } }),
      agent('archive', { binary: { 'linux-x86_64': { archive: 'https://x.test/a.zip', cmd: './a' } } }),
      agent('odd', { npx: { package: '--evil' } }),
      agent('opencode', { npx: { package: 'opencode' } }),
    ]
    writeFileSync(registry, JSON.stringify({ version: '1.0.0', agents }))
    const of = (name: string) => acpCommand(name, { acp: {}, acpRegistry: registry })
    expect(of('plain')).toEqual(['npx', '--yes', '@scope/plain@1.0.0', '--acp'])
    expect(of('named')).toEqual(['npx', '--yes', '--package', 'many', 'one'])
    expect(of('python')).toEqual(['uvx', '--from', 'snake', 'hiss', 'serve'])
    expect(of('opencode')).toEqual(['opencode', 'acp'])
    for (const name of ['archive', 'odd']) expect(() => of(name)).toThrow('No ACP agent is called')
    writeFileSync(registry, '[]')
    repo.write('../home/.config/handoff/config.yaml', `acpRegistry: ${registry}\n`)
    expect((await create(repo)).json.errors).toMatchObject([
      { code: 'E_CONFIG', message: expect.stringContaining('cannot be read as a registry') },
    ])
  })

  it('starts what the person configured or what is known, never what a repository names', async () => {
    const repo = makeRepo()
    repo.commit('settings', {
      '.handoff/config.yaml': `acp:\n  evil: ["touch", "${join(repo.base, 'ran')}"]\n`,
    })
    const { code, json } = await cli(repo, ['create', GOAL, '--from', 'acp:evil', '--json', '--no-notes'])
    expect(code).toBe(2)
    expect(json.errors[0]).toMatchObject({ code: 'E_USAGE', message: 'No ACP agent is called "evil".' })
    expect(json.errors[0].hint).toContain('opencode')
  })
})

describeByNight('--to acp:<agent>', () => {
  const resume = (repo: TempRepo) => cli(repo, ['resume', '--to', 'acp:scripted', '--headless', '--json'])

  byNight(
    'gives the pointer to a new session, allows nothing unasked, and passes on what is said',
    async () => {
      const repo = world('well')
      expect((await create(repo)).code).toBe(0)
      const { code, json, stderr } = await resume(repo)
      expect(code, JSON.stringify(json.errors)).toBe(0)
      expect(json).toMatchObject({ started: true, agent: 'scripted', exit: 0 })
      expect(json.output).toMatch(/^may: no; /)
      expect(json.output).toContain(` old: ${GOAL}`)
      expect(json.output).not.toContain('Bound the retry queue')
      expect(stderr).not.toContain('undefined')
      await expectNobody(repo)
    },
  )

  byNight('keeps the brief and says why nobody went on', async () => {
    const refused = world('refuses')
    expect((await create(refused)).code).toBe(0)
    const { code, json } = await resume(refused)
    expect([code, json.errors[0].message]).toEqual([1, expect.stringContaining('ended with status 1')])
    await expectNobody(refused)
    const slow = world('thinks')
    expect((await create(slow)).code).toBe(0)
    const late = await cli(slow, [
      'resume',
      '--to',
      'acp:scripted',
      '--headless',
      '--timeout',
      '1s',
      '--json',
    ])
    expect([late.code, late.json.errors[0].message]).toEqual([
      1,
      expect.stringContaining('took longer than 1 s'),
    ])
    await expectNobody(slow)
    const repo = makeRepo()
    expect((await cli(repo, ['create', GOAL, '--from', 'git', '--json'])).code).toBe(0)
    const nobody = await cli(repo, ['resume', '--to', 'acp:nobody', '--headless', '--json'])
    expect([nobody.code, nobody.json.errors[0].code]).toEqual([2, 'E_USAGE'])
  })
})
