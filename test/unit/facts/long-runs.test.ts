import { describe, expect, it } from 'vitest'
import { expectLinear } from '../../growth.ts'
import { sampled } from '../../sampled.ts'
import {
  commandOf,
  edit,
  extract,
  gitState,
  inDirectory,
  plan,
  prompt,
  read,
  reply,
  run,
  type Step,
} from './session.ts'

/** Marks by the thousand and then something else: a pattern must not try a run from each of its characters. */
const MARKS = [
  '.',
  ')',
  ':',
  ' ',
  '\n',
  '"',
  '`',
  '/',
  '*',
  ':1',
  ' |',
  '],',
  '\u001b]',
  'expected ',
  ' test ',
]
const STEPS: Record<string, (text: string) => Step> = {
  prompt: (text) => prompt(`Please do ${text}`),
  reply: (text) => reply(`It is ${text}`),
  command: (text) => run(`npm test ${text}`),
  output: (text) => run('npm test', 1, text),
  push: (text) => run('git push', 0, text),
  plan: (text) => plan({ text, status: 'pending' }),
  question: (text) => ({ kind: 'question', id: 'q', text, options: [text] }),
  path: (text) => edit(text),
  place: (text) => read(text),
}

const PAIRS = Object.keys(STEPS).flatMap((name) => MARKS.map((mark) => [name, mark] as const))

describe('long runs of one mark', () => {
  it.each(Object.keys(STEPS))(
    'take time that grows with their length alone in a %s',
    async (name) => {
      const make = STEPS[name]
      for (const [, mark] of sampled(PAIRS, 45).filter(([step]) => step === name))
        await expectLinear(
          4000,
          (n) => {
            const text = `a.ts${mark.repeat(n / mark.length)}x`
            extract([prompt('Fix it'), ...(make === undefined ? [] : [make(text)]), reply('done')])
          },
          mark,
        )
    },
    60_000,
  )

  it('do so as the folder of a session, nor as those it went to', async () => {
    const git = gitState(['src/a.ts'])
    const folders = [
      (n: number) => '/a'.repeat(n / 2),
      (n: number) => '/'.repeat(n),
      (n: number) => `/${'a'.repeat(n)}`,
    ]
    const work = (folder: string) => {
      const steps = Array.from({ length: 5 }, (_, n) =>
        inDirectory(`${folder}/${n}`, edit('src/a.ts')),
      ).flat()
      const all = [prompt('Fix it'), ...steps, reply('done')]
      expect(extract(all, { git, sessionCwd: folder }).messages).toBe(2)
    }
    for (const folderOf of folders) await expectLinear(4000, (n) => work(folderOf(n)), folderOf(8))
  })

  it('of digits are no exit status, nor is half of one', () => {
    for (const code of [1.5, 1e23, 2 ** 60]) {
      const [command] = extract([run('npm test', code)]).commands
      expect(command, String(code)).toMatchObject({ outcome: 'failed', exitCode: null })
    }
  })

  it('are no path', () => {
    const { files } = extract([prompt(`See src/${'a'.repeat(5000)}.ts`), edit(`src/${'b'.repeat(5000)}.ts`)])
    expect(files).toEqual([])
  })

  it('are the same command whatever stands between its words and behind it', () => {
    const evidence = extract([
      run('npm   test'),
      run('npm test 2>&1 | tail -5'),
      run('npm test  2>&1  |  head'),
    ])
    expect(evidence.commands).toHaveLength(1)
    expect(commandOf(evidence, evidence.commands[0]?.command ?? '')?.runs).toBe(3)
  })
})
