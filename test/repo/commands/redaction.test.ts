import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { createFakes } from '../../unit/secrets/fake.ts'
import { type Step, USUAL, writeClaudeSession } from '../claude-session.ts'
import { type CliOptions, type CliResult, cli } from '../cli.ts'
import { hashFiles } from '../hash-files.ts'
import { type TempRepo, writeOwn } from '../make-repo.ts'
import { create, GOAL, headOf, later, made, usual } from '../usual.ts'

// Made here, so that nothing that looks like a secret stands in a file.
const fakes = createFakes(20261122)
const token = () => fakes.make('ghp_{A-Za-z0-9:36}')
const password = () => fakes.make('{A-Za-z0-9:18}')

/** Everything a command said. */
const said = ({ stdout, stderr }: CliResult) => stdout + stderr

describe('a secret in what is handed in', () => {
  let repo: TempRepo
  beforeAll(() => {
    repo = usual()
  })
  const CASES: [string, (secret: string) => { argv: string[]; options?: CliOptions }][] = [
    ['goal', (secret) => ({ argv: ['create', `rotate ${secret} in the retry queue`] })],
    ['focus', (secret) => ({ argv: ['create', GOAL, '--focus', `the key ${secret}`] })],
    ['reason', (secret) => ({ argv: ['create', GOAL, '--reason', `lost ${secret}`] })],
    ['persona', (secret) => ({ argv: ['create', GOAL, '--persona', secret] })],
    [
      'notes',
      (secret) => ({
        argv: ['create', GOAL, '--notes', '-'],
        options: { stdin: JSON.stringify({ activeHypothesis: `${secret} has expired` }) },
      }),
    ],
  ]

  it.each(sampled(CASES, 1))('%s: refused by rule, never shown, nothing written', async (_, build) => {
    const secret = token()
    const { argv, options } = build(secret)
    const before = hashFiles(repo.root)
    const failed = await cli(repo, [...argv, '--json'], options)
    expect(failed).toMatchObject({ code: 1, json: { errors: [{ code: 'E_SECRET_INPUT' }] } })
    expect(failed.json.errors[0].rules).toHaveLength(1)
    expect(failed.json.errors[0].hint).toContain('--redact')
    expect(said(failed)).not.toContain(secret)
    expect(hashFiles(repo.root)).toEqual(before)
  })

  it.each(sampled(CASES, 1))('%s: --redact replaces it, and the replaced text counts', async (_, build) => {
    const secret = token()
    const { argv, options } = build(secret)
    const run = await cli(repo, [...argv, '--json', '--redact', '--print'], options)
    expect(run.json.errors).toEqual([])
    expect(said(run)).not.toContain(secret)
    expect(run.json.markdown).toMatch(/\[REDACTED:[\w-]+\]/)
  })

  it('a redacted goal is the goal everywhere: front matter, last section, file name, commit message', async () => {
    const own = usual()
    const secret = token()
    const run = await cli(own, ['create', `rotate ${secret} in the queue`, '--json', '--redact'])
    const { goal } = run.json.brief
    expect(goal).toMatch(/^rotate \[REDACTED:[\w-]+\] in the queue$/)
    expect(run.json.markdown.trimEnd().endsWith(`\`\`\`text\n${goal}\n\`\`\``)).toBe(true)
    expect(own.git(['log', '-1', '--format=%B'])).not.toContain(secret)
    expect(run.json.path).not.toContain(secret.slice(4).toLowerCase())
    expect(own.tryGit(['grep', '-q', '-F', '-e', secret, 'HEAD']).status).toBe(1)
    expect(own.read('.handoff/latest.md')).not.toContain(secret)
  })

  byNight('the field of notes that holds it is named, and the line where it has several', async () => {
    const secret = token()
    const stdin = JSON.stringify({ openQuestions: ['who asks for it?', `why\nis ${secret} valid?`] })
    const { json } = await cli(repo, ['create', GOAL, '--notes', '-', '--json'], { stdin })
    const [{ message, rules, fingerprints, places }] = json.errors
    expect(message).toContain(`A secret is in the notes (${rules[0]} in openQuestions[1], line 2)`)
    expect(places[0]).toMatchObject({
      rule: rules[0],
      fingerprint: fingerprints[0],
      field: 'openQuestions[1]',
      line: 2,
    })
    const keyed = JSON.stringify({ [secret]: 'x' })
    expect(said(await cli(repo, ['create', GOAL, '--notes', '-', '--json'], { stdin: keyed }))).not.toContain(
      secret,
    )
  })

  it('note refuses it as well, and --redact keeps only the replaced text', async () => {
    const secret = token()
    const note = ['note', '--active-hypothesis', `${secret} has expired`]
    expect(await cli(repo, [...note, '--json'])).toMatchObject({
      code: 1,
      json: { errors: [{ code: 'E_SECRET_INPUT' }] },
    })
    const noted = await cli(repo, [...note, '--json', '--redact'])
    expect(noted.json.notes.page).toMatch(/^- Active hypothesis: \[REDACTED:[\w-]+\] has expired$/)
    await cli(repo, ['note', '--clear'])
  })

  byNight(
    'stored notes that repeat a value the session shows to be secret: refused, --redact replaces it',
    async () => {
      const own = usual()
      const secret = password()
      await cli(own, ['note', '--active-hypothesis', `${secret} was rotated`])
      writeClaudeSession(own, [...USUAL, { bash: 'cat conf', output: `db_password = "${secret}"` }])
      const failed = await create(own)
      expect(failed).toMatchObject({ code: 1, json: { errors: [{ code: 'E_SECRET_INPUT' }] } })
      expect(said(failed)).not.toContain(secret)
      const { markdown } = await made(own, ['--redact'])
      expect(markdown).toContain('was rotated')
      expect(markdown).not.toContain(secret)
    },
  )
})

describe('a secret in what the tool gathers', () => {
  byNight(
    'a word of the goal that the session shows to be one is replaced in all that is written',
    async () => {
      const repo = usual()
      const secret = password()
      writeClaudeSession(repo, [...USUAL, { bash: 'cat conf', output: `db_password = "${secret}"` }])
      const ask = (options?: CliOptions) =>
        cli(repo, ['create', `rotate ${secret} in the retry queue`, '--json'], options)
      const first = await ask()
      expect(said(first)).not.toContain(secret)
      expect(first.json.brief.goal).toBe('rotate [REDACTED:generic-secret] in the retry queue')
      expect(first.json.path.toLowerCase()).not.toContain(secret.toLowerCase())
      expect(repo.git(['log', '-p', '--all'])).not.toContain(secret)
      expect(repo.read('.git/handoff/inputs')).not.toContain(secret)
      const again = await ask({ now: later(5) })
      expect(again.json).toMatchObject({ id: first.json.id, repeat: true })
      expect(said(again)).not.toContain(secret)
    },
  )

  byNight('is replaced everywhere, a bare repeat too, and counted in a warning', async () => {
    const repo = usual()
    const [key, pass, env, file] = [token(), password(), password(), password()] as const
    writeFileSync(join(repo.root, '.env'), `export BROKER_TOKEN="${file}"\n`)
    repo.commit(`use ${pass} for now`, { '.gitignore': '.env\n', [`conf/${key}.txt`]: 'x\n' })
    const steps: Step[] = [
      { user: `Never print ${pass} again. The broker has password: ${pass}` },
      { bash: `curl -H "Authorization: Bearer ${key}" https://broker.example/jobs`, output: 'ok' },
      { bash: `npm test -- ${env} ${file}`, exit: 1, output: `Error: ${key} was rejected for ${env}` },
      { edit: `conf/${key}.txt` },
      { todo: [{ content: `rotate ${key} and ${pass}`, status: 'pending' }] },
      { says: `The root cause is that ${key} expired; ${env} and ${file} still work.` },
    ]
    writeClaudeSession(repo, [...USUAL, ...steps])
    const run = await create(repo, [], { env: { BROKER_SECRET: env } })
    expect(run.json.errors).toEqual([])
    const { path, markdown, warnings } = run.json
    for (const secret of [key, pass, env, file]) {
      expect(said(run)).not.toContain(secret)
      expect(markdown).not.toContain(secret)
      expect(repo.git(['log', '-1', '--format=%B'])).not.toContain(secret)
      expect(repo.read('.handoff/latest.md')).not.toContain(secret)
    }
    expect(path).toMatch(/^\.handoff\/briefs\//)
    expect(markdown.match(/\[REDACTED:[\w-]+\]/g)?.length).toBeGreaterThan(4)
    expect(warnings.join('\n')).toMatch(/\d+ secret\(s\) replaced: [\w-]+/)
  })

  it('S3: an address with two secrets in it stops no create, and neither is left', async () => {
    const repo = usual()
    const [access, client] = [fakes.make('{A-Za-z0-9:40}'), fakes.make('{A-Za-z0-9:40}')]
    const address = `https://x.example.org/cb?access_token=${access}&client_secret=${client}`
    writeClaudeSession(repo, [
      ...USUAL,
      { user: `Log in again at ${address} and go on` },
      { bash: `curl '${address}'`, exit: 1, output: `refused: client_secret=${client}` },
      { says: `The server at ${address} refused it.` },
    ])
    const run = await create(repo)
    expect(run.code).toBe(0)
    expect(run.json.markdown).toContain('access_token=[REDACTED:generic-secret]&client_secret=[REDACTED')
    for (const secret of [access, client]) expect(said(run)).not.toContain(secret)
    expect((await cli(repo, ['check', '--json'])).code).toBe(0)
  })

  byNight('S9: a word that is a password stays where it means something else', async () => {
    const repo = usual()
    writeFileSync(join(repo.root, '.env'), 'DB_PASSWORD=development\n')
    writeClaudeSession(repo, [
      ...USUAL,
      { user: 'Never touch src/development. The compose file has MYSQL_PASSWORD=wordpress for now' },
      { says: 'Understood: src/development stays, and wordpress/plugins too.' },
    ])
    const run = await cli(repo, [
      'create',
      'finish the development server of the queue',
      '--json',
      '--no-notes',
    ])
    expect(run.code).toBe(0)
    expect(run.json.markdown).toContain('src/development')
    expect(run.json.markdown).toContain('wordpress/plugins')
    expect(run.json.markdown).not.toContain('PASSWORD=wordpress')
  })

  // The last two have no ten letters and digits in a row.
  byNight.each(
    sampled(
      [
        'ghp_{A-Za-z0-9:36}',
        'A3-{A-Z0-9:6}-{A-Z0-9:6}-{A-Z0-9:5}-{A-Z0-9:5}-{A-Z0-9:5}-{A-Z0-9:5}',
        'glpat-{A-Za-z0-9:7}_{A-Za-z0-9:5}-{A-Za-z0-9:6}',
      ],
      1,
    ),
  )(
    'in the name of the branch, %s: replaced in the brief, the branch itself is found again',
    async (shape) => {
      const repo = usual()
      const key = fakes.make(shape)
      repo.git(['switch', '-q', '-c', `fix/${key}`])
      const run = await create(repo)
      expect(run.code).toBe(0)
      expect(run.json.markdown).not.toContain(key)
      expect(headOf(repo)).toBe(run.json.commit)
      const latest = repo.read('.handoff/latest.md')
      expect(latest).toContain('holds a value that is masked here')
      expect(latest).toContain(`id=${run.json.id}`)
      expect(latest).not.toContain(key)
      expect((await made(repo, [], { now: later(5) })).id).toBe(run.json.id)
    },
  )

  it('a reviewed false alarm passes by its fingerprint alone', async () => {
    const repo = usual()
    const secret = token()
    const { createScanner } = await import('../../../src/secrets/scanner.ts')
    const [hit] = await createScanner().find(`the key ${secret} is a sample`)
    const goal = ['create', `explain the key ${secret} in the docs`, '--json', '--print']
    expect((await cli(repo, goal)).code).toBe(1)
    const passed = await cli(repo, goal, { env: { HANDOFF_SECRETS_ALLOW: hit?.fingerprint ?? '' } })
    expect(passed.json.errors).toEqual([])
    expect(passed.json.markdown).toContain(secret)
  })

  byNight(
    'homes and user names in paths: masked wherever they stand, so that a strict check passes',
    async () => {
      const repo = usual()
      const steps: Step[] = [
        {
          user: 'Never write to /mnt/c/Users/bea/drive nor to /srv/robin/app, use C:\\Users\\bea\\tmp instead.',
        },
        { says: 'It turns out that /private/home/bea/x is read, because /Users/cleo/y is gone.' },
      ]
      writeClaudeSession(repo, [...USUAL, ...steps])
      const env = { USER: 'robin' }
      const first = await made(repo, ['--focus', 'the part in /home/bea/repo'], { env })
      expect(first.markdown).toContain('Never write to ~/drive nor to /srv/user/app, use ~\\tmp instead.')
      expect(first.markdown).not.toMatch(/\b(?:bea|cleo|robin)\b/)
      const check = await cli(repo, ['check', first.path, '--mode', 'strict', '--json'], { env })
      expect(check.json.findings).toEqual([])
      // The goal stays as it was given; what is told of it again is not the goal.
      const next = await cli(repo, ['create', 'copy /home/bea/data into the fixtures', '--json'], {
        env,
        now: later(5),
      })
      repo.commit('more', { 'src/more.ts': 'more\n' })
      const last = await made(repo, [], { env, now: later(10) })
      expect(next.json.markdown).toContain('copy /home/bea/data into the fixtures')
      expect(last.markdown).not.toContain('/home/bea')
      expect(
        (await cli(repo, ['check', last.path, '--mode', 'strict', '--json'], { env })).json.findings,
      ).toEqual([])
    },
  )

  byNight('what a strict check refuses is said by a create that lets it pass', async () => {
    const repo = usual()
    writeOwn(repo, 'templates/preamble.txt', 'Logs lie in /home/bea/logs. Look there first.\n')
    const run = await create(repo)
    const warnings: string[] = run.json.warnings
    const check = await cli(repo, ['check', run.json.path, '--mode', 'strict', '--json'])
    for (const { rule, level } of check.json.findings.filter(
      (one: { level: string }) => one.level === 'error',
    ))
      expect(
        warnings.find((one) => one.startsWith(rule)),
        level,
      ).toContain('`git handoff check` refuses')
    expect(check.json.findings.map(({ rule }: { rule: string }) => rule)).toContain('home-path')
  })
})
