import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { takenBy } from '../../scripts/doc-tables.ts'
import { manPage } from '../../scripts/man-page.ts'
import { byMoment } from '../../src/cli/overview.ts'
import { pages } from '../../src/commands/help-topics.ts'
import { commands } from '../../src/commands/table.ts'

const page = readFileSync(new URL('../../docs/git-handoff.1', import.meta.url), 'utf8')
const lines = page.trimEnd().split('\n')
// Before the tests: loading commands takes longer than a test may.
const modules = new Map(
  await Promise.all(commands.map(async ({ name, load }) => [name, await load()] as const)),
)
/** What the macros of a line come to, for those who read it. */
const read = (line: string): string =>
  line
    .replace(/\\f[BR]|\\&/g, '')
    .replace(/\\\[u([0-9A-F]{4,6})\]/g, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))
    .replace(
      /\\\((?:rs|ga|aq|ha|ti)/g,
      (name) => ({ rs: '\\', ga: '`', aq: "'", ha: '^', ti: '~' })[name.slice(2)] ?? '',
    )
    .replaceAll('\\-', '-')
/** What stands behind `.TP`, a name and the line that explains it, below the last heading. */
const entries = lines.flatMap((line, at) =>
  line === '.TP' ? [[read(lines[at + 1] ?? ''), read(lines[at + 2] ?? '')] as const] : [],
)

it('is as `node scripts/emit-schema.mjs` writes it', () => {
  expect(manPage(commands, modules, pages)).toBe(page)
})

it('has every command below its moment, with each argument and option', () => {
  const headings = lines.flatMap((line) => /^\.SS (.*)$/.exec(line)?.[1] ?? [])
  expect(headings).toEqual(byMoment(commands).map(([heading]) => heading))
  const inOrder = byMoment(commands).flatMap(([, all]) =>
    all.flatMap(({ name }) => {
      const { args, options } = takenBy(modules.get(name) ?? { define: () => undefined })
      return [`handoff ${name}`, ...[...args, ...options].map(([taken]) => taken)]
    }),
  )
  expect(inOrder.length).toBeGreaterThan(100)
  expect(entries.slice(0, inOrder.length).map(([name]) => name)).toEqual(inOrder)
  expect(entries.filter(([name, about]) => name === '' || about === '')).toEqual([])
})

it('is what man(7) can read: its macros, their order and their pairs', () => {
  const macros = /^\.(?:\\"|TH|SH|SS|TP|PP|RS|RE|BR|br)(?= |$)/
  expect(lines.filter((line) => line.startsWith('.') && !macros.test(line))).toEqual([])
  expect(lines.filter((line) => line.startsWith("'") || line.trim() === '')).toEqual([])
  expect(lines[1]).toBe('.TH GIT\\-HANDOFF 1 "" git\\-handoff "User Commands"')
  // What apropos(1) and whatis(1) take.
  expect(lines.slice(2, 4)).toEqual(['.SH NAME', expect.stringMatching(/^git\\-handoff \\- \S/)])
  expect(lines.flatMap((line) => /^\.SH (.*)$/.exec(line)?.[1] ?? [])).toEqual(
    ['NAME', 'SYNOPSIS', 'DESCRIPTION', 'COMMANDS', 'OPTIONS OF EVERY COMMAND'].concat([
      'TOPICS',
      'FILES',
      'EXIT STATUS',
      'EXAMPLES',
      'SEE ALSO',
    ]),
  )
  let depth = 0
  for (const line of lines) {
    if (line === '.RS') depth++
    if (line === '.RE') depth--
    expect(depth === 0 || depth === 1, line).toBe(true)
    // A tag stays inside its list.
    if (/^\.S[HS] /.test(line)) expect(depth).toBe(0)
  }
  expect(depth).toBe(0)
})

it('has no character that roff reads or prints as another one', () => {
  expect(page).toMatch(/^[\n\x20-\x7e]*$/)
  for (const line of lines.filter((one) => !one.startsWith('.'))) {
    expect(line).not.toMatch(/(?<!\\)-|[`'^~]/)
    expect(line.replace(/\\(?:-|&|f[BR]|\((?:rs|ga|aq|ha|ti)|\[u[0-9A-F]{4,6}\])/g, '')).not.toContain('\\')
  }
})
