import { describe, expect, it } from 'vitest'
import { createTranslator } from '../../../src/agents/codex/events.ts'
import type { SessionEvent } from '../../../src/types/session.ts'

describe('records that clients wrote in between', () => {
  const meta = { type: 'session_meta', payload: { id: 'x', cwd: '/home/dev/repo', cli_version: '0.118.0' } }
  const item = (payload: object) => ({ timestamp: 't', type: 'response_item', payload })
  const event = (payload: object) => ({ timestamp: 't', type: 'event_msg', payload })
  const eventsOf = (records: object[], sub: string | null = null): SessionEvent[] => {
    const translator = createTranslator(sub, new Set())
    const events = [meta, ...records].flatMap((record) => translator.add(record as never) ?? [])
    return events.filter(({ kind }) => kind !== 'setting')
  }
  const shell = (name: string, args: object) =>
    item({ type: 'function_call', name, arguments: JSON.stringify(args), call_id: 'c1' })
  const output = (text: unknown) => item({ type: 'function_call_output', call_id: 'c1', output: text })
  const user = (text: string) =>
    item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
  const said = (text: string) =>
    item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })

  it('tells a command once though its output and exec_command_end both describe it (0.118)', () => {
    const end = {
      type: 'exec_command_end',
      call_id: 'c1',
      command: ['/bin/zsh', '-lc', 'go test ./...'],
      cwd: '/home/dev/repo/api',
      aggregated_output: 'FAIL\n',
      exit_code: 1,
      status: 'failed',
    }
    const text = "Command: /bin/zsh -lc 'go test ./...'\nProcess exited with code 1\nOutput:\nFAIL\n"
    const call = shell('exec_command', { cmd: 'go test ./...', workdir: 'api' })
    const told = [
      { kind: 'call', action: { type: 'run', command: 'go test ./...' }, cwd: '/home/dev/repo/api' },
      { kind: 'result', ok: false, exitCode: 1, text: 'FAIL\n' },
    ]
    expect(eventsOf([call, event(end), output(text)])).toMatchObject(told)
    expect(eventsOf([call, output(text), event(end)])).toMatchObject(told)
    // A subagent's file that copies the record tells it no second time.
    const seen = new Set(['c1'])
    expect(createTranslator('Euler', seen).add(call as never)).toEqual([])
  })

  it('leaves out what the app draws buttons from, but for the address of a pull request', () => {
    const url = 'https://github.com/a/b/pull/7'
    const stage = '::git-stage{cwd="/home/dev/repo"}'
    const pr = `::git-create-pr{cwd="/home/dev/repo" branch="fix" url="${url}" isDraft=false}`
    const told = (message: string) => event({ type: 'agent_message', message })
    const texts = eventsOf([told(`Pushed.\n\n${stage} ${stage}\n${pr}`), told(stage)])
    expect(texts).toMatchObject([{ kind: 'reply', text: `Pushed.\n\n\n${url}` }])
    expect(eventsOf([told('Use `std::git{}` and ::code-comment{title="x"}')])).toMatchObject([
      { text: 'Use `std::git{}` and ::code-comment{title="x"}' },
    ])
  })

  it('leaves a command without a known end without a result', () => {
    const call = shell('shell_command', { command: 'npm test' })
    expect(eventsOf([call, output('no status here')]).map(({ kind }) => kind)).toEqual(['call'])
    expect(eventsOf([call, output('Process running with session ID 7\nOutput:\n')])).toHaveLength(1)
  })

  it('tells refused, rejected and interrupted calls apart from failed ones', () => {
    const call = shell('exec_command', { cmd: 'rm -rf /' })
    const refused = { kind: 'result', ok: false, exitCode: null, refused: true }
    expect(eventsOf([call, output('exec command rejected by user')])[1]).toMatchObject(refused)
    expect(eventsOf([call, event({ type: 'turn_aborted', reason: 'interrupted' })])[1]).toMatchObject(refused)
    const failed = eventsOf([call, output('exec_command failed for `rm -rf /`: not found')])[1]
    expect(failed).toMatchObject({ ok: false })
    expect(failed).not.toHaveProperty('refused')
    const declined = event({
      type: 'item_completed',
      item: { type: 'FileChange', id: 'f', status: 'declined', changes: { '/a': { type: 'add' } } },
    })
    expect(eventsOf([declined])[1]).toMatchObject(refused)
    expect(eventsOf([declined])[1]).not.toHaveProperty('files')
  })

  it('keeps the end of a process that was still running when the turn was interrupted', () => {
    const running = output('Process running with session ID 7\nOutput:\n')
    const end = event({ type: 'exec_command_end', call_id: 'c1', command: ['make'], exit_code: 0 })
    const kinds = eventsOf([
      shell('exec_command', { cmd: 'make' }),
      running,
      event({ type: 'turn_aborted' }),
      end,
    ])
    expect(kinds).toMatchObject([{ kind: 'call' }, { kind: 'result', ok: true, exitCode: 0 }])
  })

  it('takes words from the events that tell them, once', () => {
    const twice = [
      user('fix add'),
      event({ type: 'user_message', message: 'fix add' }),
      said('ok'),
      event({ type: 'agent_message', message: 'ok' }),
    ]
    expect(eventsOf(twice).map(({ kind }) => kind)).toEqual(['prompt', 'reply'])
    expect(eventsOf([...twice, user('a row of the client'), said('a summary')])).toHaveLength(2)
  })

  it('takes no words of a subagent for words of the person', () => {
    expect(eventsOf([user('count'), event({ type: 'user_message', message: 'count' })], 'Euler')).toEqual([])
    expect(eventsOf([user('count')], 'Euler')).toEqual([])
  })

  it('tells a ! command once, as the person ran it', () => {
    const row = user(
      '<user_shell_command>\n<command>\nnpm test\n</command>\n<result>\nExit code: 1\nDuration: 0.1 seconds\nOutput:\nred\n\n</result>\n</user_shell_command>',
    )
    const told = [
      { kind: 'call', by: 'user', action: { type: 'run', command: 'npm test' } },
      { kind: 'result', ok: false, exitCode: 1, text: 'red\n' },
    ]
    expect(eventsOf([row])).toMatchObject(told)
    const end = event({
      type: 'exec_command_end',
      call_id: 'u',
      source: 'user_shell',
      command: ['/bin/bash', '-lc', 'npm test'],
      exit_code: 1,
      aggregated_output: 'red\n',
    })
    expect(eventsOf([end, row])).toMatchObject(told)
    expect(eventsOf([end, row])).toHaveLength(2)
  })

  it('gives every question its own answer', () => {
    const ask = shell('request_user_input', {
      questions: [
        { id: 'a', question: 'A?', options: [{ label: 'yes' }] },
        { id: 'b', question: 'B?' },
      ],
    })
    const answer = output('{"answers":{"a":{"answers":["yes","note: soon"]},"b":{"answers":["no"]}}}')
    expect(eventsOf([ask, answer])).toMatchObject([
      { kind: 'question', id: 'c1/a', text: 'A?', options: ['yes'] },
      { kind: 'question', id: 'c1/b', text: 'B?', options: [] },
      { kind: 'answer', id: 'c1/a', text: 'yes\nnote: soon' },
      { kind: 'answer', id: 'c1/b', text: 'no' },
    ])
    expect(eventsOf([ask, output('request_user_input was cancelled')])).toHaveLength(2)
  })

  it('accepts a proposal by what the client says for the person, and only then', () => {
    const plan = event({ type: 'item_completed', item: { type: 'Plan', text: '# Fix add\n' } })
    const prompt = (message: string) => event({ type: 'user_message', message })
    expect(eventsOf([plan, prompt('PLEASE IMPLEMENT THIS PLAN:\n# Fix add')])).toMatchObject([
      { kind: 'proposal', accepted: null },
      { kind: 'proposal', text: '# Fix add', accepted: true },
    ])
    expect(eventsOf([plan, prompt('No, smaller.'), prompt('Implement the plan.')])).toMatchObject([
      { kind: 'proposal' },
      { kind: 'prompt', text: 'No, smaller.' },
      { kind: 'prompt', text: 'Implement the plan.' },
    ])
  })

  it('starts counting anew with a client that does', () => {
    const count = (input: number, last: number) =>
      event({
        type: 'token_count',
        info: {
          total_token_usage: { input_tokens: input, output_tokens: 1 },
          last_token_usage: { input_tokens: last, output_tokens: 1 },
        },
      })
    const told = eventsOf([
      count(100, 100),
      count(100, 100),
      count(350, 250),
      count(40, 40),
      event({ type: 'token_count', info: null }),
    ])
    expect(told.map((one) => one.kind === 'usage' && one.inputTokens)).toEqual([100, 250, 40])
  })

  it('tells why the agent itself failed', () => {
    expect(eventsOf([event({ type: 'error', message: 'usage limit reached' })])).toMatchObject([
      { kind: 'failure', text: 'usage limit reached' },
    ])
    expect(eventsOf([event({ type: 'task_complete', last_agent_message: 'done' })])).toEqual([])
  })

  it('reads scripts of code mode where nothing else tells the commands', () => {
    const exec = (input: string) => item({ type: 'custom_tool_call', name: 'exec', input, call_id: 'c1' })
    const done = (...texts: string[]) =>
      item({
        type: 'custom_tool_call_output',
        call_id: 'c1',
        output: ['Script completed\nWall time 0.1 seconds\nOutput:\n', ...texts].map((text) => ({
          type: 'input_text',
          text,
        })),
      })
    const one = exec(
      'const r = await tools.exec_command({cmd:"npm test",workdir:"/home/dev/repo/api"}); text(r.output)',
    )
    expect(eventsOf([one, done('7 passing')])).toMatchObject([
      { kind: 'call', id: 'c1', cwd: '/home/dev/repo/api' },
      { kind: 'result', id: 'c1', exitCode: null, text: '7 passing', unsure: true },
    ])
    expect(eventsOf([one, done('{"exit_code":101,"output":"red"}')])[1]).toMatchObject({
      id: 'c1',
      exitCode: 101,
      ok: false,
      text: 'red',
    })
    for (const status of ['exit_code: 1', 'Exit code: 1', 'exit:1', 'exit=1'])
      expect(eventsOf([one, done('red', status)])[1]).toMatchObject({ exitCode: 1, ok: false, text: 'red' })
    // Among other words it is a quotation.
    expect(eventsOf([one, done('exit=1 is told')])[1]).toMatchObject({ exitCode: null, unsure: true })
    const two = exec('await Promise.all([tools.exec_command({cmd:"a"}), tools.exec_command({cmd:"b"})])')
    expect(eventsOf([two, done('exit_code: 0', 'exit_code: 1')])).toMatchObject([
      { id: 'c1/1' },
      { id: 'c1/2' },
      { id: 'c1/1', exitCode: 0, ok: true },
      { id: 'c1/2', exitCode: 1, ok: false },
    ])
    expect(eventsOf([two, done('', '[fix 1a2b3c4] Cap it')]).slice(2)).toMatchObject([
      { id: 'c1/1', text: '', unsure: true },
      { id: 'c1/2', text: '[fix 1a2b3c4] Cap it', unsure: true },
    ])
    expect(eventsOf([two, done('all of it')])).toHaveLength(2)
    const paginated = { type: 'session_meta', payload: { id: 'x', history_mode: 'paginated' } }
    const translator = createTranslator(null, new Set())
    translator.add(paginated as never)
    expect(translator.add(one as never)).toEqual([])
  })

  describe('a process that a script leaves behind', () => {
    let calls = 0
    /** A script and its answer. */
    const script = (input: string, seconds: number, ...texts: string[]) => {
      const call_id = `s${++calls}`
      const lead = `Script completed\nWall time ${seconds.toFixed(1)} seconds\nOutput:\n`
      return [
        item({ type: 'custom_tool_call', name: 'exec', input, call_id }),
        item({
          type: 'custom_tool_call_output',
          call_id,
          output: [lead, ...texts].map((text) => ({ type: 'input_text', text })),
        }),
      ]
    }
    const start = (print: string, ...rest: [number, ...string[]]) =>
      script(`const r = await tools.exec_command({cmd:"make",yield_time_ms:1000}); ${print}`, ...rest)
    const poll = (print: string, ...rest: [number, ...string[]]) =>
      script(
        `const r = await tools.write_stdin({session_id:42,chars:"",yield_time_ms:1000}); ${print}`,
        ...rest,
      )
    const WHOLE = 'text(JSON.stringify(r))'
    const SAID = 'text(r.output)'
    const goes = '{"session_id":42,"output":""}'
    const ends = (records: object[][]) => eventsOf(records.flat()).slice(1)

    it('ends with the poll that prints its status', () => {
      const told = [{ kind: 'result', exitCode: 2, ok: false, text: 'make: *** Error 2' }]
      const end = '{"exit_code":2,"output":"make: *** Error 2"}'
      expect(ends([start(WHOLE, 1.2, goes), poll(WHOLE, 5, goes), poll(WHOLE, 0.1, end)])).toMatchObject(told)
      const apart = ['make: *** Error 2', 'EXIT_CODE=2']
      expect(ends([start(SAID, 1.2, '', 'SESSION_ID=42'), poll(SAID, 0.1, ...apart)])).toMatchObject(told)
      expect(ends([start(WHOLE, 1.2, goes), poll(WHOLE, 5, goes)])).toEqual([])
    })

    it('ends unsure with the poll that was answered before its time', () => {
      const unsure = { kind: 'result', exitCode: null, text: 'done', unsure: true }
      expect(ends([start(WHOLE, 1.2, goes), poll(SAID, 5, 'half'), poll(SAID, 0.3, 'done')])).toMatchObject([
        unsure,
      ])
      // The agent saw the process, the file does not.
      expect(ends([start(SAID, 1, ''), poll(SAID, 0.3, 'done')])).toMatchObject([unsure])
      expect(ends([poll(SAID, 0.3, 'done')])).toEqual([])
    })

    it('waits with the poll', () => {
      const [call, going] = poll(WHOLE, 0)
      const output = [{ type: 'input_text', text: 'Script running with cell ID 9\nWall time 10.0 seconds\n' }]
      const wait = item({ type: 'function_call', name: 'wait', arguments: '{"cell_id":"9"}', call_id: 'w' })
      const end = item({
        type: 'function_call_output',
        call_id: 'w',
        output: [
          { type: 'input_text', text: 'Script completed\nWall time 0.0 seconds\nOutput:\n' },
          { type: 'input_text', text: '{"exit_code":0,"output":"ok"}' },
        ],
      })
      const polled = [call, { ...going, payload: { ...going?.payload, output } }, wait, end] as object[]
      expect(ends([start(WHOLE, 1.2, goes), polled])).toMatchObject([{ exitCode: 0, ok: true, text: 'ok' }])
    })
  })

  it('waits for a script that goes on', () => {
    const exec = item({
      type: 'custom_tool_call',
      name: 'exec',
      input: 'tools.exec_command({cmd:"make"})',
      call_id: 'c1',
    })
    const going = item({
      type: 'custom_tool_call_output',
      call_id: 'c1',
      output: [{ type: 'input_text', text: 'Script running with cell ID 7\n' }],
    })
    const wait = item({ type: 'function_call', name: 'wait', arguments: '{"cell_id":"7"}', call_id: 'c2' })
    const end = item({
      type: 'function_call_output',
      call_id: 'c2',
      output: [
        { type: 'input_text', text: 'Script completed\nOutput:\n' },
        { type: 'input_text', text: 'exit_code: 2' },
      ],
    })
    expect(eventsOf([exec, going, wait, end])).toMatchObject([
      { kind: 'call' },
      { kind: 'result', id: 'c1', exitCode: 2 },
    ])
  })
})
