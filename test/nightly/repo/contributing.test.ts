import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const FIXTURE = 'test/fixtures/agents/tern/demand-and-failing-test-1.0'

let copy: string

/** Blocks of a language in the section on adding an agent, in order. */
function blocks(language: string): string[] {
  const section = readFileSync(join(ROOT, 'CONTRIBUTING.md'), 'utf8').split(/^## /m)
  const text = section.find((part) => part.startsWith('Add an agent\n')) ?? ''
  return [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, found, body = '']) =>
    found === language ? [body] : [],
  )
}

// The steps as they stand there, in a copy of the sources.
beforeAll(() => {
  copy = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-contributing-')))
  for (const path of [
    'src',
    'templates',
    'test/unit/agents/fixtures.test.ts',
    'vitest.config.ts',
    'test/seed.ts',
    'test/repo/clean-up.ts',
    'test/repo/make-repo.ts',
    'test/long-first.ts',
    'tsconfig.json',
    'biome.json',
  ])
    cpSync(join(ROOT, path), join(copy, path), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    writeFileSync(join(copy, path), text)
  }
  const example = (name: string) => readFileSync(join(ROOT, 'test/fixtures/add-agent', name), 'utf8')
  write('src/agents/tern.ts', example('tern.ts.txt'))
  const table = readFileSync(join(copy, 'src/agents/table.ts'), 'utf8')
  const imported = "import { tern } from './tern.ts'\n"
  write('src/agents/table.ts', imported + table.replace(/^ {2}plain,$/m, '  tern,\n  plain,'))
  for (const name of ['session.jsonl', 'events.json']) write(`${FIXTURE}/${name}`, example(name))
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

it('the new agent reads its fixture as it is told', () => {
  const said = execFileSync(
    process.execPath,
    [
      join(ROOT, 'node_modules/vitest/vitest.mjs'),
      'run',
      '--project',
      'unit',
      'test/unit/agents/fixtures.test.ts',
    ],
    {
      cwd: copy,
      encoding: 'utf8',
      env: { ...process.env, NO_COLOR: '1' },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  )
  expect(said).toMatch(/Tests {2}2 passed/)
})

byNight('it is formatted and linted as the rest is', () => {
  const program = join(ROOT, 'node_modules/.bin/biome')
  const run = () =>
    execFileSync(program, ['check', 'src/agents/tern.ts'], { cwd: copy, encoding: 'utf8', stdio: 'pipe' })
  expect(run).not.toThrow()
})

it('and it fits the types', () => {
  const program = join(ROOT, 'node_modules/.bin/tsc')
  const options = JSON.parse(readFileSync(join(copy, 'tsconfig.json'), 'utf8')).compilerOptions
  writeFileSync(
    join(copy, 'tsconfig.json'),
    JSON.stringify({ compilerOptions: options, files: ['src/agents/table.ts'] }),
  )
  execFileSync(program, ['-p', copy], { cwd: copy, stdio: 'pipe' })
})

byNight('is found in a home and known as the caller', async () => {
  const load = (path: string) => import(/* @vite-ignore */ pathToFileURL(join(copy, path)).href)
  const [{ callerOf }, { findSessions }] = await Promise.all([
    load('src/agents/caller.ts'),
    load('src/agents/find.ts'),
  ])
  expect(callerOf({ TERN: '1' })).toEqual({ agent: 'tern', sessionId: null, path: null })
  const home = join(copy, 'home')
  cpSync(join(copy, FIXTURE, 'session.jsonl'), join(home, '.tern/sessions/7f3a.jsonl'), { recursive: true })
  const found = await findSessions({ home, env: {} }, ['/home/dev/repo'], 'tern')
  expect(found).toMatchObject([{ agent: 'tern', id: '7f3a', updatedAt: '2026-11-22T10:00:12.000Z' }])
  expect(await findSessions({ home, env: {} }, ['/home/dev/other'], 'tern')).toEqual([])
})

byNight('a client that has no account is recorded against the scripted model', () => {
  const bin = join(copy, 'bin')
  mkdirSync(bin)
  const tern = `#!/usr/bin/env node
    const tools = [{ type: 'function', function: { name: 'bash' } }]
    const messages = [{ role: 'user', content: process.argv.at(-1) }]
    const body = JSON.stringify({ model: 'x', tools, messages })
    fetch(process.env.OPENAI_BASE_URL + '/chat/completions', { method: 'POST', body })
      .then((reply) => reply.text()).then(console.log)`
  writeFileSync(join(bin, 'tern'), tern, { mode: 0o755 })
  const steps = (blocks('sh')[0] ?? '').replace('scripts/', join(ROOT, 'scripts/'))
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
  expect(execFileSync('sh', ['-ec', steps], { cwd: copy, encoding: 'utf8', env })).toContain(
    'node --test calc.test.js',
  )
})
