import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import {
  antigravity,
  antigravityModel,
  antigravityPrompt,
  createAntigravityTranslator,
  readAntigravityRef,
} from '../../../src/agents/antigravity.ts'
import { callerBy } from '../../../src/agents/caller.ts'
import { identifyFile } from '../../../src/agents/find.ts'

const home = join(import.meta.dirname, '../../fixtures/agents-home/antigravity')
const fixtures = join(import.meta.dirname, '../../fixtures/agents')
const roots = ['/home/dev/repo']
const logs = (id: string): string => join(home, '.gemini/antigravity-cli/brain', id, '.system_generated/logs')

describe('finding sessions of Antigravity', () => {
  it('takes those whose workspace is here, and those that name none but work here', async () => {
    const refs = await antigravity.find({ home, env: {} }, roots)
    // b: another workspace. e: empty. f: another product. g: words only, and no workspace. i: five routes in code, one file of the agent.
    expect(refs.map(({ id }) => id).sort()).toEqual([
      'a-in-history',
      'c-by-its-paths',
      'd-first-empty',
      'h-of-the-ide',
      'i-shows-routes',
    ])
    expect(refs.find(({ id }) => id === 'd-first-empty')?.path).toMatch(/transcript\.jsonl$/)
    expect(refs[0]).toMatchObject({
      agent: 'antigravity',
      cwd: '/home/dev/repo',
      startedAt: '2026-11-24T10:00:00.000Z',
      updatedAt: '2026-11-24T10:00:01.000Z',
    })
    expect(await antigravity.find({ home: '/nowhere', env: {} }, roots)).toEqual([])
  })

  it('counts neither routes in code nor the files of the agent as work elsewhere (A-3)', async () => {
    const own = mkdtempSync(join(tmpdir(), 'antigravity-'))
    const brain = join(own, '.gemini/antigravity/brain/x')
    const folder = join(brain, '.system_generated/logs')
    mkdirSync(folder, { recursive: true })
    const shown = join(
      home,
      '.gemini/antigravity/brain/i-shows-routes/.system_generated/logs/transcript.jsonl',
    )
    const row = (name: string) =>
      JSON.stringify({
        ...{ step_index: 9, source: 'MODEL', type: 'PLANNER_RESPONSE', status: 'DONE' },
        tool_calls: [{ name: 'write_to_file', args: { TargetFile: join(brain, name) } }],
      })
    const rows = ['task.md', 'plan.md', 'walkthrough.md', 'notes.md'].map(row)
    writeFileSync(join(folder, 'transcript.jsonl'), `${readFileSync(shown, 'utf8')}${rows.join('\n')}\n`)
    const found = await antigravity.find({ home: own, env: {} }, roots)
    rmSync(own, { recursive: true })
    expect(found.map(({ id }) => id)).toEqual(['x'])
  })

  it('finds the lines that earlier builds of the IDE wrote as overview.txt (A-16)', async () => {
    const own = mkdtempSync(join(tmpdir(), 'antigravity-'))
    const folder = join(own, '.gemini/antigravity/brain/old/.system_generated/logs')
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'overview.txt'),
      readFileSync(join(logs('c-by-its-paths'), 'transcript_full.jsonl')),
    )
    const found = await antigravity.find({ home: own, env: {} }, roots)
    rmSync(own, { recursive: true })
    expect(found.map(({ id, cwd }) => [id, cwd])).toEqual([['old', '/home/dev/repo']])
  })

  it('takes a transcript by its content, with its workspace and its id', async () => {
    const { ref } = await identifyFile(join(logs('b-elsewhere'), 'transcript_full.jsonl'))
    expect(ref).toMatchObject({ agent: 'antigravity', id: 'b-elsewhere', cwd: '/home/dev/repo-two' })
    await expect(identifyFile(join(logs('e-empty'), 'transcript_full.jsonl'))).rejects.toMatchObject({
      code: 'E_SESSION_FORMAT',
    })
    for (const other of ['claude-code/compaction', 'plain/jsonl', 'copilot-cli/api-error-1.0'])
      expect(readAntigravityRef(join(fixtures, other, 'session.jsonl'), null)).toBeNull()
    const other = join(logs('f-other'), 'transcript_full.jsonl')
    expect(await antigravity.identify(other, readFileSync(other, 'utf8'))).toBeNull()
  })

  it('knows its caller and the session', () => {
    expect(callerBy(antigravity, { ANTIGRAVITY_CONVERSATION_ID: 'x' })).toMatchObject({ sessionId: 'x' })
    expect(callerBy(antigravity, { ANTIGRAVITY_AGENT: '1' })).toMatchObject({ sessionId: null })
    expect(callerBy(antigravity, { GEMINI_CLI: '1' })).toBeNull()
  })
})

describe('reading a session of Antigravity', () => {
  const line = { bytes: Buffer.from(''), index: 0, offset: 0, torn: false }
  const ask = (place: number, ...names: string[]) => ({
    step_index: place,
    source: 'MODEL',
    type: 'PLANNER_RESPONSE',
    tool_calls: names.map((name) => ({ name, args: { CommandLine: name, Cwd: '/r' } })),
  })
  const end = (place: number, type: string, content: string, status = 'DONE') => ({
    ...{ step_index: place, source: 'MODEL', type, content, status },
  })

  it('gives each result to the oldest call of its kind, and one of an unknown kind to another tool', () => {
    const { add } = createAntigravityTranslator('/r')
    add(ask(1, 'run_command', 'view_file', 'mcp_tool', 'run_command'), line)
    expect(add(end(2, 'VIEW_FILE', 'x'), line)).toMatchObject([{ id: '1:1', text: '' }])
    expect(add(end(3, 'GENERIC', 'said'), line)).toMatchObject([{ id: '1:2', text: 'said' }])
    expect(add(end(4, 'RUN_COMMAND', '\tThe command failed with exit code: -1\n'), line)).toMatchObject([
      { id: '1:0', ok: false, exitCode: -1 },
    ])
    expect(add(end(5, 'RUN_COMMAND', 'x', 'RUNNING'), line)).toMatchObject([{ id: '1:3', unsure: true }])
    expect(add(end(6, 'RUN_COMMAND', 'x'), line)).toEqual([])
    // A result that stood before an earlier call is that of a later one only if it comes behind it.
    expect(add(ask(7, 'run_command'), line)).toMatchObject([{ kind: 'call' }])
  })

  it('keeps an output that says what the client says, and its own tabs', () => {
    const { add } = createAntigravityTranslator('/r')
    add(ask(1, 'run_command'), line)
    const said =
      'Created At: x\nCompleted At: y\n\n\t\tThe command completed successfully.\n\t\tOutput:\n\t\tall:\n\t\t\tOutput:'
    expect(add(end(2, 'RUN_COMMAND', said), line)).toMatchObject([{ exitCode: 0, text: 'all:\n\tOutput:' }])
  })

  it('takes an output of very many lines', () => {
    const { add } = createAntigravityTranslator('/r')
    add(ask(1, 'run_command'), line)
    const said = `\tThe command completed successfully.\n\tOutput:\n${'\tx\n'.repeat(300_000)}`
    const [result] = add(end(2, 'RUN_COMMAND', said), line) ?? []
    expect(result?.kind === 'result' && result.text).toMatch(/^x\nx\n[\s\S]* characters left out /)
  })

  it('counts steps that nobody knows', () => {
    const { add } = createAntigravityTranslator(null)
    for (const step of [{}, { type: 'X' }, { type: 'X', source: 'SYSTEM' }])
      expect(add(step, line)).toBeNull()
    expect(add({ type: 'PLANNER_RESPONSE', tool_calls: [4, { name: 4, args: 'x' }] }, line)).toHaveLength(2)
  })

  it('takes the words of the person and the model out of what the client sends', () => {
    expect(
      antigravityPrompt('<USER_REQUEST>\na\n</USER_REQUEST>\n<ADDITIONAL_METADATA>b</ADDITIONAL_METADATA>'),
    ).toBe('a')
    expect(antigravityPrompt('<ADDITIONAL_METADATA>b</ADDITIONAL_METADATA> a')).toBe('a')
    expect(antigravityPrompt('plain <b>words</b>')).toBe('plain <b>words</b>')
    const change = (name: string) =>
      `The user changed setting \`Model Selection\` from None to ${name}. No comment.`
    expect(antigravityModel(change('Gemini 3.5 Flash (High)'))).toBe('Gemini 3.5 Flash (High)')
    expect(antigravityModel('to be or not')).toBe('')
  })
})
