import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { circlesIn, importedPath, readModules, roomOf } from '../../bench/import-graph.mjs'
import { ALONE, IN_PART } from '../../vitest.config.ts'

type Module = ReturnType<typeof readModules>[number]

const SRC = fileURLToPath(new URL('../../src', import.meta.url))

/** Which rooms a room may import, besides types, errors, command.ts, programs.ts, process-chain.ts and private-folder.ts. An arrow points down: rooms never import each other. */
const MAY: Readonly<Record<string, readonly string[]>> = {
  // What a verb is handed and gives back.
  command: ['output'],
  // Pure rooms and rooms that know one thing outside: text, git, files of agents, a model, a protocol.
  text: [],
  brief: ['text'],
  secrets: [],
  trust: [],
  facts: ['text'],
  validate: ['brief', 'text'],
  agents: [],
  git: [],
  config: [],
  // What an agent needs is handed over as data: one room knows the agents, this one knows files.
  hooks: ['config', 'text'],
  // Makes everything visible before it prints it, and reads the sections of a brief to paint them.
  output: ['brief', 'text'],
  store: ['brief'],
  // What a model is asked and answers: the conversation as text, and which of its items hold.
  model: ['brief', 'facts', 'text'],
  // What a command works in: the repository, its configuration, the person, programs on this machine.
  workspace: ['agents', 'brief', 'config', 'git', 'hooks', 'output', 'secrets', 'store', 'text', 'validate'],
  // Uncommitted work beside a brief: what it is, keeping it, and restoring it elsewhere. The question whether it goes is stored as the person answers it.
  work: ['config', 'git', 'secrets', 'store', 'text', 'workspace'],
  // The life of briefs: the trunk, the state of each, what is open here, what is handed down.
  life: ['facts', 'git', 'text'],
  // The briefs of a repository: which one is current, the chain, latest.md, saving one.
  briefs: ['brief', 'git', 'life', 'output', 'store', 'text', 'trust', 'workspace'],
  // Is a brief still true, and the line that points to it.
  verify: ['brief', 'briefs', 'facts', 'git', 'life', 'store', 'text'],
  // What people see of a chain of briefs: the comment on a pull request, the page, the drawn chain, what changed.
  report: ['brief', 'facts', 'text', 'verify'],
  // Starts the next agent.
  start: ['agents', 'brief', 'briefs', 'git', 'secrets', 'store', 'text', 'verify', 'workspace'],
  // Which session is meant, and reading it. One that an agent is asked for by protocol needs its login, as when it is started.
  // A step of a plan that is done is not proposed as a goal.
  session: [
    'agents',
    'brief',
    'briefs',
    'facts',
    'git',
    'life',
    'secrets',
    'start',
    'store',
    'text',
    'workspace',
  ],
  // A session, git and a goal become a brief.
  create: [
    'agents',
    'brief',
    'briefs',
    'config',
    'facts',
    'git',
    'hooks',
    // Files that stand as `init` left them are no evidence.
    'init',
    'life',
    'model',
    'output',
    'secrets',
    'session',
    'start',
    'store',
    'text',
    'validate',
    'verify',
    'work',
    'workspace',
  ],
  // The full cycle: ask, wait, commit, start.
  switch: [
    'agents',
    'brief',
    'briefs',
    'config',
    'create',
    'git',
    'init',
    'life',
    'session',
    'start',
    'store',
    'text',
    'verify',
    // A successor in a worktree of its own takes what is uncommitted along.
    'work',
    'workspace',
  ],
  // What a branch and its briefs take to another clone, and how they are opened there. Life knows the trunk, which is no branch's own place.
  remote: [
    'agents',
    'brief',
    'briefs',
    'create',
    'git',
    'life',
    // Homes are hidden in a conversation that is sent.
    'secrets',
    'session',
    'start',
    'status',
    'store',
    'switch',
    'text',
    'work',
    'workspace',
  ],
  // Searches sessions for the words of a question. Facts splits texts into words and knows handoff's own calls.
  ask: ['agents', 'briefs', 'facts', 'git', 'secrets', 'session', 'store', 'text', 'workspace'],
  log: [
    'agents',
    'brief',
    'briefs',
    'config',
    'create',
    'git',
    'output',
    'report',
    'secrets',
    'store',
    'text',
    'verify',
    'workspace',
  ],
  review: [
    'brief',
    'briefs',
    'facts',
    'git',
    'life',
    'report',
    'secrets',
    'session',
    'store',
    'text',
    'validate',
    'verify',
    'workspace',
  ],
  init: ['agents', 'brief', 'briefs', 'config', 'git', 'hooks', 'output', 'store', 'text', 'workspace'],
  status: [
    'agents',
    'brief',
    'briefs',
    'git',
    'hook',
    'init',
    'output',
    'session',
    'store',
    'switch',
    'text',
    'verify',
    'workspace',
  ],
  // Judges facts that its own readers have read; what it says is for a shell and for a screen.
  doctor: [
    'agents',
    'brief',
    'briefs',
    'config',
    'git',
    'hooks',
    'init',
    'status',
    'store',
    'workspace',
    'text',
  ],
  // A repository to try the verbs in.
  demo: ['git', 'workspace'],
  hook: [
    'agents',
    'brief',
    'briefs',
    'config',
    'git',
    'hooks',
    'output',
    'review',
    'store',
    'switch',
    'text',
    'verify',
    'workspace',
  ],
  mcp: ['agents', 'ask', 'brief', 'briefs', 'create', 'git', 'hooks', 'output', 'store', 'text', 'workspace'],
  // One file for a verb or for verbs of one subject: arguments, one call, what is printed.
  commands: [
    'agents',
    'ask',
    'brief',
    'briefs',
    'config',
    'create',
    'demo',
    'doctor',
    'git',
    'hook',
    'hooks',
    'init',
    'log',
    'mcp',
    'model',
    'output',
    'remote',
    'report',
    'review',
    'secrets',
    'session',
    'start',
    'status',
    'store',
    'switch',
    'text',
    'validate',
    'verify',
    'work',
    'workspace',
  ],
  // What the process hands in; brief only for the id of a new brief, which the clock and the dice of the process go into. It
  // does the work of the library as well, which loads the program for it.
  cli: ['commands', 'create', 'log', 'output', 'review', 'brief', 'text', 'workspace', 'hook'],
  // What other programs call; of other rooms than cli only types.
  lib: ['cli', 'briefs'],
  index: ['lib', 'brief', 'briefs'],
}
const FREE = new Set(['types', 'errors', 'command', 'programs', 'process-chain', 'private-folder'])
const PURE = [
  'text',
  'brief',
  'verify',
  'report',
  'secrets',
  'facts',
  'ask',
  'validate',
  'trust',
  'doctor',
  'types',
  'errors',
]
/** Files of those rooms that read what the others judge. */
const READS = /^(?:verify|ask|doctor)\/(?:read-|pointer)/
/** Modules a pure room never touches: disk, processes, network, environment. */
const OUTER =
  /^(?:node:)?(?:fs|fs\/promises|child_process|os|process|net|http|https|worker_threads|readline)$|^simple-git$/

const modules = readModules(SRC)

describe('the house', () => {
  it('has code to look at', () => {
    expect(modules.length).toBeGreaterThan(20)
  })

  it('imports only what each room may', () => {
    expect(modules.flatMap((module) => wrongImports(module))).toEqual([])
  })

  it('has no circle between files', () => {
    expect(circlesIn(modules)).toEqual([])
  })

  it('has a line in the table for every room', () => {
    const rooms = new Set(modules.map((m) => m.room).filter((room) => !FREE.has(room)))
    expect([...rooms].filter((room) => !(room in MAY))).toEqual([])
  })

  it('lets no pure room touch disk, clock, dice or environment', () => {
    const wrong = modules
      .filter((m) => PURE.includes(m.room) && !READS.test(m.path))
      .flatMap((m) => [
        ...m.imports
          .filter((target) => OUTER.test(target) || isImpure(importedPath(m, target)))
          .filter((target) => withoutTypes(m.code).includes(`'${target}'`))
          .map((target) => `${m.path}: ${target}`),
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

  it('starts programs in one place, git behind one door, and none through a shell but the editor of the person', () => {
    // Who may ask that place, each with the reason why.
    const MAY_START: Readonly<Record<string, string>> = {
      'git/git.ts': 'git',
      'git/objects.ts': 'git, as the type of a process that stays open',
      'git/open-repo.ts': 'git, as the type of its answer',
      'git/move-ref.ts': 'git, as the type of its answer',
      'git/refs.ts': 'git, as the type of its answer',
      'process-chain.ts': 'ps, where there is no /proc',
      'agents/opencode/program.ts': 'the program that owns the sessions',
      'agents/acp/connect.ts': 'an agent that is spoken to by protocol',
      'start/start-successor.ts': 'the successor',
      'start/tmux.ts': 'tmux',
      'model/model.ts': 'an agent, for its answer or its version',
      'workspace/editor.ts': 'the editor, which may be a command line',
    }
    const importing = (name: RegExp) => modules.filter((m) => m.imports.some((target) => name.test(target)))
    expect(importing(/^(?:node:)?child_process$/).map((m) => m.path)).toEqual(['programs.ts'])
    const starting = importing(/\/programs\.ts$/)
    expect(starting.map((m) => m.path).filter((path) => !(path in MAY_START))).toEqual([])
    const code = (m: Module) => stripComments(m.code)
    const gits = modules.filter((m) => /\b(?:spawn|start|launch|run)\(\s*['"`]git/.test(code(m)))
    expect(gits.map((m) => m.path)).toEqual(['git/git.ts'])
    const simple = modules.filter((m) => m.imports.includes('simple-git'))
    expect(simple.map((m) => m.path)).toEqual(['git/separate-branch.ts'])
    const shells = [...starting, ...importing(/^(?:node:)?child_process$/)].filter((m) =>
      /\bshell\s*:|\bexecSync\(|[^.\w]exec\(|['"`](?:\/bin\/)?(?:sh|bash|cmd(?:\.exe)?)['"`]\s*,\s*\[/.test(
        code(m),
      ),
    )
    expect(shells.map((m) => m.path)).toEqual(['workspace/editor.ts'])
  })

  it('exits in one place only', () => {
    const wrong = modules.filter(
      (m) => m.path !== 'cli.ts' && /process\.exit(?:Code)?\b/.test(stripComments(m.code)),
    )
    expect(wrong.map((m) => m.path)).toEqual([])
  })

  it('types import types only', () => {
    const wrong = modules
      .filter(({ room }) => room === 'types')
      .flatMap((m) =>
        m.imports.map((target) => importedPath(m, target)).filter((path) => roomOf(path) !== 'types'),
      )
    expect(wrong).toEqual([])
  })

  it('keeps files small', () => {
    const long = modules
      .map((m) => [m.path, m.code.split('\n').length] as const)
      .filter(([, lines]) => lines > 400)
    expect(long).toEqual([])
  })

  it('has every test file that a list of vitest.config.ts names', () => {
    const root = fileURLToPath(new URL('../..', import.meta.url))
    // One that was renamed would run in another project than it is meant for.
    expect([...ALONE, ...IN_PART].filter((path) => !existsSync(join(root, path)))).toEqual([])
    const sampling = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter((path) => /^(?:unit|repo|e2e)\/.*\.test\.ts$/.test(path))
      .map((path) => `test/${path}`)
      .filter((path) =>
        /^import .*\/sampled\.ts'|tmuxTestByNight\(/m.test(readFileSync(join(root, path), 'utf8')),
      )
    const mocking = readdirSync(join(root, 'test/repo'), { recursive: true, encoding: 'utf8' })
      .map((path) => `test/repo/${path}`)
      .filter(
        (path) => path.endsWith('.test.ts') && /^vi\.mock\(/m.test(readFileSync(join(root, path), 'utf8')),
      )
      // A library that is loaded for each question can be given back.
      .filter((path) => !/^afterAll\(\(\) => vi\.doUnmock\(/m.test(readFileSync(join(root, path), 'utf8')))
    expect(mocking.filter((path) => !ALONE.includes(path))).toEqual([])
    expect(sampling.filter((path) => !IN_PART.includes(path))).toEqual([])
  })

  it('says npx where a checkout decides nothing, and nowhere else', () => {
    const root = fileURLToPath(new URL('../../', import.meta.url))
    const texts = ['templates', 'hooks', 'bin', 'skills'].flatMap((dir) =>
      readdirSync(join(root, dir), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    const saying = [...texts, ...modules.map((m) => join(SRC, m.path))]
      .filter((path) => /(?<!_)\bnpx\b/.test(codeOf(path)))
      .map((path) => path.slice(root.length))
    expect(saying.sort()).toEqual([
      'bin/hook.sh',
      // An entry of the registry of ACP, which the person's own configuration names.
      'src/agents/acp/acp-command.ts',
      // Knows calls of it in sessions.
      'src/facts/shell.ts',
      // In the top folder.
      'src/workspace/program-name.ts',
      // In a folder of their own.
      'templates/github-action/action.yml',
      'templates/gitlab/handoff.gitlab-ci.yml',
    ])
    for (const path of saying.filter((one) => /^(?:bin|src\/workspace)/.test(one)))
      for (const line of codeOf(join(root, path)).split('\n'))
        if (/[`"].*(?<!_)\bnpx\b/.test(line)) expect(line).toContain('cd / && npx --yes ')
  })
})

const codeOf = (path: string): string => {
  const text = readFileSync(path, 'utf8')
  return path.endsWith('.ts') ? stripComments(text) : text
}

/** Imports of rooms that the table does not allow. Texts of templates/ and the runner are put into the code when it is built. */
function wrongImports(module: Module): string[] {
  return module.imports
    .filter(
      (target) =>
        target.startsWith('.') &&
        !/^(?:\.\.\/)+(?:templates\/(?:agents\/)?[a-z-]+\.txt|bin\/hook\.sh)\?raw$/.test(target),
    )
    .map((target) => importedPath(module, target))
    .filter((path) => {
      const room = roomOf(path)
      return room !== module.room && !FREE.has(room) && !MAY[module.room]?.includes(room)
    })
    .map((path) => `${module.path}: ${path}`)
}

/** A file of ours that reads the world. */
const isImpure = (path: string): boolean =>
  path.endsWith('.ts') && !path.startsWith('..') && (READS.test(path) || !PURE.includes(roomOf(path)))

/** A type of a reader reads nothing. */
const withoutTypes = (code: string): string => code.replace(/^(?:import|export) type [^']*'[^']+'$/gm, '')

function stripComments(code: string): string {
  return code.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
