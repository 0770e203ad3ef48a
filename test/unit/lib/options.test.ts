import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { commands } from '../../../src/commands/table.ts'
import type { HandoffError } from '../../../src/errors/handoff-error.ts'
import { createBrief } from '../../../src/index.ts'
import { chain, checkBrief, readBrief } from '../../../src/lib/library.ts'

const page = readFileSync(fileURLToPath(new URL('../../../docs/spec/library.md', import.meta.url)), 'utf8')
// Before the tests: loading commands takes longer than a test may.
const modules = new Map(
  await Promise.all(commands.map(async ({ name, load }) => [name, await load()] as const)),
)
const AROUND = ['cwd', 'env', 'home', 'now', 'signal', 'onMessage']

/** Options that a function takes, as it says when it is given one that it does not. */
async function optionsOf(call: (options: never) => Promise<unknown>): Promise<string[]> {
  const hint = await call({ nothing: true } as never).then(
    () => 'It took it.',
    (error: HandoffError) => error.hint,
  )
  const [, list = ''] = /^It has: (.*)\.$/.exec(hint) ?? []
  return list.split(', ').filter((name) => !AROUND.includes(name))
}

/** What is called otherwise in the library, and what makes no sense there, as when nobody is asked: null. */
const NAMES: Readonly<Record<string, string | null>> = {
  notes: 'notesFile',
  skill: 'skills',
  noNotes: null,
  noAsk: null,
  noCommit: 'commit',
  chain: 'line',
  prompt: 'form',
  inline: 'form',
  // A terminal, a successor, or a form of the output.
  ...{ to: null, headless: null, edit: null, noEdit: null, preview: null, print: null, stdout: null },
  ...{ raw: null, format: null, graph: null, html: null, rules: null },
}
/** What stands on the command line without a name, or comes from standard input. */
const UNNAMED = ['goal', 'transcript', 'events', 'notes', 'id', 'paths', 'markdown']

it.each([
  ['create', 'createBrief', createBrief],
  ['show', 'readBrief', readBrief],
  ['check', 'checkBrief', checkBrief],
  ['log', 'chain', chain],
] as const)(
  'every option of %s is one of %s, and stands in docs/spec/library.md',
  async (verb, name, call) => {
    const has = await optionsOf(call)
    const command = new Command(verb)
    modules.get(verb)?.define(command)
    const flags = command.options.map((option) =>
      (option.long ?? '').slice(2).replace(/-(\w)/g, (_, letter) => letter.toUpperCase()),
    )
    const wanted = flags.flatMap((flag) => {
      const own = NAMES[flag]
      return own === null ? [] : [own ?? flag]
    })
    expect(has.filter((one) => !UNNAMED.includes(one)).sort()).toEqual([...new Set(wanted)].sort())
    const row = page.split('\n').find((line) => line.startsWith(`| \`${name}(`)) ?? ''
    const told = [...(row.split('|')[2] ?? '').matchAll(/`(\w+)`/g)].map(([, one]) => one)
    expect(told.toSorted()).toEqual(has.toSorted())
  },
)

it('what is around a call stands there too', () => {
  const [sentence = ''] = /^Every function also takes [\s\S]*?\. /m.exec(page) ?? []
  const names = sentence.match(/`\w+`/g)?.map((name) => name.slice(1, -1))
  expect(names?.filter((name) => name !== 'AbortSignal')).toEqual(AROUND)
})
