import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { piAction } from '../../../src/agents/pi/calls.ts'
import { ohMyPi, ohMyPiNames, ohMyPiSessionFolders, pi } from '../../../src/agents/pi/index.ts'
import { createPiTranslator } from '../../../src/agents/pi/read.ts'
import type { SetupPlace } from '../../../src/types/agent.ts'
import type { SessionEvent } from '../../../src/types/session.ts'

const at = '2026-11-21T10:00:00.000Z'
const header = (id: string, cwd: string) =>
  JSON.stringify({ type: 'session', version: 3, id, timestamp: at, cwd })
const titled = (title: string) => JSON.stringify({ type: 'title', v: 1, title, updatedAt: at, pad: '  ' })

/** A scratch home with these files. */
async function homeWith(files: Record<string, string[]>): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'handoff-omp-'))
  onTestFinished(() => rm(home, { recursive: true, force: true }))
  for (const [path, lines] of Object.entries(files)) {
    await mkdir(dirname(join(home, path)), { recursive: true })
    await writeFile(join(home, path), `${lines.join('\n')}\n`)
  }
  return home
}

describe('finding oh-my-pi sessions', () => {
  it('knows how its folders are named: below the home, below the temporary folder, elsewhere', async () => {
    const sessions = join('.omp', 'agent', 'sessions')
    const home = await homeWith({
      [join(sessions, '-code-repo', 'a.jsonl')]: [
        titled('Fix the sum'),
        header('below-home', '/h/code/repo'),
      ],
      [join(sessions, '-code-repo-packages', 'b.jsonl')]: [
        titled(''),
        header('deeper', '/h/code/repo/packages'),
      ],
      [join(sessions, '-code-repository', 'c.jsonl')]: [
        titled(''),
        header('neighbour', '/h/code/repository'),
      ],
      [join(sessions, '-tmp-repo', 'd.jsonl')]: [titled(''), header('temporary', '/tmp/repo')],
      [join(sessions, '--srv-repo--', 'e.jsonl')]: [titled(''), header('elsewhere', '/srv/repo')],
    })
    // The names tell only what to look at; the headers here speak of another home.
    expect(ohMyPiNames('/h', ['/h/code/repo'])).toEqual(['-code-repo', '-tmp', '--h-code-repo'])
    expect(ohMyPiNames('/h', ['/'])).toContain('-')
    const find = async (root: string) =>
      (await ohMyPi.find({ home, env: {} }, [root])).map(({ id }) => id).sort()
    expect(await find('/srv/repo')).toEqual(['elsewhere'])
    expect(await find('/tmp/repo')).toEqual(['temporary'])
    expect(await find('/h/code/repo')).toEqual([])
    const real = await homeWith({})
    const path = join(real, sessions, '-code-repo', 'a.jsonl')
    await mkdir(dirname(path), { recursive: true })
    await writeFile(path, `${titled('Fix the sum')}\n${header('below-home', join(real, 'code', 'repo'))}\n`)
    expect(await ohMyPi.find({ home: real, env: {} }, [join(real, 'code', 'repo')])).toMatchObject([
      { agent: 'oh-my-pi', id: 'below-home', title: 'Fix the sum', startedAt: at },
    ])
  })

  it('looks where the environment, a profile or the desktop puts them', () => {
    const folders = (env: Record<string, string>) => ohMyPiSessionFolders({ home: '/h', env })
    expect(folders({})).toEqual(['/h/.omp/agent/sessions'])
    expect(folders({ PI_CODING_AGENT_SESSION_DIR: '~/here' })).toEqual(['/h/here'])
    expect(folders({ OMP_PROFILE: 'work', PI_CODING_AGENT_DIR: '/x' })).toEqual([
      '/h/.omp/profiles/work/agent/sessions',
    ])
    expect(folders({ PI_CODING_AGENT_DIR: '/x', XDG_DATA_HOME: '/d' })).toEqual([
      '/d/omp/sessions',
      '/x/sessions',
    ])
  })

  it('finds sessions without a title line, and those of every profile (A-12)', async () => {
    const home = await homeWith({
      '.omp/agent/sessions/--srv-repo--/a.jsonl': [header('untitled', '/srv/repo')],
      '.omp/profiles/work/agent/sessions/--srv-repo--/b.jsonl': [
        titled(''),
        header('of-a-profile', '/srv/repo'),
      ],
    })
    const found = await ohMyPi.find({ home, env: {} }, ['/srv/repo'])
    expect(found.map(({ agent, id }) => [agent, id]).sort()).toEqual([
      ['oh-my-pi', 'of-a-profile'],
      ['oh-my-pi', 'untitled'],
    ])
    const path = join(home, '.omp/agent/sessions/--srv-repo--/a.jsonl')
    const head = header('untitled', '/srv/repo')
    expect([await pi.identify(path, head), (await ohMyPi.identify(path, head))?.id]).toEqual([
      null,
      'untitled',
    ])
  })

  it('shares a folder with Pi and takes only its own', async () => {
    const folder = join('shared', 'sessions', '--srv-repo--')
    const home = await homeWith({
      [join(folder, 'pi.jsonl')]: [header('pi', '/srv/repo')],
      [join(folder, 'omp.jsonl')]: [titled(''), header('omp', '/srv/repo')],
    })
    const place = { home, env: { PI_CODING_AGENT_DIR: join(home, 'shared') } }
    expect((await ohMyPi.find(place, ['/srv/repo'])).map(({ id }) => id)).toEqual(['omp'])
    expect((await pi.find(place, ['/srv/repo'])).map(({ id }) => id)).toEqual(['pi'])
  })
})

describe('a session of oh-my-pi', () => {
  it('begins anew behind /clear in the same file', async () => {
    const entry = (id: string, parentId: string | null, fields: object) =>
      JSON.stringify({ type: 'message', id, parentId, timestamp: at, ...fields })
    const user = (content: string) => ({ message: { role: 'user', content } })
    const home = await homeWith({
      'a.jsonl': [
        titled(''),
        header('s', '/r'),
        entry('a', null, user('before')),
        JSON.stringify({ type: 'reset_boundary', id: 'b', parentId: 'a', timestamp: at }),
        entry('c', 'b', user('after')),
      ],
    })
    const path = join(home, 'a.jsonl')
    const ref = await ohMyPi.identify(path, `${titled('')}\n${header('s', '/r')}\n`)
    const events: SessionEvent[] = []
    const skipped: string[] = []
    if (ref)
      for await (const batch of ohMyPi.read(ref, { onSkip: (reason) => skipped.push(reason) }))
        events.push(...batch)
    expect(events).toMatchObject([{ kind: 'prompt', text: 'after' }])
    expect(skipped).toEqual([])
  })
})

describe('a record of oh-my-pi', () => {
  const translate = createPiTranslator('/r', new Set())
  const message = (fields: object) => ({ type: 'message', id: 'm', timestamp: at, message: fields })
  const result = (toolName: string, details: object, fields: object = {}) =>
    translate(message({ role: 'toolResult', toolCallId: 'c', toolName, content: [], details, ...fields }))

  it('of an edit tells which files it changed, also of several and of those that failed', () => {
    expect(result('edit', { op: 'create', path: '/r/a' })?.[0]).toMatchObject({
      files: [{ path: '/r/a', change: 'create' }],
    })
    const each = [
      { op: 'update', path: '/r/b', sourcePath: '/r/a' },
      { op: 'delete', path: '/r/c' },
      { op: 'update', path: '/r/d', isError: true },
    ]
    expect(result('edit', { perFileResults: each })?.[0]).toMatchObject({
      files: [
        { path: '/r/b', change: 'rename', from: '/r/a' },
        { path: '/r/c', change: 'delete' },
      ],
    })
  })

  it('of a plan in phases says where each task stands, also when the person changed it', () => {
    const tasks = [
      { content: 'Port', status: 'completed' },
      { content: 'Test', status: 'blocked', blocker: 'a key' },
      { content: 'Polish', status: 'abandoned' },
    ]
    const items = [
      { text: 'Port', status: 'done' },
      { text: 'Test', status: 'pending', blockedBy: ['a key'] },
      { text: 'Polish', status: 'cancelled' },
    ]
    const phases = [{ name: 'All', tasks }]
    expect(result('todo', { op: 'done', phases })?.[1]).toMatchObject({ kind: 'plan', items })
    expect(result('todo', { op: 'view', phases })).toHaveLength(1)
    const custom = { type: 'custom', customType: 'user_todo_edit', data: { phases }, id: 'x', timestamp: at }
    expect(translate(custom)).toMatchObject([{ kind: 'plan', items }])
  })

  it('of questions keeps each with its answer, but none that was given when the time was up', () => {
    const asked = { question: 'Which?', options: [{ label: 'A' }, { label: 'B' }] }
    const input = { questions: [asked, { ...asked, question: 'And then?' }] }
    const call = { type: 'toolCall', id: 'c', name: 'ask', arguments: input }
    expect(translate(message({ role: 'assistant', content: [call] }))?.slice(1)).toMatchObject([
      { kind: 'question', id: 'c', text: 'Which?', options: ['A', 'B'] },
      { kind: 'question', id: 'c/2', text: 'And then?' },
    ])
    const results = [
      { selectedOptions: ['A'], note: 'for now' },
      { selectedOptions: ['B'], timedOut: true },
    ]
    expect(result('ask', { results })?.slice(1)).toMatchObject([
      { kind: 'answer', id: 'c', text: 'A\nfor now' },
    ])
    expect(result('ask', { selectedOptions: [], customInput: 'Neither' })?.[1]).toMatchObject({
      kind: 'answer',
      text: 'Neither',
    })
  })

  it('of a command in the background ends when its job is delivered, with the status that stands there', () => {
    const content = [{ type: 'toolCall', id: 'c', name: 'bash', arguments: { command: 'make', async: true } }]
    translate(message({ role: 'assistant', content }))
    expect(result('bash', { async: { state: 'running', jobId: 'bg_1', type: 'bash' } })).toEqual([])
    const notice =
      '<system-notice>\nBackground job bg_1 has completed.\nno rule\nWall time: 2.98 seconds\n\nCommand exited with code 2\n</system-notice>'
    const jobs = [{ jobId: 'bg_1', type: 'bash' }]
    const delivered = {
      type: 'custom_message',
      customType: 'async-result',
      content: notice,
      details: { jobs },
    }
    expect(translate({ ...delivered, id: 'x', timestamp: at })).toMatchObject([
      { kind: 'result', id: 'c', ok: false, exitCode: 2, text: 'no rule\n\nCommand exited with code 2' },
    ])
    expect(translate({ ...delivered, id: 'x', timestamp: at })).toEqual([])
  })

  it('of a skill gives its name and the words beside it, unless another than the person called it', () => {
    const called = (name: string, more: object = {}) =>
      translate({
        type: 'custom_message',
        customType: 'skill-prompt',
        content: '# Edges\n\nList edges.',
        details: { name, path: '/s/SKILL.md', args: 'look at sum', lineCount: 3 },
        attribution: 'user',
        id: 'x',
        timestamp: at,
        ...more,
      })
    expect(called('edges')).toMatchObject([
      { kind: 'skill', name: 'edges' },
      { kind: 'prompt', text: 'look at sum' },
    ])
    expect(called('handoff')).toMatchObject([{ kind: 'prompt', text: '/skill:handoff look at sum' }])
    expect(called('edges', { attribution: 'agent' })).toEqual([])
    expect(called('edges', { details: null })).toEqual([])
  })

  it('of the client itself is nobody’s words, and a model of its helpers is not the session’s', () => {
    expect(translate(message({ role: 'developer', content: '<system-reminder>…' }))).toEqual([])
    expect(translate({ type: 'model_change', id: 'x', model: 'p/small', role: 'smol' })).toEqual([])
    expect(translate({ type: 'model_change', id: 'x', model: 'p/large' })).toMatchObject([
      { kind: 'setting', model: 'p/large' },
    ])
    expect(translate({ type: 'title_change', id: 'x', title: 'Sum' })).toMatchObject([{ title: 'Sum' }])
    for (const type of ['model_usage', 'mode_change', 'ttsr_injection', 'credential_pin'])
      expect(translate({ type, id: 'x' })).toEqual([])
  })

  it('of files named in a prompt reads them', () => {
    const files = [{ path: 'a.ts', content: 'x' }]
    expect(translate(message({ role: 'fileMention', files }))?.[0]).toMatchObject({
      kind: 'call',
      action: { type: 'read', paths: ['a.ts'] },
      by: 'user',
    })
  })
})

describe('a path of oh-my-pi', () => {
  it('may say which lines to read, and several places to search', () => {
    const read = (path: string) => piAction('read', { path })
    for (const path of ['a.ts', 'a.ts:10', 'a.ts:10-20', 'a.ts:1-3,9+2', 'a.ts:-5', 'a.ts:raw:5-9'])
      expect(read(path)).toEqual({ type: 'read', paths: ['a.ts'] })
    expect(read('a:b.ts')).toEqual({ type: 'read', paths: ['a:b.ts'] })
    expect(piAction('grep', { pattern: 'x', path: 'src; test/**/*.ts; a.ts:3-9' })).toEqual({
      type: 'search',
      pattern: 'x',
      paths: ['src', 'a.ts'],
    })
    expect(piAction('glob', { path: 'src/**/*.ts' })).toEqual({
      type: 'search',
      pattern: 'src/**/*.ts',
      paths: [],
    })
  })
})

describe('set-up of oh-my-pi', () => {
  it('is the extension of Pi under a name that nothing else has, and the server, both in .omp', () => {
    const place: SetupPlace = {
      root: '/r',
      home: '/h',
      env: {},
      hookCommand: (event) => event,
      mcp: { command: 'sh', args: ['-c', 'serve'] },
      template: () => "const AGENT = 'pi'\nconst COMMAND = 'handoff'\n",
    }
    expect(ohMyPi.setup?.(place)).toEqual([
      {
        type: 'file',
        path: '/r/.omp/extensions/handoff.js',
        content: "const AGENT = 'oh-my-pi'\nconst COMMAND = 'git-handoff'\n",
      },
      {
        type: 'json-value',
        path: '/r/.omp/mcp.json',
        at: ['mcpServers', 'handoff'],
        value: { command: 'sh', args: ['-c', 'serve'] },
      },
    ])
    expect(ohMyPi.launch?.program).toBe('omp')
  })
})
