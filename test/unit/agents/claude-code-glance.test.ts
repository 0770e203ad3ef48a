import { expect, test } from 'vitest'
import { peek } from '../../../src/agents/claude-code/read.ts'

const message = { role: 'user', content: [{ tool_use_id: 'toolu_1', type: 'tool_result', content: 'done' }] }
const envelope = { cwd: `/home/dev/${'deep/'.repeat(40)}repo`, version: '2.1.330', gitBranch: 'main' }
const time = '2026-10-01T08:00:00.000Z'
const line = (record: object): Buffer => Buffer.from(JSON.stringify(record))

test('the time stands behind the message', () => {
  const record = { type: 'user', message, uuid: 'u', timestamp: time, toolUseResult: {}, ...envelope }
  expect(peek(line(record))?.at).toBe(time)
})

test('the time stands in the envelope at the end, behind the output', () => {
  const record = { type: 'user', message, toolUseResult: {}, uuid: 'u', timestamp: time, ...envelope }
  expect(peek(line(record))?.at).toBe(time)
})

test('a time inside of what the tool gave is not the time of the record', () => {
  const toolUseResult = { name: 'x', timestamp: '2020-01-01T00:00:00.000Z' }
  expect(peek(line({ timestamp: time, type: 'user', message, toolUseResult }))).toBeNull()
  expect(peek(line({ timestamp: time, type: 'user', message, toolUseResult, ...envelope }))).toBeNull()
})
