import { describe, it } from 'vitest'
import { expectLinear } from '../../growth.ts'
import { sampled } from '../../sampled.ts'
import { edit, extract, plan, prompt, read, reply, run, type Step } from './session.ts'

const COUNT = 400
const line = (count: number, part: (n: number) => string): string =>
  Array.from({ length: count }, (_, n) => part(n)).join('')
const spoken = (name: string, count: number): Record<string, Step[]> => {
  const text = line(count, (n) => `${name}${n}.ts `)
  return {
    'a prompt': [prompt(`Create ${text}`)],
    'a prompt that orders nothing': [prompt(text)],
    'a reply': [reply(text)],
    'a plan': [plan({ text: `Create ${text}`, status: 'pending' })],
    'a plan that was accepted': [
      { kind: 'proposal', text: `Create ${text}`, accepted: true },
      prompt('Implement it:'),
    ],
    'an answer': [
      { kind: 'question', id: 'q', text: 'Which?', options: [] },
      { kind: 'answer', id: 'q', text },
    ],
    'a summary': [{ kind: 'compaction', summary: text }],
    'a command': [run(`cat ${text}`)],
    'a command that failed': [run(`npm test ${text}`, 1, text)],
  }
}
/** Each word of a line of commands that may look at every file, every part or all that was printed. */
const COMMANDS: Record<string, (n: number) => string> = {
  mv: (n) => `mv a${n}.ts b${n}.ts; `,
  'git mv': (n) => `git mv a${n}.ts b${n}.ts && `,
  'git restore': (n) => `git restore a${n}.ts; `,
  'git stash': () => 'git stash; git stash pop; ',
  'git reset': () => 'git reset --hard; ',
  'git commit': (n) => `git commit -m m${n}; `,
  checks: (n) => `npm run test:${n}; `,
  'checks in a row': (n) => `npm run test:${n} && `,
  'other programs': (n) => `program${n} | `,
  'quoted words': (n) => `'x${n} y' `,
  'scripts of sed': () => `-e "a b" `,
  'words in backticks': (n) => `\`npm run x${n}\` `,
  'open brackets': (n) => `a${n}(`,
  'nested shells': () => `bash -c "`,
  'here-documents': (n) => `cat <<'E${n}'\n`,
}
const MARKED: Record<string, string> = {
  'tags that nothing closes': '<ab-c>\n',
  'tags that others close': '<ab-c>\n</ab-d>\n',
  folders: '/a',
  dots: '.a',
  dashes: '-a',
  addresses: 'https://a.io/b ',
  'briefs that do not begin': '---\nschemaVersion: 1\n',
}

const session = (...steps: Step[]): Step[] => [prompt('Fix it'), ...steps, reply('done')]

describe('S12: time grows with the length of the line alone, with', () => {
  it.each(sampled(Object.keys(spoken('', 0)), 1))('paths in %s', async (place) => {
    for (const name of ['src/a', '/home/dev/repo/src/a', '@docs/a'])
      await expectLinear(COUNT, (n) => extract(session(...(spoken(name, n)[place] ?? []))), name)
  })

  it('paths in a goal, and in one whose files the session knows', async () => {
    const goalOf = (count: number) => `Create ${line(count, (n) => `src/a${n}.ts `)}`
    await expectLinear(COUNT, (n) => extract(session(), { goal: goalOf(n) }), 'goal')
    const worked = Array.from({ length: 1_000 }, (_, n) => [...edit(`x/src/a${n}.ts`), ...read(`y/a${n}.ts`)])
    const known = (n: number) => extract(session(prompt(goalOf(n)), ...worked), { goal: goalOf(n) })
    await expectLinear(COUNT, known, 'known files')
  })

  it.each(sampled(Object.keys(COMMANDS), 2))('%s', async (name) => {
    for (const code of [0, 1, null]) {
      const work = (count: number) => {
        const made = run(line(count, (n) => `touch a${n}.ts; `))
        extract(session(made, run(line(count, COMMANDS[name] ?? String), code, 'x\n'.repeat(count / 8))))
      }
      await expectLinear(COUNT, work, String(code))
    }
  })

  it.each(sampled(Object.keys(MARKED), 1))('%s', async (name) => {
    for (const [before, after] of [
      ['', ''],
      ['', '</x>'],
      ['/handoff ', ''],
      ['.handoff/latest.md\n', ''],
    ]) {
      const textOf = (n: number) => `${before}${line(n, () => MARKED[name] ?? '')}${after}`
      await expectLinear(COUNT, (n) => extract(session(prompt(textOf(n)), reply(textOf(n)))), 'said')
      await expectLinear(COUNT, (n) => extract(session(), { goal: textOf(n) }), 'goal')
    }
  })
})
