import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callerBy } from '../../../src/agents/caller.ts'
import { ohMyPi, pi } from '../../../src/agents/pi/index.ts'
import { createPiTranslator, piPrompt } from '../../../src/agents/pi/read.ts'

const home = join(import.meta.dirname, '../../fixtures/agents-home/pi')
const idsOf = (refs: { id: string }[]): string[] => refs.map(({ id }) => id)

describe('finding Pi sessions', () => {
  it('lets the header decide: this folder and its subfolders, newest first, no neighbour with a like name', async () => {
    const refs = await pi.find({ home, env: {} }, ['/home/dev/repo'])
    expect(idsOf(refs)).toEqual(['subdirectory-session', 'root-session'])
    expect(refs[1]).toMatchObject({
      agent: 'pi',
      cwd: '/home/dev/repo',
      startedAt: '2026-11-21T09:00:00.000Z',
      updatedAt: '2026-11-21T10:30:00.000Z',
      title: 'Retry queue',
    })
  })

  it('includes linked worktrees, given as roots', async () => {
    const refs = await pi.find({ home, env: {} }, ['/home/dev/elsewhere', '/home/dev/repo/packages'])
    expect(idsOf(refs)).toEqual(['subdirectory-session', 'linked-worktree-session'])
  })

  it('looks where the environment or the settings of the user put sessions, side by side in one folder', async () => {
    const roots = ['/home/dev/repo']
    const env = { PI_CODING_AGENT_SESSION_DIR: join(home, 'flat') }
    expect(idsOf(await pi.find({ home, env }, roots))).toEqual(['flat-session'])
    expect(idsOf(await pi.find({ home, env: { PI_CODING_AGENT_DIR: '~/custom' } }, roots))).toEqual([
      'flat-session',
    ])
  })

  it('finds nothing where Pi never ran', async () => {
    expect(await pi.find({ home: join(home, 'nobody'), env: {} }, ['/home/dev/repo'])).toEqual([])
  })

  it('finds oh-my-pi in its own folder', async () => {
    const refs = await ohMyPi.find({ home, env: {} }, ['/home/dev/repo'])
    expect(refs).toMatchObject([{ agent: 'oh-my-pi', id: 'omp-session' }])
  })
})

describe('the tools of a session', () => {
  it('C9: are those that our extension says are active', async () => {
    const [ref] = await pi.find({ home, env: {} }, ['/home/dev/repo'])
    if (ref === undefined) throw new Error('no session')
    const toolsOf = async (env: Record<string, string>) => {
      const told: (string[] | undefined)[] = []
      for await (const batch of pi.read(ref, { place: { home, env } }))
        for (const event of batch) if (event.kind === 'setting') told.push(event.tools)
      return told.filter((tools) => tools !== undefined)
    }
    expect(await toolsOf({})).toEqual([])
    expect(await toolsOf({ HANDOFF_ACTIVE_TOOLS: 'read,bash,mcp__x__y,not a name' })).toEqual([
      ['read', 'bash', 'mcp__x__y'],
    ])
  })
})

describe('who called', () => {
  it('names the session from 0.82 on, only the agent before', () => {
    const file = '/home/dev/.pi/agent/sessions/--home-dev-repo--/x.jsonl'
    expect(callerBy(pi, { PI_CODING_AGENT: 'true' })).toEqual({ agent: 'pi', sessionId: null, path: null })
    expect(callerBy(pi, { PI_CODING_AGENT: 'true', PI_SESSION_ID: 's', PI_SESSION_FILE: file })).toEqual({
      agent: 'pi',
      sessionId: 's',
      path: file,
    })
    expect(callerBy(pi, { PI_OFFLINE: '1' })).toBeNull()
  })
})

describe('a user row', () => {
  const skill = '<skill name="edges" location="/s/SKILL.md">\nRelative to /s.\n\nList edges.\n</skill>'

  it('gives the words behind a skill to the user and its text to nobody', () => {
    expect(piPrompt(`${skill}\n\nlook at sum`, 'u')).toEqual([
      { kind: 'skill', name: 'edges' },
      { kind: 'prompt', text: 'look at sum' },
    ])
    expect(piPrompt(skill, 'u')).toEqual([{ kind: 'skill', name: 'edges' }])
    expect(piPrompt('/skill:edges', 'u')).toEqual([{ kind: 'skill', name: 'edges' }])
  })

  it('is told as it was typed when it calls our own skill', () => {
    const typed = '/skill:handoff port the queue'
    expect(piPrompt(typed, 'u')).toEqual([{ kind: 'prompt', text: typed }])
    const expanded = skill.replace('edges', 'handoff')
    expect(piPrompt(`${expanded}\n\nport the queue`, 'u')).toEqual([{ kind: 'prompt', text: typed }])
    expect(piPrompt(expanded, 'u')).toEqual([{ kind: 'prompt', text: '/skill:handoff' }])
  })

  it('keeps every byte of words that only look like markup', () => {
    for (const text of [
      '  <skill>x</skill>\n',
      'see /skill:edges',
      '<file name="a">',
      'a\n<file name="b">\n\n</file>\n',
    ])
      expect(piPrompt(text, 'u')).toEqual([{ kind: 'prompt', text }])
  })

  it('takes attached files off, also when one holds a closing tag in a line', () => {
    const row = '<file name="/r/a.xml">\n<a></file></a>\n</file>\n<file name="/r/b.png"></file>\nCompare'
    expect(piPrompt(row, 'u').filter(({ kind }) => kind !== 'result')).toEqual([
      { kind: 'call', id: 'u:0', tool: '@', action: { type: 'read', paths: ['/r/a.xml'] }, by: 'user' },
      { kind: 'call', id: 'u:1', tool: '@', action: { type: 'read', paths: ['/r/b.png'] }, by: 'user' },
      { kind: 'prompt', text: 'Compare' },
    ])
  })
})

describe('a record', () => {
  const at = '2026-11-21T10:00:00.000Z'
  const message = (fields: object, id = 'm1') => ({ type: 'message', id, timestamp: at, message: fields })
  const kinds = (events: { kind: string }[] | null) => events?.map(({ kind }) => kind)

  it('taken out of the context loses its words, never its deeds', () => {
    const translate = createPiTranslator('/r', new Set(['m1', 'm2']))
    expect(translate(message({ role: 'user', content: 'forget this' }))).toEqual([])
    const content = [
      { type: 'text', text: 'I will edit.' },
      { type: 'toolCall', id: 'c', name: 'edit', arguments: { path: 'a.ts' } },
    ]
    expect(kinds(translate(message({ role: 'assistant', content }, 'm2')))).toEqual(['call'])
  })

  it('of a reply that broke off runs none of its calls', () => {
    const translate = createPiTranslator('/r', new Set())
    const content = [{ type: 'toolCall', id: 'c', name: 'write', arguments: { path: 'a.ts' } }]
    const aborted = translate(message({ role: 'assistant', content, stopReason: 'aborted' }))
    expect(aborted?.[1]).toMatchObject({ kind: 'result', id: 'c', ok: false, refused: true, text: '' })
    const failed = translate(
      message({ role: 'assistant', content, stopReason: 'error', errorMessage: '529' }),
    )
    expect(failed?.slice(1)).toMatchObject([
      { kind: 'result', ok: false },
      { kind: 'failure', text: '529' },
    ])
  })

  it('of the todo, question and subagent extensions keeps its meaning', () => {
    const translate = createPiTranslator('/r', new Set())
    const todos = [
      { id: 1, text: 'Port', done: true },
      { id: 2, text: 'Test', done: false },
    ]
    const result = message({
      role: 'toolResult',
      toolCallId: 'c',
      toolName: 'todo',
      content: [],
      details: { todos },
    })
    expect(translate(result)?.[1]).toMatchObject({
      kind: 'plan',
      items: [
        { text: 'Port', status: 'done', id: '1' },
        { text: 'Test', status: 'pending', id: '2' },
      ],
    })
    const call = (name: string, input: object) =>
      translate(
        message({ role: 'assistant', content: [{ type: 'toolCall', id: 'q', name, arguments: input }] }),
      )
    expect(call('question', { question: 'Which?', options: [{ label: 'A' }, 'B'] })?.[1]).toMatchObject({
      kind: 'question',
      id: 'q',
      text: 'Which?',
      options: ['A', 'B'],
    })
    const tasks = [
      { agent: 'x', task: 'one' },
      { agent: 'y', task: 'two' },
    ]
    expect(call('subagent', { tasks })?.[0]).toMatchObject({ action: { type: 'task', prompt: 'one\ntwo' } })
    const answer = {
      role: 'toolResult',
      toolCallId: 'q',
      toolName: 'question',
      content: [],
      details: { answer: 'A' },
    }
    expect(translate(message(answer))?.[1]).toMatchObject({ kind: 'answer', id: 'q', text: 'A' })
  })

  it('of version 1 and 2 is read as well: no ids, content as text, hook messages of extensions', () => {
    const translate = createPiTranslator('/r', new Set())
    const shell = {
      type: 'message',
      timestamp: at,
      message: { role: 'bashExecution', command: 'ls', exitCode: 2 },
    }
    expect(translate(shell)).toMatchObject([
      { kind: 'call', id: `user-${at}`, by: 'user' },
      { kind: 'result', id: `user-${at}`, ok: false, exitCode: 2 },
    ])
    expect(translate(message({ role: 'hookMessage', content: 'injected' }))).toEqual([])
    expect(translate(message({ role: 'oracle', content: 'x' }))).toBeNull()
  })
})
