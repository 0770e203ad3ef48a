import { describe, expect, it } from 'vitest'
import { openOutput } from '../../../src/output/output.ts'
import { wrapMessage } from '../../../src/text/rows.ts'

const LONG = 'one two three four five six'

function open(options: Partial<Parameters<typeof openOutput>[0]> = {}, isTTY = true) {
  const told = { stdout: '', stderr: '', messages: [] as string[] }
  const stream = (name: 'stdout' | 'stderr') => ({
    write: (text: string) => {
      told[name] += text
    },
    columns: 16,
    isTTY,
  })
  const out = openOutput({
    stdout: stream('stdout'),
    stderr: stream('stderr'),
    json: false,
    color: false,
    interactive: false,
    onMessage: (line) => told.messages.push(line),
    ...options,
  })
  return { out, told }
}

describe('messages', () => {
  it('are broken between words on a terminal', () => {
    const { out, told } = open({ wrap: wrapMessage })
    out.say(LONG)
    out.warn(LONG)
    expect(told.stderr).toBe('one two three\n  four five six\nwarning: one two\n  three four\n  five six\n')
    expect(out.warnings).toEqual([LONG])
  })

  it('keep their colour', () => {
    const { out, told } = open({ wrap: wrapMessage, color: true })
    out.warn('one two three')
    expect(told.stderr).toBe('\u001b[33mwarning:\u001b[0m one two\n  three\n')
  })

  it('are not broken where they are to be copied, nor where no terminal is', () => {
    const quoted = open({ wrap: wrapMessage })
    quoted.out.quote(LONG)
    expect(quoted.told.stderr).toBe(`${LONG}\n`)
    const piped = open({ wrap: wrapMessage }, false)
    piped.out.say(LONG)
    piped.out.warn(LONG)
    expect(piped.told.stderr).toBe(`${LONG}\nwarning: ${LONG}\n`)
  })

  it('name the program as it was started, but in bytes and in objects', () => {
    const line = 'Make one: `git handoff create`'
    const { out, told } = open({ program: () => './handoff' })
    for (const tell of [out.say, out.quote, out.warn]) tell(line)
    out.result(line, {})
    out.prose(line, {})
    out.raw(line)
    const own = 'Make one: `./handoff create`\n'
    expect(told).toMatchObject({ stderr: `${own}${own}warning: ${own}`, stdout: `${own}${own}${line}` })
    const asJson = open({ program: () => './handoff', json: true })
    asJson.out.object({ line })
    expect(asJson.told.stdout).toContain('git handoff create')
    expect(open().out.named(line)).toBe(line)
    const other = 'For the next person: git handoff open main'
    expect(out.named(other)).toBe(other)
    const form = 'git handoff <command>       the same, where only git finds it'
    expect(out.named(form)).toBe(form)
  })

  it('stand whole beside the one object of --json', () => {
    const { out, told } = open({ wrap: wrapMessage, json: true })
    out.say(LONG)
    out.warn(LONG)
    out.quote(LONG)
    expect(told).toEqual({ stdout: '', stderr: '', messages: [LONG, `warning: ${LONG}`, LONG] })
  })
})

describe('results', () => {
  it('are broken between words on a screen where they are prose, and nowhere else', () => {
    const shown = open({ wrap: wrapMessage })
    shown.out.prose(LONG, {})
    shown.out.result(LONG, {})
    expect(shown.told.stdout).toBe(`one two three\n  four five six\n${LONG}\n`)
    const piped = open({ wrap: wrapMessage }, false)
    piped.out.prose(`${LONG}\n`, {})
    expect(piped.told.stdout).toBe(`${LONG}\n`)
    const asked = open({ wrap: wrapMessage, json: true })
    asked.out.prose(LONG, { ok: true })
    expect(asked.told.stdout).toBe('{"ok":true}\n')
  })
})
