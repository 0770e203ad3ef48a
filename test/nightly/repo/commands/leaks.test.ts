import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { USUAL, writeClaudeSession } from '../../../repo/claude-session.ts'
import { type CliResult, cli } from '../../../repo/cli.ts'
import { makeRepo } from '../../../repo/make-repo.ts'
import { AGENT, create, GOAL, made, usual } from '../../../repo/usual.ts'
import { byNight, sampled } from '../../../sampled.ts'
import { createFakes } from '../../../unit/secrets/fake.ts'

// Each was found by the part `secrets` of the torture suite, which tries every kind in every place.

// Made here, so that nothing that looks like a secret stands in a file.
const fakes = createFakes(20261123)
const token = () => fakes.make('ghp_{A-Za-z0-9:36}')
const long = () => fakes.make('xai-{A-Za-z0-9:80}')
const said = ({ stdout, stderr }: CliResult) => stdout + stderr

it.each(sampled([['show'], ['trust'], ['await'], ['review'], ['resume', '--to'], ['log', '--since']], 2))(
  'a key longer than what %s quotes is not quoted half',
  async (...argv) => {
    const secret = long()
    const run = await cli(usual(), [...argv, secret])
    expect(run.code).not.toBe(0)
    expect(said(run)).not.toContain(secret.slice(4, 24))
  },
)

it('a draft that is no brief any more keeps no key that `--redact` replaced', async () => {
  const repo = usual()
  const secret = token()
  const editor = join(repo.base, 'editor.sh')
  writeFileSync(editor, `#!/bin/sh\necho 'the key is ${secret}' > "$1"\n`, { mode: 0o755 })
  const run = await create(repo, ['--edit', '--redact'], { env: { GIT_EDITOR: editor } })
  expect(run.json.errors[0].code).toBe('E_EDITOR')
  const draft =
    /\.git\/handoff\/drafts\/\S+\.md/.exec(run.json.errors[0].message + run.json.errors[0].hint)?.[0] ?? ''
  expect(repo.read(draft)).toBe('the key is [REDACTED:github-token]\n')
})

it('what is no event and no agent of a hook is not told again', async () => {
  const repo = usual()
  const secret = token()
  expect(said(await cli(repo, ['hook', secret, '--agent', 'codex']))).not.toContain(secret)
  expect(said(await cli(repo, ['hook', 'stop', '--agent', secret]))).not.toContain(secret)
})

it('`check` and `verify` tell of a file or branch that is named with a key, without the key', async () => {
  const repo = usual()
  const [name, branch] = [token(), token()]
  for (const format of ['text', 'sarif', 'github', 'gitlab']) {
    const run = await cli(repo, ['check', `${name}.md`, '--format', format])
    expect([run.code, said(run)]).toEqual([1, expect.not.stringContaining(name)])
  }
  repo.git(['switch', '-q', '-c', `fix/${branch}`])
  await made(repo)
  const run = await cli(repo, ['verify', '--json'])
  expect(said(run)).not.toContain(branch)
})

byNight(
  'what is refused is named by its own field, and the message alone tells how a false alarm passes',
  async () => {
    const repo = usual()
    const focus = `the sample ${token()}`
    const refused = await create(repo, ['--focus', focus])
    expect(refused.json.errors[0]).toMatchObject({
      code: 'E_SECRET_INPUT',
      where: 'request',
      places: [expect.objectContaining({ field: 'focus' })],
    })
    const { hint } = refused.json.errors[0]
    const allow = /HANDOFF_SECRETS_ALLOW=(\S+)/.exec(hint)?.[1] ?? ''
    expect(
      (await create(repo, ['--focus', focus, '--print'], { env: { HANDOFF_SECRETS_ALLOW: allow } })).code,
    ).toBe(0)
    const own = join(repo.env.HOME ?? '', /~\/(\S+\/)config\.yaml/.exec(hint)?.[1] ?? '')
    mkdirSync(own, { recursive: true })
    writeFileSync(join(own, 'config.yaml'), /For good: `(.*?)`/.exec(hint)?.[1] ?? '')
    expect((await create(repo, ['--focus', focus])).code).toBe(0)
    expect((await create(repo, ['--focus', `the sample ${token()}`])).code).toBe(1)
  },
)

it('an error does not quote the value of a variable that is secret by its name', async () => {
  const value = fakes.make('{a-z:9}-{a-z:9}-{a-z:9}')
  const run = await cli(usual(), [value], { env: { BROKER_PASSWORD: value } })
  expect([run.code, said(run)]).toEqual([2, expect.not.stringContaining(value)])
})

byNight('a ticket is no part of a key: in the name of the branch and in a subject', async () => {
  const repo = usual()
  const slack = () => fakes.make('xapp-1-A{A-Z0-9:10}-{0-9:13}-{0-9a-f:64}')
  const [branch, subject, trailer] = [slack(), slack(), slack()]
  const partOf = (secret: string) => secret.split('-').slice(2, 4).join('-')
  repo.git(['switch', '-q', '-c', `fix/QUEUE-7-${branch}`])
  repo.commit(`QUEUE-8: use ${subject}\n\nRefs: ${trailer}`, { 'src/more.ts': 'more\n' })
  const run = await create(repo)
  expect(run.json.markdown).toContain('QUEUE-8: use [REDACTED:slack-token]')
  for (const secret of [branch, subject, trailer]) expect(said(run)).not.toContain(partOf(secret))
})

byNight('an answer of `ask` shows no half of a key where it cuts a line', async () => {
  const repo = usual()
  // Whole it is known by its length; no mark of it is looked for in the bytes of the session.
  const keys = Array.from({ length: 4 }, () => fakes.make('v1.0-{0-9a-f:24}-{0-9a-f:146}'))
  writeClaudeSession(repo, [...USUAL, { user: `The zone of the broker: ${keys.join(' ')}` }])
  await made(repo)
  const run = await cli(repo, ['ask', 'zone of the broker', '--json'])
  expect(run.json.hits[0].quote).toContain('zone of the broker: [REDACTED:cloudflare-origin-key]')
  for (const key of keys) expect(said(run)).not.toContain(key.slice(5, 17))
})

byNight('a file and its reason for `note` are looked at before they are taken apart', async () => {
  const repo = usual()
  const secrets = [
    fakes.make('{0-9a-f:64}'),
    `${fakes.make('{A-Za-z0-9+/:86}')}==`,
    fakes.make('{A-Za-z0-9:20}'),
  ]
  const given = [`SESSION_SECRET=${secrets[0]}`, `AccountKey=${secrets[1]}`, `DB_PASSWORD="${secrets[2]}"`]
  for (const [at, text] of given.entries()) {
    const refused = await cli(repo, ['note', '--json', '--file', text])
    expect(refused).toMatchObject({ code: 1, json: { errors: [{ code: 'E_SECRET_INPUT' }] } })
    const noted = await cli(repo, ['note', '--json', '--redact', '--file', text])
    expect([noted.code, said(refused) + said(noted)]).toEqual([
      0,
      expect.not.stringContaining(secrets[at] ?? ''),
    ])
  }
})

it('notes that break a key over their lines are refused', async () => {
  const repo = usual()
  const lines = Array.from({ length: 3 }, () => fakes.make('{A-Za-z0-9+/:64}'))
  const begin = ['-----BEGIN RSA PRIVATE', 'KEY-----'].join(' ')
  const text = `## Next steps and what remains\n- revoke this one\n- ${begin}\n${lines.join('\n')}\n-----END\n`
  for (const argv of [
    ['note', '-'],
    ['create', GOAL, '--notes', '-'],
  ]) {
    const run = await cli(repo, [...argv, '--json'], { stdin: text })
    expect(run).toMatchObject({ code: 1, json: { errors: [{ code: 'E_SECRET_INPUT' }] } })
    for (const line of lines) expect(said(run)).not.toContain(line)
  }
})

it.each(sampled([['verify'], ['trust'], ['create', GOAL, '--session'], ['create', GOAL, '--notes']], 1))(
  'an address with a password that %s takes for a path or an id is not quoted with it',
  async (...argv) => {
    const secret = fakes.make('{A-Za-z0-9:20}')
    const address = `postgres://app:${secret}@db.internal:5432/app`
    for (const typed of [address, `missing/${address}`]) {
      const run = await cli(usual(), [...argv, typed])
      expect([run.code === 0, said(run)]).toEqual([false, expect.not.stringContaining(secret)])
    }
  },
)

it('what is no JSON is not quoted', async () => {
  const secret = fakes.make('q{A-Za-z0-9:33}')
  const run = await cli(usual(), ['note', '-'], { stdin: `{"openQuestions": [${secret}` })
  expect(said(run)).toContain('not JSON: ')
  expect(said(run)).not.toContain(secret.slice(0, 8))
})

byNight(
  'SECURITY.md leads to every brief that holds a value, and out of a commit that is not pushed',
  async () => {
    const page = readFileSync(new URL('../../../../SECURITY.md', import.meta.url), 'utf8')
    const [find = [], undo = []] = [...page.matchAll(/^ {3}```sh\n([\s\S]*?)^ {3}```$/gm)].map(
      ([, block = '']) => block.trimEnd().split('\n'),
    )
    const value = ['Xq7', 'wLp0', 'vR2k', 'Tz9m'].join('')
    const repo = makeRepo()
    repo.commit('queue', { 'src/queue.ts': 'x\n' })
    // A value that no rule knows, in words that are quoted.
    writeClaudeSession(repo, [
      { user: `Never call the queue ${value} in a log line. Use the name of the tenant, not its number.` },
      { edit: 'src/queue.ts' },
      { bash: 'npm test' },
      { says: 'Done.' },
    ])
    await made(repo, [], AGENT)
    expect(repo.git(['show', 'HEAD'])).toContain(value)
    writeFileSync(join(repo.base, 'secret.txt'), `${value}\n`)
    const sh = (command = 'false'): string =>
      execFileSync('/bin/sh', ['-c', command], { cwd: repo.root, env: repo.env, encoding: 'utf8' })
    expect(sh(find[1])).toMatch(/^[0-9a-f]{40}:\.handoff\/briefs\/\S+\.md\n$/)
    sh(undo[0])
    expect(undo[1]?.trim()).toBe(
      'export LEAKED_TOKEN="$(cat ../secret.txt)"; git handoff create "<goal>" --redact',
    )
    await made(repo, ['--redact'], { env: { ...AGENT.env, LEAKED_TOKEN: value } })
    expect(repo.git(['show', 'HEAD'])).not.toContain(value)
    sh(undo[2])
    expect(repo.tryGit(['grep', '-F', value, 'HEAD', '--', '.handoff']).status).toBe(1)
    expect(sh(`git cat-file --batch-all-objects --batch | tr -d '\\0'`)).not.toContain(value)
  },
)
