import { readFileSync } from 'node:fs'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect, it } from 'vitest'
import type { Invocation } from '../../src/command.ts'
import { INSTRUCTIONS } from '../../src/commands/mcp.ts'
import { mcpTools } from '../../src/mcp/mcp-tools.ts'

const template = (name: string): string =>
  readFileSync(new URL(`../../templates/agents/${name}`, import.meta.url), 'utf8')

/** What a client puts before its model of each tool. */
const tools = mcpTools({} as Invocation).map(({ name, description, input }) => ({
  name,
  description,
  input_schema: input['~standard'].jsonSchema.input({ target: 'draft-2020-12' }),
}))
/** Name, description and hint of the arguments of the skill; the rest is read when it is used. */
const skill = /^---\n([\s\S]*?)\n---\n/.exec(template('SKILL.md'))?.[1] ?? ''

it('U-M6: costs a session in which nothing is open at most 600 tokens, whatever of it the client loads', () => {
  const cost = {
    skill: countTokens(skill),
    tools: countTokens(JSON.stringify(tools)),
    instructions: countTokens(INSTRUCTIONS),
    agentsMd: countTokens(template('agents-md.md')),
  }
  const sum = Object.values(cost).reduce((all, one) => all + one)
  expect(skill).toContain('name: handoff')
  expect(tools.length).toBeGreaterThan(0)
  expect(sum, JSON.stringify(cost)).toBeLessThanOrEqual(600)
})

it('says each thing at one place only', () => {
  const places = [JSON.stringify(tools), INSTRUCTIONS, template('agents-md.md'), skill]
  for (const thing of [/working memory|git handoff note/, /latest\.md/, /Before this session ends/])
    expect(places.filter((text) => thing.test(text)).length, String(thing)).toBeLessThanOrEqual(1)
  // A file that is there for ever, also when it says nothing, is no reason to read it.
  expect(places.join('\n')).not.toMatch(/if `?\.handoff\/latest\.md`? exists/)
})
