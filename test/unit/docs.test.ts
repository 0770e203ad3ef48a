import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import {
  agentTable,
  code,
  codes,
  commandReference,
  configList,
  ruleList,
  withPart,
} from '../../scripts/doc-tables.ts'
import {
  documents,
  idiomsIn,
  longSentences,
  messagesIn,
  withoutFences,
} from '../../scripts/plain-english.mjs'
import { allWords, commandWords, MAX_COMMAND_WORDS, MAX_WORDS } from '../../scripts/words.mjs'
import { adapters } from '../../src/agents/table.ts'
import { readFrontMatter } from '../../src/brief/front-matter.ts'
import { sections } from '../../src/brief/sections.ts'
import { templates } from '../../src/brief/template.ts'
import { commands } from '../../src/commands/table.ts'
import { defaultConfig, type Key, keys } from '../../src/config/keys.ts'
import { type HandoffError, isHandoffError } from '../../src/errors/handoff-error.ts'
import { rules } from '../../src/validate/validate-brief.ts'
import { truthCodes } from '../../src/verify/truth-items.ts'
import { failures } from '../all-failures.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (path: string): string => readFileSync(ROOT + path, 'utf8')
/** Every page that people read, by its path. */
const pages = new Map(
  [
    ...readdirSync(ROOT).filter((name) => name.endsWith('.md')),
    ...['docs', 'docs/agents', 'docs/spec', 'bench'].flatMap((folder) =>
      readdirSync(ROOT + folder).map((name) => `${folder}/${name}`),
    ),
  ]
    .filter((path) => path.endsWith('.md'))
    .sort()
    .map((path) => [path, read(path)]),
)
const format = read('docs/spec/format.md')
const spec = read('docs/spec/brief-v1.md')
const reference = read('docs/commands.md')
const forScripts = read('docs/scripts.md')
const sources = readdirSync(`${ROOT}src`, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .map((path) => ({ path, code: read(`src/${path}`) }))
// Before the tests: loading every command takes longer than a test may.
const modules = await Promise.all(commands.map(async (spec) => ({ spec, module: await spec.load() })))

/** What stands under a heading of level two, up to the next one. */
const under = (text: string, heading: string): string =>
  text.split(/^## /m).find((part) => part.startsWith(`${heading}\n`)) ?? ''
/** Lines of the tables in a text, without their heads. */
const rowsOf = (text: string): string[] =>
  text
    .split('\n')
    .filter(
      (line, i, all) =>
        line.startsWith('| ') && !/^\| ---/.test(all[i + 1] ?? '') && !line.startsWith('| ---'),
    )

describe('docs/commands.md', () => {
  it('has a section for every command', () => {
    expect([...reference.matchAll(/^## `handoff (\w+)`$/gm)].map(([, name]) => name)).toEqual(
      commands.map(({ name }) => name),
    )
  })

  it('says what the help of each command says; `node scripts/emit-schema.mjs` writes it', () => {
    const made = commandReference(commands, new Map(modules.map(({ spec, module }) => [spec.name, module])))
    expect(withPart(reference, 'commands', made)).toBe(reference)
  })
})

describe('docs/scripts.md', () => {
  it('lists every code of verify, with what it does to the exit code', () => {
    const told = [
      ...under(forScripts, 'Codes of verify').matchAll(/exit code ([01]):\n\n```text\n([\s\S]*?)```/g),
    ].flatMap(([, exit, rows = '']) => [...rows.matchAll(/^[a-z-]+/gm)].map(([id]) => `${id} ${exit}`))
    expect(told).toEqual(
      Object.entries(truthCodes).map(([id, level]) => `${id} ${level === 'finding' ? 1 : 0}`),
    )
  })

  it('lists every error code with its exit code and what it carries', () => {
    const table = [
      ...under(forScripts, 'Errors').matchAll(/^Exit code (\d+):\n\n```text\n([\s\S]*?)```/gm),
    ].flatMap(([, exit, rows = '']) => (rows.match(/^E_.*$/gm) ?? []).map((row) => ({ exit, row })))
    const made = Object.values(failures).flatMap((make) => sample(make) ?? [])
    expect(made.length).toBeGreaterThan(30)
    for (const { code: id, exit, data } of made) {
      const line = table.find(({ row }) => row.split(' ')[0] === id)
      expect(line?.exit, `${id}, exit ${exit}`).toBe(String(exit))
      const keys = /\(([^)]*)\)$/.exec(line?.row ?? '')?.[1]?.split(', ') ?? []
      expect(keys).toEqual(expect.arrayContaining(Object.keys(data)))
    }
    const known = sources.flatMap((file) =>
      [...file.code.matchAll(/'(E_[A-Z_]+)'/g)].map(([, id]) => id ?? ''),
    )
    const told = table.map(({ row }) => row.split(' ', 1)[0] ?? '')
    expect(told.toSorted()).toEqual([...new Set(known)].sort())
  })
})

describe('docs/agents/README.md', () => {
  const page = read('docs/agents/README.md')

  it('has the table of all agents; `node scripts/emit-schema.mjs` writes it', () => {
    const made = agentTable(adapters, readdirSync(`${ROOT}docs/agents`), `${ROOT}test/fixtures/agents`)
    expect(withPart(page, 'agents', made)).toBe(page)
  })
})

describe('docs/configuration.md', () => {
  const configuration = read('docs/configuration.md')

  it('has the table of all keys as the program has them; `node scripts/emit-schema.mjs` writes it', () => {
    expect(withPart(configuration, 'keys', configList(keys, defaultConfig()))).toBe(configuration)
  })

  it('has no key that nothing reads', () => {
    const isRead = ({ path }: Key): boolean =>
      sources.some(
        (file) =>
          !file.path.startsWith('config/') &&
          new RegExp(`\\bconfig\\.${path.split('.')[0]}\\b`, 'i').test(file.code),
      )
    const own = ['limits', 'budget']
    const idle = keys.filter((key) => !own.includes(key.path.split('.')[0] ?? '') && !isRead(key as Key))
    expect(idle.map(({ path }) => path)).toEqual([])
  })

  it('lists every place of a configuration file, in order', () => {
    const places = [
      ...read('src/config/files.ts').matchAll(/^ {2}'([^']+)',$|= \[((?:'[^']+',? ?)+)\]/gm),
    ].flatMap(([, one, list]) =>
      one === undefined ? [...(list ?? '').matchAll(/'([^']+)'/g)].map(([, x]) => x) : [one],
    )
    expect(places.length).toBeGreaterThan(10)
    const told = [...under(configuration, 'Files').matchAll(/`([^`\s]+)`/g)].map(([, name]) => name)
    expect(told.filter((name) => places.includes(name))).toEqual(expect.arrayContaining(places))
    expect(told.filter((name, i) => places.includes(name) && told.indexOf(name) === i)).toEqual(places)
  })
})

describe('docs/spec', () => {
  it('lists every section in its order', () => {
    const told = under(spec, 'Sections').match(/^- `\w+`: .*?: /gm)
    expect(told).toEqual(
      sections.map(
        ({ id, heading, level, required, zone }) =>
          `- ${code(id)}: ${code(`${'#'.repeat(level)} ${heading}`)}${required ? ', required' : ''}; from ${zone.join(', ')}: `,
      ),
    )
  })

  it('shows a front matter that fits the schema', () => {
    const [, example = ''] = /^```yaml\n([\s\S]*?)^```$/m.exec(under(spec, 'Front matter')) ?? []
    expect(readFrontMatter(`---\n${example}---\n`).meta.goal).toContain('docs/retry.md')
  })

  it('lists every rule with its level, as `node scripts/emit-schema.mjs` writes it', () => {
    expect(withPart(spec, 'rules', ruleList(rules))).toBe(spec)
  })

  it('lists every template with its slots', () => {
    const told = rowsOf(under(format, 'Templates')).map((line) =>
      line
        .split('|')
        .slice(1, 3)
        .map((cell) => cell.trim()),
    )
    expect(told).toEqual(
      Object.entries(templates).map(([name, { slots }]) => [
        code(name),
        slots.length === 0 ? 'none' : codes(slots),
      ]),
    )
  })
})

describe('docs/README.md', () => {
  it('leads to every document', () => {
    const links = [
      ...linksOf(read('docs/README.md')),
      ...linksOf(read('docs/agents/README.md')).map((link) => `agents/${link}`),
    ]
    const known = [...pages.keys()].filter((path) => path.startsWith('docs/') && path !== 'docs/README.md')
    expect(known.filter((path) => !links.includes(path.slice('docs/'.length)))).toEqual([])
  })
})

it.each(['switch.cast', 'switch.svg'])(
  'docs/images/%s names no folder of the machine it was made on',
  (name) => {
    expect(/\/(?:root|tmp)\b.{0,40}/.exec(read(`docs/images/${name}`))?.[0]).toBeUndefined()
  },
)

describe('docs/agents', () => {
  const headings = (text: string) => [...text.matchAll(/^## (.*)$/gm)].map(([, heading]) => heading)

  it.each(adapters.filter(({ id }) => id !== 'plain'))('$id has a guide or a row of its own', (adapter) => {
    const { id, label, setup } = adapter
    const guide = pages.get(`docs/agents/${id}.md`)
    const small = (pages.get('docs/agents/README.md') ?? '').split('## The smaller ones')[1] ?? ''
    if (guide === undefined) {
      expect(small).toContain(`| \`${id}\` | `)
      return
    }
    expect(guide.split('\n')[0]).toBe(`# ${label}`)
    expect(headings(guide)).toEqual([...(setup === undefined ? [] : ['Set-up']), 'Sessions', 'Limits'])
  })
})

describe('docs/threat-model.md', () => {
  it('names a test that exists for whatever holds, and for whatever does not', () => {
    const page = pages.get('docs/threat-model.md') ?? ''
    const rows = page
      .slice(page.indexOf('## What holds'))
      .split(/\n(?=- |\n)/)
      .filter((item) => item.startsWith('- '))
    expect(rows.length).toBeGreaterThan(30)
    for (const row of rows) {
      const tests = [...row.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path)
      expect(
        tests.filter((path) => existsSync(new URL(`../../${path}`, import.meta.url))),
        row,
      ).toEqual(tests)
      expect(tests, row).not.toEqual([])
    }
  })
})

describe('length', () => {
  it('all documents and the text about a command have their most words, as bench/house.mjs counts them', () => {
    expect(allWords()).toBeLessThanOrEqual(MAX_WORDS)
    const counted = commandWords()
    expect(counted.map(({ name }) => name)).toEqual(commands.map(({ name }) => `handoff ${name}`))
    expect(counted.filter(({ words }) => words > MAX_COMMAND_WORDS)).toEqual([])
  })

  it('counts tables and JSON of a command, but not its blocks', () => {
    const page = '## Other\n\na b c\n\n## `handoff x`\n\none `{two, three}`\n\n```text\nno no\n```\n\n| 1 |\n'
    expect(commandWords(page)).toEqual([{ name: 'handoff x', words: 9 }])
  })
})

describe('plain English', () => {
  it.each(documents())('%s: at most 25 words in a sentence, and no idiom', (path) => {
    const page = pages.get(path) ?? ''
    expect(longSentences(page)).toEqual([])
    expect(idiomsIn(page)).toEqual([])
  })

  it.each(commands.map(({ name, load }) => [name, load] as const))('%s --help does, too', async (_, load) => {
    const command = new Command()
    ;(await load()).define(command)
    const parts: string[] = []
    command.configureOutput({ writeOut: (part) => void parts.push(part) }).outputHelp()
    const text = parts.join('')
    const words =
      text
        .slice(text.search(/-h, --help.*$/m))
        .replace(/^.*\n/, '')
        .split('\nExample')[0] ?? ''
    expect(longSentences(words.replace(/^(?:\{.*\}$| .*)/gm, ''))).toEqual([])
    expect(idiomsIn(words)).toEqual([])
  })

  it('what the program prints does, too', () => {
    // The text of latest.md has the same bytes in every repository and commit.
    const read = sources.filter(({ path }) => path !== 'brief/latest.ts' && !path.endsWith('.d.ts'))
    const faults = read.flatMap(({ path, code }) =>
      messagesIn(code).flatMap((text) =>
        // Rows of a table in a help text begin with blanks.
        [...longSentences(text.replace(/^ .*$/gm, '')), ...idiomsIn(text)].map(
          (fault) => `${path}: ${fault}`,
        ),
      ),
    )
    expect(faults).toEqual([])
  })

  it('finds what is not', () => {
    const printed = ["say('It was asked in vain')", 'say(`Asked $' + '{name} in vain`)']
    expect(printed.flatMap(messagesIn).flatMap(idiomsIn)).toHaveLength(2)
    const words = `Word${' word'.repeat(25)}`
    expect(longSentences(`Two words. ${words}.\n\n| a | ${words} |\n`)).toEqual([`${words}.`, words])
    expect(longSentences(`\`\`\`text\n${words}\n\`\`\`\n${words.replaceAll(' word', '. Word')}`)).toEqual([])
    expect(idiomsIn('The model was asked in vain.')).toEqual([expect.stringContaining('in vain')])
  })

  it.each([...pages])('%s: calls the program `handoff`, and starts it as `git handoff`', (path, page) => {
    // What is called `handoff` on npm is by somebody else.
    expect(page.match(/\b(?:npx|pnpm|yarn|bunx)(?: dlx| exec)? (?:--\S+ )*handoff\b/g)).toBeNull()
    const prose = withoutFences(page).replace(/`[^`]*`/g, '')
    expect(prose.match(/(?<![-*`]|# )\bHandoff\b(?! Context)/g)).toBeNull()
    const typed = [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)]
      .flatMap(([, body = '']) => body.split('\n'))
      .filter((line) => /^handoff /.test(line))
    if (path !== 'docs/commands.md') expect(typed).toEqual([])
    // In a checkout npx runs what a branch brings: a page that says how to install it is read elsewhere.
    if (path !== 'README.md') expect(page).not.toContain('npx git-handoff')
  })
})

it('a page that the program names is there', () => {
  const named = sources.flatMap(({ code }) => code.match(/\bdocs\/[\w/-]+\.md\b/g) ?? [])
  expect(named.length).toBeGreaterThan(10)
  expect(named.filter((path) => !/tax/.test(path) && !existsSync(ROOT + path))).toEqual([])
})

describe('every page', () => {
  it.each([...pages])('%s: paths of this repository and links exist', (page, text) => {
    const plain = withoutFences(text)
    const paths = [
      ...plain.matchAll(/`((?:src|test|docs|bench|scripts|hooks|templates|bin)\/[\w./-]+)`/g),
    ].map(([, path]) => path ?? '')
    expect(paths.filter((path) => !existsSync(ROOT + path))).toEqual([])
    const broken = linksOf(text).filter((to) => {
      const [file = '', anchor] = to.split('#')
      const target = file === '' ? page : normalize(join(dirname(page), file))
      if (!existsSync(ROOT + target)) return true
      return anchor !== undefined && !anchorsOf(pages.get(target) ?? '').includes(anchor)
    })
    expect(broken).toEqual([])
  })
})

/** Links that lead into this repository. */
const linksOf = (text: string): string[] =>
  [...withoutFences(text).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, to]) => to ?? '')
    .filter((to) => !/^[a-z]+:/.test(to))

/** The failure that a function of `errors.ts` makes, whatever its arguments are called; null for everything else. */
function sample(make: unknown): HandoffError | null {
  if (typeof make !== 'function') return null
  for (const args of [
    ['x', 'x', 'x'],
    [['x'], 'x', 'x'],
    ['x', ['x'], 'x'],
  ]) {
    try {
      const made: unknown = make(...args)
      if (isHandoffError(made)) return made
    } catch {
      // Not these arguments.
    }
  }
  return null
}

/** Anchors as GitHub makes them. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#{1,6} (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replace(/\s/g, '-'),
  )
