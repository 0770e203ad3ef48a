import { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { adapters } from '../../../src/agents/table.ts'
import { type Candidate, completeWords } from '../../../src/commands/complete-words.ts'
import { type CompletionSpec, completionSpec } from '../../../src/commands/completion-spec.ts'
import { commands } from '../../../src/commands/table.ts'

const BRIEFS: Candidate[] = [
  { value: 'latest', about: 'the current brief' },
  { value: '20261122T101500-1f3a9c07', about: 'cap-the-backoff' },
]

describe('completion', () => {
  let spec: CompletionSpec
  beforeAll(async () => {
    spec = await completionSpec()
  }, 20_000)
  const at = (...words: string[]) => {
    const found = completeWords(spec, words, () => BRIEFS)
    return typeof found === 'string' ? found : found.map(({ value }) => value)
  }

  it('has every command, option and choice that the parser knows', async () => {
    for (const { name, load } of commands) {
      const command = new Command()
      ;(await load()).define(command)
      const flags = command.options.map(({ long }) => long)
      expect(at(name, '--')).toEqual(expect.arrayContaining(flags))
      for (const { long, argChoices } of command.options)
        if (argChoices !== undefined) expect(at(name, String(long), '')).toEqual(argChoices)
    }
    expect(at('').length).toBe(commands.length)
    expect(at('')).not.toContain('hook')
  })

  it.each([
    [['cr'], ['create']],
    [['--no'], ['--no-color']],
    [['--json', 'sho'], ['show']],
    [['--cwd', '/tmp', 'sho'], ['show']],
    [['--cwd', ''], 'folders'],
    [
      ['show', ''],
      ['latest', '20261122T101500-1f3a9c07'],
    ],
    [['show', '2026'], ['20261122T101500-1f3a9c07']],
    [['show', '--prompt', '2026'], ['20261122T101500-1f3a9c07']],
    [['show', '--section', 'g'], ['goal']],
    [['show', '--section=g'], ['--section=goal']],
    [['show', '--section', '=', 'g'], ['goal']],
    [['show', '--section', 'goal', 'la'], ['latest']],
    [['show', 'latest', ''], []],
    [['show', '--prompt', '--prom'], []],
    [
      ['diff', 'latest', ''],
      ['latest', '20261122T101500-1f3a9c07'],
    ],
    [['diff', 'latest', 'latest', ''], []],
    [
      ['ask', 'why?', ''],
      ['latest', '20261122T101500-1f3a9c07'],
    ],
    [['check', ''], 'files'],
    [['check', 'a.md', ''], 'files'],
    [['check', '--range', '--sta'], ['--staged']],
    [['create', '--notes', ''], 'files'],
    [['create', ''], []],
    [['create', 'cap it', '--reason', 'ta'], ['task_boundary']],
    [['create', '--from', 'gi'], ['git']],
    [['note', '--question', 'a', '--ques'], ['--question']],
    [['log', '--agent', 'ge'], ['gemini-cli']],
    [['init', '--agent', 'codex,p'], ['codex,pi']],
    [['completion', 'z'], ['zsh']],
    [['help', 'sec'], ['secrets']],
    [['help', 'trust'], ['trust']],
    [['help', 'trust', ''], []],
    [['banana', ''], []],
    [['request', '--session', ''], []],
  ] as [string[], string[] | string][])('%j', (words, found) => {
    expect(at(...words)).toEqual(found)
  })

  it('offers agents by the table of agents', () => {
    expect(at('sessions', '--from', '')).toEqual(adapters.map(({ id }) => id))
    expect(at('switch', '--to', 'cl')).toEqual(['claude-code'])
  })
})
