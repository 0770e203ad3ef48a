import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { answerWith } from '../../../repo/model-answer.ts'
import { type Answer, MODELS, type ModelServer, startModelServer } from '../../../repo/model-server.ts'
import { create, made, usual } from '../../../repo/usual.ts'

const [ANTHROPIC] = MODELS
const REPLY = answerWith()

let server: ModelServer | null = null
afterEach(async () => {
  await server?.close()
  server = null
})
async function answering(...answers: Answer[]): Promise<ModelServer> {
  server = await startModelServer(answers)
  return server
}
/** Why a model failed; its brief was made all the same. */
async function whyIn(model: string, service: ModelServer, env: Record<string, string> = {}): Promise<string> {
  const { warnings, commit, brief } = await made(usual(), ['--extract', model], {
    env: { ...service.env, ...env },
  })
  expect(commit).not.toBeNull()
  expect(brief.extraction.mode).toBe('none')
  return warnings.find((text: string) => text.includes('; the brief quotes the session')) ?? ''
}

describe.each(MODELS)('%s: why there is no answer, and what to do', (model) => {
  it.each<[string, Answer, RegExp]>([
    ['429', { status: 429, message: () => 'Slow down.' }, /429: Slow down/],
    ['401', { status: 401, message: () => 'No such key' }, /401: No such key; look at [A-Z_]+_API_KEY/],
    ['403', { status: 403, message: () => 'Not yours' }, /403: Not yours; look at [A-Z_]+_API_KEY/],
    ['503', { status: 503, message: () => 'Overloaded' }, /503: Overloaded/],
    ['an answer that is blank', { text: '   \n' }, /its answer was empty/],
    ['an answer that is cut', { text: REPLY.slice(0, 60), isCut: true }, /its answer was cut/],
    ['a refusal', { refuses: true }, /it refused to answer/],
    ['a connection that is cut', { breaks: true }, /try again, or look at [A-Z_]+_BASE_URL/],
  ])('%s', async (_, answer, why) => {
    const service = await answering(answer)
    expect(await whyIn(model, service)).toMatch(why)
    // Nobody pays twice for what ends the same.
    expect(service.bodies).toHaveLength(1)
  })

  it('no key: it is said which variable, and nothing is sent', async () => {
    const service = await answering({ text: REPLY })
    const none = { ANTHROPIC_API_KEY: '', OPENAI_API_KEY: '', GOOGLE_GENERATIVE_AI_API_KEY: ' ' }
    expect(await whyIn(model, service, none)).toMatch(/no key is set, in [A-Z_]+_API_KEY/)
    expect(service.bodies).toEqual([])
  })

  it('a model that is not there is an error, and nothing is written', async () => {
    const name = `${model.split('/')[0]}/nope`
    const told = { message: () => 'The model nope does not exist.' }
    for (const answer of [
      { status: 404, ...told },
      // As each of the three calls it.
      {
        status: 404,
        message: () => 'Not here.',
        more: {
          type: 'not_found_error',
          status: 'NOT_FOUND',
          code: model.startsWith('openai') ? 'model_not_found' : 404,
        },
      },
      ...(name.startsWith('openai') ? [{ status: 400, ...told, more: { code: 'model_not_found' } }] : []),
    ]) {
      const repo = usual()
      const service = await answering(answer)
      const { code, json } = await create(repo, ['--extract', name], { env: service.env })
      expect(code).toBe(2)
      const [error] = json.errors
      expect(error.code).toBe('E_MODEL_UNKNOWN')
      expect(error.message).toContain(name)
      expect(error.message).toContain('named by `--extract`')
      expect(error.message).toContain(answer.message())
      expect(existsSync(join(repo.root, '.handoff'))).toBe(false)
      await service.close()
    }
  })
})

describe('where Anthropic is reached', () => {
  it.each([
    ['', '/v1/messages'],
    ['/', '/v1/messages'],
    ['/v1', '/v1/messages'],
    ['/v1/', '/v1/messages'],
    ['/api', '/api/v1/messages'],
    ['/api/', '/api/v1/messages'],
    ['/api/v1', '/api/v1/messages'],
  ])('%j: as Claude Code reads the same variable', async (path, at) => {
    const service = await answering({ text: REPLY })
    await made(usual(), ['--extract', ANTHROPIC], {
      env: { ...service.env, ANTHROPIC_BASE_URL: `${service.env.ANTHROPIC_BASE_URL}${path}` },
    })
    expect(service.arrived[0]).toMatch(new RegExp(`^POST ${at}\n`))
  })

  it('an empty key is none: the token is sent', async () => {
    const service = await answering({ text: REPLY })
    await made(usual(), ['--extract', ANTHROPIC], {
      env: { ...service.env, ANTHROPIC_API_KEY: '', ANTHROPIC_AUTH_TOKEN: 'tok' },
    })
    expect(service.arrived[0]).toContain('"authorization":"Bearer tok"')
    expect(service.arrived[0]).not.toContain('x-api-key')
  })
})
