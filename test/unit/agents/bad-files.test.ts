import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { identifyFile } from '../../../src/agents/find.ts'
import { isHandoffError } from '../../../src/errors/handoff-error.ts'

const FIXTURES = join(import.meta.dirname, '../../fixtures/agents')
const scratch = mkdtempSync(join(tmpdir(), 'bad-files-'))
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

/** One recorded session of each agent: its folder and the file that a person would name. */
const sessions = readdirSync(FIXTURES).flatMap((agent) => {
  const [first = ''] = readdirSync(join(FIXTURES, agent))
  const folder = join(FIXTURES, agent, first)
  const name = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((path) => /(?:^|\/)session\.\w+$/.test(path))
    .sort()[0]
  return name === undefined ? [] : [{ agent, folder, name }]
})

type Harm = (text: string, path: string) => void
const HARMS: readonly [string, Harm][] = [
  ['an empty file', (_, path) => writeFileSync(path, '')],
  ['half a file', (text, path) => writeFileSync(path, text.slice(0, text.length / 2))],
  ['a file of another program', (_, path) => writeFileSync(path, '{"name":"calc","version":"1.0.0"}\n')],
  ['bytes that are no text', (_, path) => writeFileSync(path, Buffer.from([0xff, 0xfe, 0, 1, 2, 0x80]))],
  ['records of a version to come', (text, path) => writeFileSync(path, text.replace(/"type"/g, '"kind9"'))],
  [
    'a folder',
    (_, path) => {
      rmSync(path)
      mkdirSync(path)
    },
  ],
]

/** How reading ends: the code of what is said, or how many events there are. Anything else is thrown. */
async function outcome(path: string): Promise<string> {
  try {
    const { adapter, ref } = await identifyFile(path)
    let events = 0
    for await (const batch of adapter.read(ref, {})) events += batch.length
    return `${adapter.id}: ${events} events`
  } catch (error) {
    if (!isHandoffError(error)) throw error
    expect(error.message).not.toBe('')
    expect(error.hint).not.toBe('')
    return error.code
  }
}

describe.each(sessions)('a session of $agent', ({ agent, folder, name }) => {
  it.each(HARMS)('%s in its place is read or refused with a word, and stays as it is', async (what, harm) => {
    const copy = join(scratch, agent, what.replaceAll(' ', '-'))
    mkdirSync(dirname(copy), { recursive: true })
    cpSync(folder, copy, { recursive: true })
    const path = join(copy, name)
    harm(readFileSync(path, 'utf8'), path)
    const bytes = () => (statSync(path).isFile() ? readFileSync(path).toString('base64') : '')
    const before = bytes()
    const end = await outcome(path)
    if (/^(?:an empty|a file of|bytes|a folder)/.test(what)) expect(end).toMatch(/^E_SESSION_|^plain: /)
    expect(bytes()).toBe(before)
  })
})
