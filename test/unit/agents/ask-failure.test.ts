import { describe, expect, it } from 'vitest'
import { claudeCode } from '../../../src/agents/claude-code/index.ts'
import { codex } from '../../../src/agents/codex/index.ts'
import { geminiCli } from '../../../src/agents/gemini-cli/index.ts'
import type { Adapter } from '../../../src/types/agent.ts'

const lines = (...records: object[]): string => records.map((record) => JSON.stringify(record)).join('\n')
const saidBy = ({ launch }: Adapter, stdout: string, stderr = ''): string | undefined =>
  launch?.ask?.failure({ stdout, stderr }, null)?.said

describe('why a question failed, by what the agent printed: Claude Code', () => {
  const assistant = (text: string, more = {}) => ({
    type: 'assistant',
    message: { content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
    ...more,
  })
  const half = assistant('Let me think about {"relevantFiles"')

  it.each<[string, object[], string | undefined]>([
    ['half an answer is no reason', [half], undefined],
    ['a whole answer is none', [half, { type: 'result', is_error: false, result: 'x' }], undefined],
    ['a message that is an error', [half, assistant('No credit.', { error: 'rate_limit' })], 'No credit.'],
    [
      'the result before the message',
      [
        assistant('Half', { error: 'server_error' }),
        { type: 'result', is_error: true, result: 'No credit.' },
      ],
      'No credit.',
    ],
    [
      'a message that is an error before a later one that is none',
      [assistant('No credit.', { error: 'rate_limit' }), half, { type: 'result', is_error: true }],
      'No credit.',
    ],
    [
      'the message, where the result says no more than that it failed',
      [assistant('Run /login'), { type: 'result', is_error: true }],
      'Run /login',
    ],
    [
      'the errors of a result without a text, before half an answer',
      [half, { type: 'result', subtype: 'error_during_execution', is_error: true, errors: ['It broke.'] }],
      'It broke.',
    ],
  ])('%s', (_, records, said) => {
    expect(saidBy(claudeCode, lines(...records))).toBe(said)
  })
})

describe('why a question failed, by what the agent printed: Codex', () => {
  const retry = { type: 'error', message: 'Reconnecting... 1/5 (stream disconnected)' }
  const stopped = { type: 'error', message: 'exceeded retry limit' }
  const failed = { type: 'turn.failed', error: { message: 'No credit.' } }

  it.each<[string, object[], string, string | undefined]>([
    ['the end of the turn before all', [failed, retry], 'warning', 'No credit.'],
    ['an error', [stopped], 'warning', 'exceeded retry limit'],
    ['an error before the tries that came after it', [stopped, retry], '', 'exceeded retry limit'],
    ['a new try leaves it to standard error', [retry], 'real: stream closed', undefined],
    ['a new try where nothing else is said', [retry], ' \n', 'Reconnecting... 1/5 (stream disconnected)'],
    ['nothing', [], 'real: stream closed', undefined],
  ])('%s', (_, records, stderr, said) => {
    expect(saidBy(codex, lines(...records), stderr)).toBe(said)
  })
})

describe('the one record that Gemini CLI printed', () => {
  const answer = JSON.stringify({ response: 'hi', stats: {} })
  const pretty = JSON.stringify({ response: 'hi', stats: { a: [{ b: 1 }] } }, null, 2)

  it.each([
    ['alone', answer],
    ['below a warning', `Loaded cached credentials.\n${pretty}`],
    ['below a warning with a brace', `Skipped {x}.\n${pretty}`],
    ['on the line of a warning', `Loaded cached credentials. ${answer}`],
    ['on the line of a warning, over several', `Loaded cached credentials. ${pretty}`],
  ])('%s', (_, stdout) => {
    expect(geminiCli.launch?.ask?.blocks(stdout)).toEqual(['hi'])
  })

  it('an error on the line of a warning', () => {
    const stderr = `Loaded cached credentials. ${JSON.stringify({ error: { message: 'No credit' } })}`
    expect(saidBy(geminiCli, '', stderr)).toBe('No credit')
  })
})
