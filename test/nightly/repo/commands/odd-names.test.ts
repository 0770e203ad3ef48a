import { unlinkSync, writeFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { cli } from '../../../repo/cli.ts'
import { made, usual } from '../../../repo/usual.ts'
import { sampled } from '../../../sampled.ts'
import { createFakes } from '../../../unit/secrets/fake.ts'

/** Names that another system would take for a path elsewhere, and git does not. */
const ODD = ['\\', '\\x', '\\\\host\\share', 'C:x', '~', 'a\\..\\b', 'x\\', '\\\u{200b}', '\\u{200b}']

it.each(sampled(ODD, 3))(
  'a file named %j is one of the repository: in a brief, in its check, and after it is gone',
  async (name) => {
    const repo = usual()
    repo.commit('odd', { [name]: 'one\n' })
    repo.write(name, 'two\n')
    const { brief, path } = await made(repo, ['--mode', 'strict', '--from', 'git'])
    const [listed] = brief.relevantFiles
    expect(listed.path).toBe(name.replace('\u{200b}', '\\u{200b}'))
    const check = async () => (await cli(repo, ['check', '--mode', 'strict', '--json', path])).json.findings
    expect(await check()).toEqual([])
    repo.git(['rm', '-q', '-f', '--', `:(literal)${name}`])
    repo.commit('gone')
    // Of one with a hidden character git is asked only for the names it has now.
    expect(await check()).toHaveLength(listed.path === name ? 0 : 1)
    expect((await cli(repo, ['check', '--mode', 'permissive'])).code).toBe(0)
  },
)

it('one that is in no commit yet is known in this clone', async () => {
  const repo = usual()
  repo.write('\\new', 'x\n')
  const { path } = await made(repo, ['--mode', 'strict', '--from', 'git'])
  expect(repo.read(path)).toContain('- `\\new` — ')
  expect((await cli(repo, ['check', '--mode', 'strict', '--json', path])).json.findings).toEqual([])
})

it('one with a key in it is known as it is shown', async () => {
  const repo = usual()
  const key = createFakes(3).make('ghp_{A-Za-z0-9:36}')
  repo.write(`\\ TOKEN=${key}`, 'x\n')
  const { path } = await made(repo, ['--mode', 'strict', '--from', 'git'])
  expect(repo.read(path)).toContain('- `\\ TOKEN=[REDACTED:')
})

it('what is no name of git is refused as before', async () => {
  const repo = usual()
  const { path } = await made(repo, ['--from', 'git'])
  const text = repo.read(path)
  for (const name of ['../../x', '/etc/passwd', '\\\\host\\share', '~/.ssh/id']) {
    const section = `## Relevant Files\n\n- \`${name}\` — x [named]\n\n`
    const forged = text
      .replace(/^## Relevant Files\n[\s\S]*?(?=^## )/m, '')
      .replace('## Working Memory', () => `${section}## Working Memory`)
    repo.write(path, forged)
    const { json } = await cli(repo, ['check', '--mode', 'strict', '--json', path])
    expect(json.findings.map((one: { rule: string }) => one.rule)).toContain('unnamed-files')
  }
})

it.each([
  ['a line break', Buffer.from('new\nline.js')],
  ['a hidden character', Buffer.from('zero\u{200b}width.js')],
  ['what looks like one', Buffer.from('\\u{200b}.js')],
  ['bytes that are no UTF-8', Buffer.from([0x6c, 0xe9, 0x2e, 0x6a, 0x73])],
])('verify knows a file whose name has %s, and tells when it is gone', async (what, name) => {
  const repo = usual()
  const path = Buffer.concat([Buffer.from(`${repo.root}/`), name])
  writeFileSync(path, 'x\n')
  await made(repo, ['--from', 'git'])
  const verify = async () => (await cli(repo, ['verify', '--json'])).json
  expect((await verify()).stillTrue).toBe(true)
  const isKnown = !what.startsWith('bytes')
  if (isKnown) expect((await verify()).files).toEqual([expect.objectContaining({ state: 'same' })])
  unlinkSync(path)
  expect((await verify()).stillTrue).toBe(!isKnown)
})
