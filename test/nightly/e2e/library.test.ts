import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../e2e/build.ts'
import { execute, git, type Lab, makeLab } from '../../e2e/lab.ts'
import { pack } from '../../e2e/packed.ts'
import { byNight, sampled } from '../../sampled.ts'

let folder: string
let installed: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'handoff-library-'))
  const packed = await pack(folder)
  await writeFile(join(folder, 'package.json'), '{"private":true}')
  const outcome = await execute('npm', ['install', packed.tarball], packed.anyone, folder)
  expect(outcome.code, outcome.stderr).toBe(0)
  installed = join(folder, 'node_modules')
})
afterAll(() => rm(folder, { recursive: true, force: true }))

/** A project that has the package installed, which git does not see. */
async function project(): Promise<Lab> {
  const lab = await makeLab()
  await writeFile(join(lab.repo, '.git', 'info', 'exclude'), 'node_modules\n*.mjs\n*.mts\ntsconfig.json\n')
  await symlink(installed, join(lab.repo, 'node_modules'))
  return lab
}

/** Runs code as a module of the project, and gives what it printed. */
async function run(lab: Lab, code: string): Promise<string> {
  await writeFile(join(lab.repo, 'example.mjs'), code)
  const outcome = await execute(process.execPath, ['example.mjs'], lab)
  expect([outcome.code, outcome.stderr]).toEqual([0, ''])
  return outcome.stdout
}

test('the examples of docs/spec/library.md do what they say', async () => {
  const text = await readFile(join(root, 'docs', 'spec', 'library.md'), 'utf8')
  const examples = [...text.matchAll(/^```js\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
  expect(examples).toHaveLength(3)
  const [all = '', errors = '', schemas = ''] = examples
  const lab = await project()
  const lines = (await run(lab, all)).trim().split('\n')
  const head = (await git(lab, 'rev-parse', 'HEAD')).trim()
  const id = /^made \.handoff\/briefs\/([\w-]{24})/.exec(lines[0] ?? '')?.[1]
  expect(lines).toEqual([
    expect.stringContaining(`, commit ${head}, `),
    'checked',
    `read ${id}, trusted: make the test of sub() pass, keep the exported names`,
    '1 of 1',
  ])
  expect(await run(lab, errors)).toMatch(/^E_GOAL: .+\nExample: /)
  expect(await run(lab, schemas)).toBe('true\n')
})

test('importing the library loads nothing of the program; a call does', async () => {
  const lab = await project()
  const said = await run(
    lab,
    `import { createRequire } from 'node:module'
import * as library from 'git-handoff'
const { cache } = createRequire(import.meta.url)
console.log(Object.keys(library).join(' '), Object.keys(cache).length)
await library.readBrief().catch(() => {})
console.log(Object.keys(cache).length > 0)`,
  )
  expect(said).toBe('HandoffError chain checkBrief createBrief isHandoffError readBrief 0\ntrue\n')
})

byNight('one error class for all that it throws', async () => {
  const lab = await project()
  const said = await run(
    lab,
    `import { createBrief, HandoffError, readBrief } from 'git-handoff'
for (const call of [() => readBrief(), () => createBrief({ goal: 'x' }), () => createBrief({ gaol: 'x' })])
  await call().catch((error) => console.log(error instanceof HandoffError, error.code))`,
  )
  expect(said).toBe('true E_NO_BRIEF\ntrue E_GOAL\ntrue E_USAGE\n')
})

byNight('works in a thread of its own, which may not change the directory of the process', async () => {
  const lab = await project()
  await mkdir(join(lab.repo, '.handoff'))
  await writeFile(join(lab.repo, '.handoff', 'config.yaml'), 'mission: Calculate right.\n')
  const said = await run(
    lab,
    `import { isMainThread, Worker } from 'node:worker_threads'
import { createBrief } from 'git-handoff'
if (isMainThread) new Worker(new URL(import.meta.url))
else {
  const { brief } = await createBrief({ goal: 'make the test of sub() pass', from: 'git', dryRun: true })
  console.log(brief.relevantInformation[0].text)
}`,
  )
  expect(said).toBe('mission by .handoff/config.yaml: "Calculate right."\n')
})

byNight.each(sampled(['nodenext', 'bundler'], 1))(
  'its types hold for a project with the resolution %s',
  async (resolution) => {
    const lab = await project()
    const compilerOptions = {
      strict: true,
      noEmit: true,
      exactOptionalPropertyTypes: true,
      target: 'es2023',
      module: resolution === 'bundler' ? 'esnext' : resolution,
      moduleResolution: resolution,
      // Nothing of Node's: the types of the library stand alone, but for those that every runtime has.
      types: [],
      lib: ['es2023', 'dom'],
      skipLibCheck: false,
    }
    await writeFile(join(lab.repo, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.mts'] }))
    await writeFile(
      join(lab.repo, 'use.mts'),
      `import { type AtifStep, type CreateResult, chain, checkBrief, createBrief, type Finding, HandoffError, readBrief } from 'git-handoff'
const made: CreateResult = await createBrief({ goal: 'x', signal: new AbortController().signal, notes: { blockers: ['y'] } })
const events: AtifStep[] = [{ source: 'user', message: 'x' }]
void createBrief({ goal: 'x', events })
// @ts-expect-error: nobody is called so.
void createBrief({ goal: 'x', events: [{ source: 'me', message: 'x' }] })
const path: string = made.brief.relevantFiles[0]?.path ?? made.brief.agent.label
const findings: Finding[] = (await checkBrief({ paths: [path], range: true })).findings
const trusted: boolean = (await readBrief({ form: 'inline' })).trusted
const ids: string[] = (await chain()).briefs.map(({ id }) => id)
const error = new HandoffError('E_X', 'x', 'y')
const code: string = error.code
// @ts-expect-error: a goal there must be.
void createBrief({})
// @ts-expect-error: no such option.
void chain({ everything: true })
// @ts-expect-error: results have no more than they say.
void made.nothing
export { code, findings, ids, trusted }
`,
    )
    const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
    const outcome = await execute(process.execPath, [compiler, '-p', '.'], lab)
    expect([outcome.stdout, outcome.code]).toEqual(['', 0])
  },
)
