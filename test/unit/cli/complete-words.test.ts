import { Command } from 'commander'
import { beforeAll, describe, expect, it } from 'vitest'
import { adapters } from '../../../src/agents/table.ts'
import { type Candidate, completeWords } from '../../../src/commands/complete-words.ts'
import { type CompletionSpec, completionSpec } from '../../../src/commands/completion-spec.ts'
import { commands } from '../../../src/commands/table.ts'
import { readRequest } from '../../../src/create/create-request.ts'
import { lookForAgents, pickAgents } from '../../../src/init/init-agents.ts'
import { readLogOptions } from '../../../src/log/log-options.ts'
import { agentCalled } from '../../../src/start/destination.ts'

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
    [['log', '--agent', 'gi'], ['git']],
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

  it('offers nothing that is refused', async () => {
    // `provider/` waits for the name of a model.
    const whole = (value: string) => (value.endsWith('/') ? `${value}some-model-1` : value)
    const create = (flag: string) => (value: string) => readRequest('x', { [flag]: value })
    const starts = (value: string) => expect(agentCalled(value)).not.toBeNull()
    const found = await lookForAgents({ home: '/nowhere', env: {} }, '/nowhere')
    const readers: Readonly<Record<string, (value: string) => unknown>> = {
      'create --extract': create('extract'),
      'create --reason': create('reason'),
      'create --to': starts,
      'resume --to': starts,
      'switch --to': starts,
      'open --to': starts,
      'request --reason': create('reason'),
      'switch --reason': create('reason'),
      'init --agent': (value) => expect(pickAgents(found, value).length).toBeGreaterThan(0),
      'log --agent': (value) => expect(readLogOptions({ agent: value }, new Date()).filter.agent).toBe(value),
      'hook --agent': (value) => expect(adapters.map(({ id }) => id)).toContain(value),
    }
    const unread: string[] = []
    for (const { name, load } of commands) {
      const parser = new Command(name)
      ;(await load()).define(parser)
      for (const { flag, values } of spec.commands.find((one) => one.name === name)?.options ?? []) {
        if (!Array.isArray(values)) continue
        const option = parser.options.find(({ long }) => long === flag)
        const read =
          option?.argChoices === undefined
            ? readers[`${name} ${flag}`]
            : (value: string) => option.parseArg?.(value, undefined)
        if (read === undefined) unread.push(`${name} ${flag}`)
        for (const value of values)
          expect(() => read?.(whole(value)), `${name} ${flag} ${value}`).not.toThrow()
      }
    }
    expect(unread, 'options that no reader here takes').toEqual([])
    expect(at('create', '--extract', '')).toEqual(['none', 'agent', 'anthropic/', 'openai/', 'google/'])
  })

  it('offers agents by the table of agents', () => {
    expect(at('sessions', '--from', '')).toEqual(adapters.map(({ id }) => id))
    expect(at('switch', '--to', 'cl')).toEqual(['claude-code', 'cline'])
  })
})
