import { mkdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { defaultConfig, keys } from '../../../src/config/keys.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { parseDuration } from '../../../src/config/merge.ts'
import { noOwnSettings } from '../../../src/config/own.ts'
import { makeFolder } from '../make-repo.ts'

function scratch(files: Record<string, string>) {
  const base = makeFolder()
  const root = join(base, 'repo')
  const home = join(base, 'home')
  for (const dir of [root, home]) mkdirSync(dir)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true })
    writeFileSync(join(base, path), text)
  }
  return {
    root,
    load: (env: Record<string, string> = {}, flags: Record<string, unknown> = {}, isPi = false) =>
      loadConfig({ home, env }, { root, flags, isPi }),
  }
}

const TEMPLATE = readFileSync(new URL('../../../templates/agents/config.yaml', import.meta.url), 'utf8')

/** The 14 names of the older configuration and a value that is not their default. */
const OLD_NAMES: Record<string, unknown> = {
  maxFiles: 3,
  maxCommands: 3,
  maxInformationItems: 3,
  maxDecisionItems: 3,
  maxOpenQuestions: 3,
  minGoalLength: 3,
  includeMetadata: false,
  includeSkill: false,
  includeFileReasons: false,
  includeHandoffPreamble: false,
  useCurrentModel: false,
  model: 'a/b',
  showProgressPhases: false,
  validateFiles: false,
}

describe('configuration', () => {
  it('has no warnings and no origins without a file', async () => {
    const { load } = scratch({})
    const { config, origins, warnings } = await load()
    expect(config.limits.files).toBe(12)
    expect(origins.size).toBe(0)
    expect(warnings).toEqual([])
  })

  it.each(Object.entries(OLD_NAMES))('accepts %s', async (name, value) => {
    const key = keys.find((k) => k.aliases.includes(name))
    const place = key?.isOwn ? 'home/.config/handoff/config.yaml' : 'repo/.handoff/config.yaml'
    const { load } = scratch({ [place]: `${name}: ${JSON.stringify(value)}\n` })
    const { config, warnings } = await load()
    const found = key?.path
      .split('.')
      .reduce<unknown>((v, part) => (v as Record<string, unknown>)[part], config)
    expect(warnings).toEqual([])
    expect(found).toBe(value)
  })

  it('merges the layers key by key: user < repository < Pi < environment < flags', async () => {
    const { load } = scratch({
      'home/.config/handoff/config.yaml':
        'limits: {files: 1, commands: 1, information: 1, constraints: 1, decisions: 1, openQuestions: 1}\n',
      'repo/package.json':
        '{"handoff": {"maxCommands": 2, "limits": {"information": 2, "decisions": 2, "openQuestions": 2}}}',
      'repo/.pi/settings.json':
        '{"handoff": {"maxInformationItems": 3, "maxDecisionItems": 3, "maxOpenQuestions": 3}}',
    })
    const env = { HANDOFF_MAX_DECISION_ITEMS: '4', HANDOFF_LIMITS_OPEN_QUESTIONS: '4' }
    const { config, origins } = await load(env, { 'limits.openQuestions': 5 }, true)
    expect(config.limits).toEqual({
      ...{ files: 1, constraints: 1, commands: 2 },
      ...{ information: 3, decisions: 4, openQuestions: 5 },
    })
    expect(origins.get('limits.decisions')).toEqual({ where: 'environment', whose: 'person' })
    expect(origins.get('limits.openQuestions')).toEqual({ where: 'command line', whose: 'person' })
    expect(origins.get('limits.commands')?.whose).toBe('repository')
    expect((await load(env, {}, false)).config.limits.information).toBe(2)
  })

  it.each([
    ['.handoff/config.yaml', 'edit: true\n'],
    ['.handoff/config.json', '{"edit": true}'],
    ['.handoffrc', 'edit: true\n'],
    ['.handoffrc.json', '{"edit": true}'],
    ['.handoffrc.yml', 'edit: true\n'],
    ['handoff.config.json', '{"edit": true}'],
    ['handoff.config.yaml', 'edit: true\n'],
    ['package.json', '{"handoff": {"edit": true}}'],
  ])('reads %s', async (path, text) => {
    const { load } = scratch({ [`repo/${path}`]: text })
    expect((await load()).config.edit).toBe(true)
  })

  it.each([
    ['an alias', 'a: &a [x]\nsources: [*a, *a]'],
    ['an alias of what comes later', 'sources: *a'],
    ['a merge', 'a: &a {edit: true}\n<<: *a'],
  ])('refuses %s, in any place, as a configuration that cannot be read', async (_, text) => {
    for (const path of [
      'home/.config/handoff/config.yaml',
      'repo/.handoff/config.yaml',
      'repo/.pi/settings.json',
    ])
      await expect(scratch({ [path]: text }).load({}, {}, true), path).rejects.toMatchObject({
        code: 'E_CONFIG',
      })
  })

  it('warns about unknown keys by their full name', async () => {
    const { load } = scratch({ 'repo/.handoff/config.yaml': 'limits: {fils: 3}\nedti: true\n' })
    const { warnings } = await load()
    expect(warnings.map((w) => w.replace(/^.*: unknown/, 'unknown'))).toEqual([
      'unknown key `limits.fils` ignored',
      'unknown key `edti` ignored',
    ])
  })

  it('tells where a key counts that a repository cannot set', async () => {
    const { load } = scratch({
      'repo/.handoff/config.yaml': 'passEnv: [A]\nrepositories: {web: /srv/web}\nnarrative: always\n',
    })
    const { warnings, own } = await load()
    expect(own).toEqual(noOwnSettings())
    const told = (name: string) =>
      expect.stringMatching(
        new RegExp(
          `/repo/\\.handoff/config\\.yaml: \`${name}\` ignored: it counts only in your own configuration, .*/home/\\.config/handoff/config\\.yaml$`,
        ),
      )
    expect(warnings).toEqual(['passEnv', 'repositories', 'narrative'].map(told))
  })

  it.each([
    ['limits: {files: many}', 'limits.files'],
    ['edit: perhaps', 'edit'],
    ['notes: {maxAge: soon}', 'notes.maxAge'],
    ['nudge: {threshold: 5}', 'nudge.threshold'],
    ['retention: {keep: -1}', 'retention.keep'],
    ['retention: {keep: all}', 'retention.keep'],
    ['retention: {olderThan: 30}', 'retention.olderThan'],
    ['retention: {olderThan: a month}', 'retention.olderThan'],
    ['- a list', 'mapping'],
    ['a: [1', 'config.yaml'],
    ['a: 1\na: 2', 'unique'],
  ])('refuses %s and names it', async (text, name) => {
    const { load } = scratch({ 'repo/.handoff/config.yaml': `${text}\n` })
    await expect(load()).rejects.toMatchObject({ code: 'E_CONFIG', message: expect.stringContaining(name) })
  })

  it.each([
    ['inject: copy', 'inject'],
    ['personas: [a]', 'personas'],
  ])('refuses %s of the person and names it', async (text, name) => {
    const { load } = scratch({ 'home/.config/handoff/config.yaml': `${text}\n` })
    await expect(load()).rejects.toMatchObject({ code: 'E_CONFIG', message: expect.stringContaining(name) })
  })

  it('never runs code of the repository', async () => {
    const code = (path: string) => `require('node:fs').writeFileSync(${JSON.stringify(path)}, 'ran')`
    const probe = join(makeFolder(), 'ran')
    const { load, root } = scratch({
      'repo/handoff.config.cjs': `${code(probe)}; module.exports = {edit: true}`,
      'repo/.config/config.js': code(probe),
      'repo/.config/config.cjs': code(probe),
      'repo/.handoffrc': 'mission: none\n',
    })
    const before = process.cwd()
    process.chdir(root)
    try {
      const { config, warnings } = await load()
      expect(config.edit).toBe(false)
      expect(config.mission).toBe('none')
      expect(warnings).toEqual([])
      expect(process.cwd()).toBe(root)
    } finally {
      process.chdir(before)
    }
    await expect(import('node:fs').then((fs) => fs.existsSync(probe))).resolves.toBe(false)
  })

  it('reads it where the current directory of the process is gone', async () => {
    const { load } = scratch({ 'repo/.handoffrc': 'mission: none\n' })
    const before = process.cwd()
    const gone = makeFolder()
    process.chdir(gone)
    rmdirSync(gone)
    try {
      expect((await load()).config.mission).toBe('none')
    } finally {
      process.chdir(before)
    }
  })

  it('never takes a folder of the repository for the person’s own, whatever XDG_CONFIG_HOME says', async () => {
    const { root, load } = scratch({
      'repo/handoff/config.yaml': 'passEnv: [A]\nedit: true\n',
      'home/.config/handoff/config.yaml': 'limits:\n  files: 4\n',
    })
    const back = process.cwd()
    process.chdir(root)
    try {
      for (const value of ['', '.', './']) {
        const { config, own } = await load({ XDG_CONFIG_HOME: value })
        expect([value, own.passEnv, config.edit, config.limits.files]).toEqual([value, [], false, 4])
      }
    } finally {
      process.chdir(back)
    }
  })

  it.each([
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['1h', 3_600_000],
    ['2d', 172_800_000],
    ['500ms', 500],
    [250, 250],
    ['soon', null],
    [-1, null],
  ])('reads the duration %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms)
  })
})

describe('extract.timeout', () => {
  it.each([
    ['1s', 1000],
    ['3m', 180_000],
    [1000, 1000],
    ['1.0005s', 1001],
    ['24h', 86_400_000],
  ])('takes %j', async (timeout, ms) => {
    const { load } = scratch({ 'repo/package.json': JSON.stringify({ handoff: { extract: { timeout } } }) })
    expect((await load()).config.extract.timeout).toBe(ms)
  })

  it.each(['0', 0, 1, '1ms', '999ms', '25h', '30d', '9999999999d', -5])(
    'refuses %j, with what it may be',
    async (timeout) => {
      const { load } = scratch({ 'repo/package.json': JSON.stringify({ handoff: { extract: { timeout } } }) })
      await expect(load()).rejects.toMatchObject({
        code: 'E_CONFIG',
        message: expect.stringMatching(
          /`extract\.timeout` must be a duration(?: from 1s to 1d,)? such as 90s/,
        ),
      })
    },
  )
})

describe('the configuration that init writes', () => {
  it('says nothing: another one counts, and no loader is needed', async () => {
    const { load } = scratch({
      'repo/.handoff/config.yaml': TEMPLATE,
      'repo/package.json': '{"handoff": {"limits": {"files": 4}}}',
    })
    expect((await load()).config.limits.files).toBe(4)
    const alone = await scratch({ 'repo/.handoff/config.yaml': TEMPLATE.replaceAll('\n', '\r\n') }).load()
    expect([alone.origins.size, alone.warnings]).toEqual([0, []])
  })

  it('shows keys that exist, with their defaults', async () => {
    // A line of settings begins with its key; sentences have no colon behind their first word.
    const shown = TEMPLATE.replace(/^# (?=(?: {2})?[a-z]+:(?: [\w]+)?$)/gim, '')
    const { load } = scratch({ 'repo/.handoff/config.yaml': shown })
    const { config, origins, warnings } = await load()
    expect(warnings).toEqual([])
    expect([...origins.keys()].sort()).toEqual([
      'commit.branch',
      'commit.enabled',
      'limits.files',
      'notes.maxAge',
      'nudge.threshold',
    ])
    expect(config).toEqual(defaultConfig())
  })
})

describe('a configuration made to be slow, deep or endless', () => {
  const JOINED = (n: number, one: (i: number) => string) =>
    Array.from({ length: n }, (_, i) => one(i)).join('')
  const HOSTILE: [string, string, string][] = [
    ['brackets', '['.repeat(60_000), 'is nested too deeply'],
    ['mappings in mappings', '{"a":'.repeat(20_000), 'is nested too deeply'],
    ['lists in lists on one line', `${'- '.repeat(30_000)}x`, 'is nested too deeply'],
    ['commas', `[${','.repeat(60_000)}]`, 'has too many parts'],
    ['anchors', '&a '.repeat(20_000), 'has too many parts'],
    ['keys', JOINED(4000, (i) => `k${i}: 1\n`), 'has too many keys'],
    ['a long text', `mission: ${'x'.repeat(300 * 1024)}`, 'is larger than 256 KB'],
    ['more than anybody writes', '#'.repeat(2 << 20), 'is larger than 1024 KB'],
  ]

  it.each(HOSTILE)('%s', async (_, text, why) => {
    for (const place of [
      'repo/.handoff/config.yaml',
      'repo/.handoffrc',
      'home/.config/handoff/config.yaml',
    ]) {
      if (why.includes('1024') && place.startsWith('home')) continue
      const { load } = scratch({ [place]: text })
      await expect(load()).rejects.toMatchObject({
        code: 'E_CONFIG',
        message: expect.stringContaining(why),
      })
    }
  })

  it.each(['>KEY', '| a |KEY', ']KEY', '!KEY x', '{ KEY'])(
    'quotes nothing of a file in a message: %s',
    async (text) => {
      const key = `ghp_${'aB3dE6gH9j'.repeat(4)}`
      const { load } = scratch({ 'repo/.handoff/config.yaml': `goal: ${text.replace('KEY', key)}\n` })
      const error = await load().then(
        () => expect.fail('it was read'),
        (error: Error) => error,
      )
      expect(error).toMatchObject({ code: 'E_CONFIG', message: expect.stringContaining('at line') })
      expect(`${error.message} ${error.stack}`).not.toContain(key.slice(4, 14))
    },
  )

  it('bears what somebody may well write', async () => {
    const allow = JOINED(900, (i) => `    - "${i.toString(16).padStart(12, '0')}"\n`)
    const personas = JOINED(60, (i) => `  p${i}: {agent: codex, start: "Go on.", skills: [a, b]}\n`)
    const { load } = scratch({
      'home/.config/handoff/config.yaml': `secrets:\n  allow:\n${allow}personas:\n${personas}`,
    })
    const { config } = await load()
    expect([config.secrets.allow.length, Object.keys(config.personas).length]).toEqual([900, 60])
  })

  it('of a package.json reads its own key alone, however large and odd the others are', async () => {
    const others = JOINED(20_000, (i) => `"k${i}": [${i}],`)
    const deep = `${'['.repeat(30_000)}${']'.repeat(30_000)}`
    const { load } = scratch({
      'repo/package.json': `\ufeff{${others} "deep": ${deep}, "name": "a", "name": "b", "handoff": {"edit": true}}`,
    })
    expect((await load()).config.edit).toBe(true)
    for (const text of [`{"handoff": ${deep}}`, `{"handoff": ${'['.repeat(30_000)}`, '{"handoff": ghp_x}'])
      await expect(scratch({ 'repo/package.json': text }).load()).rejects.toMatchObject({
        code: 'E_CONFIG',
        message: expect.not.stringContaining('ghp_'),
      })
  })

  it('reads the settings of Pi through no link', async () => {
    const { root, load } = scratch({ 'repo/.pi/x': '' })
    symlinkSync('/dev/zero', join(root, '.pi/settings.json'))
    expect((await load()).config).toEqual(defaultConfig())
    await expect(load({}, {}, true)).rejects.toMatchObject({
      code: 'E_CONFIG',
      message: expect.stringContaining('is not a plain file'),
    })
  })
})
