import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { root } from '../../e2e/build.ts'
import { execute } from '../../e2e/lab.ts'
import { pack } from '../../e2e/packed.ts'
import { mask, readTour, type Step, writeOutputs } from '../../e2e/tour.ts'

const PAGE = join(root, 'docs', 'tour.md')

let folder: string
let text: string
let steps: Step[]
let outputs: string[]

// As a reader would: one shell, from the first command to the last, in an empty folder.
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'handoff-tour-')))
  const { anyone, tarball } = await pack(folder)
  await writeFile(join(folder, '.gitconfig'), '[user]\n\tname = Robin\n\temail = robin@example.com\n')
  text = await readFile(PAGE, 'utf8')
  steps = readTour(text)
  const mark = 'handoff-tour-mark'
  const script = steps.map(({ commands }) => {
    const here = commands.replace(
      'npm install -g git-handoff',
      `npm install -g --prefix '${folder}/global' '${tarball}'`,
    )
    return `${here}\nprintf '\\n%s\\n' ${mark}\n`
  })
  await writeFile(join(folder, 'tour.sh'), `set -e\nexec 2>&1\n${script.join('')}`)
  const place = join(folder, 'place')
  await mkdir(place)
  const reader = { ...anyone, path: `${folder}/global/bin:${anyone.path}` }
  const outcome = await execute('sh', [join(folder, 'tour.sh')], reader, place)
  outputs = outcome.stdout.split(`\n${mark}\n`)
  expect(outcome.code, `the tour stops at block ${outputs.length}:\n${outputs.at(-1)}`).toBe(0)
  if (process.env.HANDOFF_TOUR === 'write') {
    text = writeOutputs(text, steps, outputs)
    await writeFile(PAGE, text)
    steps = readTour(text)
  }
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('installs the package and shows what its commands print', () => {
  expect(steps.filter(({ commands }) => commands.includes('npm install -g git-handoff'))).toHaveLength(1)
  expect(steps.filter(({ output }) => output !== null).length).toBeGreaterThan(9)
})

test('every output is what its commands print; `HANDOFF_TOUR=write` writes them anew', () => {
  const shown = steps.map(({ commands, output }) => ({ commands, output: output && mask(output) }))
  const printed = steps.map(({ commands, output }, i) => ({
    commands,
    output: output === null ? null : mask(outputs[i] ?? ''),
  }))
  expect(shown).toEqual(printed)
})

test('uses the commands of the first ten minutes', () => {
  const typed = steps.map(({ commands }) => commands).join('\n')
  const verbs = ['create', 'note', 'show', 'log', 'verify', 'resume', 'review', 'done']
  for (const verb of verbs) expect(typed).toContain(`git handoff ${verb}`)
})
