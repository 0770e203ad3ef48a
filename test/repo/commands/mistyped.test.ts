import { beforeAll, describe, expect, it } from 'vitest'
import { commands } from '../../../src/commands/table.ts'
import { byNight, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'

/** What was typed, what is said of it, and what was meant. */
const CASES: [string[], string, string][] = [
  [['crate'], 'Unknown command: crate', 'Did you mean `git handoff create`?'],
  [['--jsno'], 'Unknown option: --jsno', 'Did you mean `git handoff --json`? `git handoff --help` lists'],
  [['--nonsense'], 'Unknown option: --nonsense\n', '`git handoff --help` lists'],
  [['help', 'crate'], 'There is no help on "crate".', 'Did you mean `git handoff help create`?'],
  [['help', 'secret'], 'There is no help on "secret".', 'Did you mean `git handoff help secrets`?'],
  [
    ['completion', 'zhs'],
    "'zhs' is invalid for argument 'shell'. Allowed choices are bash, zsh, fish.",
    '`git handoff completion zsh`?',
  ],
  [['completion'], "missing required argument 'shell'", '`git handoff completion --help` shows the form.'],
  [['create', '--drry-run'], 'Unknown option: --drry-run', 'Did you mean `git handoff create --dry-run`?'],
  [['show', '--jsn'], 'Unknown option: --jsn', 'Did you mean `git handoff show --json`?'],
  [['create', '--goal=cap it'], 'Unknown option: --goal\n', '`git handoff create --help` lists the options.'],
  [
    ['check', '--format', 'sarf'],
    "option '--format <format>' argument 'sarf' is invalid. Allowed choices are text, github, gitlab, sarif.",
    'Did you mean `git handoff check --format sarif`?',
  ],
  [
    ['sessions', '--from', 'codx'],
    "argument 'codx' is invalid",
    'Did you mean `git handoff sessions --from codex`?',
  ],
  [['create', '--reason'], "option '--reason <reason>' argument missing", '`git handoff create --help`'],
  [['ask'], "missing required argument 'question'", 'goes in quotes'],
  [['show', 'a', 'b'], 'Expected 1 argument but got 2.', 'goes in quotes'],
  [['status', 'a'], 'Expected 0 arguments but got 1.', 'goes in quotes'],
]

describe('what was mistyped', () => {
  let repo: TempRepo
  beforeAll(() => {
    repo = makeRepo()
  })

  it('takes several words for a goal or a question without its quotes', async () => {
    const goal = await cli(repo, ['finish', 'the', 'bin'])
    expect(goal.stderr).toContain('Did you mean `git handoff create "finish the bin"`?')
    const question = await cli(repo, ['ask', 'decimal', 'comma'])
    expect(question.stderr).toContain('Put a question of several words in quotes')
  })

  it.each(sampled(CASES, 3))('%j', async (argv, message, hint) => {
    const { code, stdout, stderr } = await cli(repo, argv)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).toContain(message)
    expect(stderr).toContain(hint)
  })

  it('prints no key that was typed as an option', async () => {
    // Made here: no key stands in a file. Its rule knows it by what stands before it, which dashes hide.
    const key = `aB3${7 + 1}Q~${'xY9kLm2Qw'.repeat(4).slice(0, 34)}`
    const { code, stdout, stderr } = await cli(repo, ['create', 'finish the retry queue', `--${key}`])
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('[REDACTED:azure-client-secret]')
    expect(stderr).not.toContain(key)
  })

  it('prints no key that was typed for an id and looks like a path', async () => {
    const key = `1//0${'xY9kLm2Qw_'.repeat(6)}`
    const { code, stderr } = await cli(repo, ['show', key])
    expect(code).toBe(2)
    expect(stderr).not.toContain(key.slice(4))
  })

  it('tells programs the same, with what was meant and what there is', async () => {
    const wrong = async (...argv: string[]) => (await cli(repo, [...argv, '--json'])).json.errors[0]
    expect(await wrong('show', '--promt')).toMatchObject({ code: 'E_USAGE', suggestion: '--prompt' })
    expect(await wrong('shwo')).toMatchObject({ code: 'E_USAGE', suggestion: 'show' })
    expect(await wrong('check', '--mode', 'stric')).toMatchObject({
      suggestion: 'strict',
      choices: ['strict', 'permissive'],
    })
    expect(await wrong('banana')).not.toHaveProperty('suggestion')
  })

  it.each(sampled(['--version', '-v', '-V', 'version'], 1))(
    '`git handoff %s` prints the version',
    async (word) => {
      const { code, stdout } = await cli(repo, [word])
      expect([code, stdout]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\S*\n$/)])
    },
  )

  it('quotes no key that stands where a choice should', async () => {
    const key = `sk-ant-api03-${'aB3dE5fG7h'.repeat(9)}AA`
    for (const argv of [
      ['check', '--mode', key],
      ['check', `--${key}`],
    ])
      expect(JSON.stringify(await cli(repo, argv))).not.toContain(key.slice(0, 24))
  })

  it('is told of every option that has choices, in every command', async () => {
    const { Command } = await import('commander')
    let seen = 0
    for (const spec of commands) {
      const command = new Command()
      ;(await spec.load()).define(command)
      for (const { flags, long, argChoices } of command.options) {
        if (argChoices === undefined) continue
        seen++
        const { code, stderr } = await cli(repo, [spec.name, String(long), 'no-such-value'])
        expect([spec.name, flags, code]).toEqual([spec.name, flags, 2])
        for (const choice of argChoices) expect(stderr).toContain(choice)
      }
    }
    expect(seen).toBeGreaterThan(10)
  })
})

describe('S13: words that begin with a dash and a space', () => {
  const goal = '- fix the parser\n- keep the tests'

  const typed = [
    ['create', '--from', 'git', goal],
    [goal, '--from', 'git'],
    ['--json', 'create', goal, '--from', 'git'],
  ]
  byNight.each(sampled(typed, 1))('are the goal: %s', async (...argv) => {
    const { code, json, stderr } = await cli(makeRepo(), [...argv, '--json'])
    expect(code, stderr).toBe(0)
    expect(json.brief.goal).toBe(goal)
  })

  it('are the value of an option and a note as well, and an option is still one', async () => {
    const repo = makeRepo()
    const noted = await cli(repo, ['note', '--question', '- does it hold?', '--json'])
    expect([noted.code, JSON.stringify(noted.json)]).toEqual([0, expect.stringContaining('- does it hold?')])
    const failed = await cli(repo, ['create', '- fix it', '--nonsense'])
    expect([failed.code, failed.stderr]).toEqual([2, expect.stringContaining('Unknown option: --nonsense')])
  })
})
