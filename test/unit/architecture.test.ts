import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const SRC = fileURLToPath(new URL('../../src', import.meta.url))

/** Which rooms a room may import, besides types.ts and errors.ts. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  // Makes text safe for terminals and markdown, and measures it.
  text: [],
  brief: ['text'],
  // Says whether a brief is still true, from facts that the commands read. Extract splits its command lines.
  verify: ['brief', 'text', 'extract'],
  secrets: [],
  trust: [],
  extract: [],
  // Searches sessions for the words of a question. Extract splits texts into words and knows handoff's own calls.
  ask: ['extract'],
  validate: ['brief', 'text'],
  agents: [],
  git: [],
  config: [],
  // What an agent needs is handed over as data: one room knows the agents, this one knows files.
  hooks: [],
  // Makes everything visible before it prints it, and reads the sections of a brief to paint them.
  output: ['brief', 'text'],
  store: ['brief'],
  // What people see of a chain of briefs: the comment on a pull request, the page, the drawn chain, what changed.
  report: ['brief', 'text', 'verify'],
  // Judges the product, so it shares no code with it.
  eval: [],
  model: [],
  // The server speaks a protocol; the commands hand it their tools, so that commands and server do not need each other.
  mcp: [],
  // The full cycle: starting, environment, terminals. What is secret in an environment, that room knows.
  switch: ['secrets'],
  // Judges facts that the commands have read; what it says is for a shell, whose words have one home, and for a screen, whose lines have.
  doctor: ['hooks', 'output'],
  commands: [
    'agents',
    'git',
    'extract',
    'ask',
    'brief',
    'text',
    'verify',
    'report',
    'validate',
    'store',
    'secrets',
    'config',
    'output',
    'trust',
    'eval',
    'model',
    'hooks',
    'switch',
    'doctor',
    'mcp',
  ],
  // brief only for the id of a new brief, which the clock and the dice of the process go into.
  cli: ['commands', 'output', 'brief', 'text'],
  // What other programs call is the program itself; of the other rooms only types.
  lib: ['cli', 'commands'],
  index: ['lib', 'commands', 'brief'],
}
const FREE = new Set(['types', 'errors'])
const PURE = [
  'text',
  'brief',
  'verify',
  'report',
  'secrets',
  'extract',
  'ask',
  'validate',
  'trust',
  'eval',
  'doctor',
  'types',
  'errors',
]
/** Modules a pure room never touches: disk, processes, network, environment. */
const OUTER =
  /^(?:node:)?(?:fs|fs\/promises|child_process|os|process|net|http|https|worker_threads|readline)$|^simple-git$/

interface Module {
  room: string
  path: string
  code: string
  imports: string[]
}

const modules: Module[] = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .sort()
  .map((name) => {
    const code = readFileSync(join(SRC, name), 'utf8')
    return { room: roomOf(name), path: name, code, imports: importsOf(code) }
  })

describe('the house', () => {
  it('has code to look at', () => {
    expect(modules.length).toBeGreaterThan(20)
  })

  it.each(modules.map((m) => [m.path, m] as const))('%s imports only what its room may', (_, module) => {
    const allowed = MAY[module.room] ?? []
    const wrong = module.imports
      // Texts of templates/ are put into the code when it is built; nothing is read at run time.
      .filter(
        (target) =>
          target.startsWith('.') && !/^(?:\.\.\/)+templates\/(?:agents\/)?[a-z-]+\.txt\?raw$/.test(target),
      )
      .map((target) => roomOf(relative(SRC, resolve(SRC, dirname(module.path), target))))
      .filter((room) => room !== module.room && !FREE.has(room) && !allowed.includes(room))
    expect(wrong).toEqual([])
  })

  it('has a line in the table for every room', () => {
    const rooms = new Set(modules.map((m) => m.room).filter((room) => !FREE.has(room)))
    expect([...rooms].filter((room) => !(room in MAY))).toEqual([])
  })

  it('lets no pure room touch disk, clock, dice or environment', () => {
    const wrong = modules
      .filter((m) => PURE.includes(m.room))
      .flatMap((m) => [
        ...m.imports.filter((target) => OUTER.test(target)).map((target) => `${m.path}: ${target}`),
        ...(/\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\bprocess\.(?!off)/.test(stripComments(m.code))
          ? [`${m.path}: clock, dice or process`]
          : []),
      ])
    expect(wrong).toEqual([])
  })

  it('knows git in one room only', () => {
    const wrong = modules.filter(
      (m) => m.room !== 'git' && m.imports.some((target) => target === 'simple-git'),
    )
    expect(wrong.map((m) => m.path)).toEqual([])
  })

  it('starts programs in few places, git behind one door, and none through a shell but the editor of the person', () => {
    // Each with the reason why it may.
    const MAY_START: Readonly<Record<string, string>> = {
      'git/spawn.ts': 'git',
      'git/object-reader.ts': 'type of a child of the door',
      'git/process-chain.ts': 'ps, where there is no /proc',
      'agents/opencode-program.ts': 'the program that owns the sessions',
      'switch/start-agent.ts': 'the successor',
      'switch/tmux.ts': 'tmux',
      'model/program.ts': 'a model of the person’s own, and an agent for its answer or its version',
      'commands/edit-draft.ts': 'the editor, which may be a command line',
      'output/escape-key.ts': 'ps, where there is no /proc',
      'commands/pending-step.ts': 'a program of the person’s own configuration',
      'commands/cycle-detach.ts': 'handoff itself',
    }
    const starting = modules.filter((m) =>
      m.imports.some((target) => /^(?:node:)?child_process$/.test(target)),
    )
    expect(starting.map((m) => m.path).filter((path) => !(path in MAY_START))).toEqual([])
    const code = (m: Module) => stripComments(m.code)
    const gits = modules.filter((m) =>
      /\b(?:spawn|spawnSync|execFile|execFileSync|fork)\(\s*['"`]git/.test(code(m)),
    )
    expect(gits.map((m) => m.path)).toEqual(['git/spawn.ts'])
    const simple = modules.filter((m) => m.imports.includes('simple-git'))
    expect(simple.map((m) => m.path)).toEqual(['git/read-git.ts'])
    const shells = starting.filter((m) =>
      /\bshell\s*:|\bexecSync\(|[^.\w]exec\(|['"`](?:\/bin\/)?(?:sh|bash|cmd(?:\.exe)?)['"`]\s*,\s*\[/.test(
        code(m),
      ),
    )
    expect(shells.map((m) => m.path)).toEqual(['commands/edit-draft.ts'])
  })

  it('exits in one place only', () => {
    const wrong = modules.filter(
      (m) => m.path !== 'cli.ts' && /process\.exit(?:Code)?\b/.test(stripComments(m.code)),
    )
    expect(wrong.map((m) => m.path)).toEqual([])
  })

  it('types import nothing', () => {
    expect(modules.find((m) => m.path === 'types.ts')?.imports).toEqual([])
  })

  it('keeps files small', () => {
    const long = modules
      .map((m) => [m.path, m.code.split('\n').length] as const)
      .filter(([, lines]) => lines > 300)
    // These two are tables: all shapes on one page, all ways to fail in one place.
    expect(long.filter(([path]) => path !== 'types.ts' && path !== 'errors.ts')).toEqual([])
  })

  it('never says `npx handoff` in texts that may be read where nothing is installed', () => {
    const templates = fileURLToPath(new URL('../../templates', import.meta.url))
    const hooks = fileURLToPath(new URL('../../hooks', import.meta.url))
    const texts = [templates, hooks].flatMap((dir) =>
      readdirSync(dir, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    expect(texts.length).toBeGreaterThan(0)
    const wrong = [...texts, ...modules.map((m) => join(SRC, m.path))].filter((path) =>
      /npx handoff\b/.test(stripComments(readFileSync(path, 'utf8'))),
    )
    expect(wrong).toEqual([])
  })
})

function roomOf(path: string): string {
  return (path.split('/')[0] ?? path).replace(/\.ts$/, '')
}

function importsOf(code: string): string[] {
  return [...code.matchAll(/(?:from\s+|import\s*\(\s*|import\s+)['"]([^'"]+)['"]/g)].map((m) => m[1] ?? '')
}

function stripComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
