import { describe, expect, it } from 'vitest'
import { cpuTime } from '../../cpu-time.ts'
import { edit, extract, plan, prompt, read, reply, run, type Step } from './session.ts'

const COUNT = 16_000
const line = (part: (n: number) => string): string =>
  Array.from({ length: COUNT }, (_, n) => part(n)).join('')
const spoken = (name: string): Record<string, Step[]> => {
  const text = line((n) => `${name}${n}.ts `)
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

const expectFast = async (work: () => unknown, what: string): Promise<void> =>
  expect(await cpuTime(work, 1000), what).toBeLessThan(1000)
const session = (...steps: Step[]): Step[] => [prompt('Fix it'), ...steps, reply('done')]

describe('S12: a line of 16,000', () => {
  it.each(Object.keys(spoken('')))('paths takes well under a second in %s', async (place) => {
    for (const name of ['src/a', '/home/dev/repo/src/a', '@docs/a'])
      await expectFast(() => extract(session(...(spoken(name)[place] ?? []))), name)
  })

  it('paths takes well under a second in a goal, and in one whose files the session knows', async () => {
    const goal = `Create ${line((n) => `src/a${n}.ts `)}`
    await expectFast(() => extract(session(), { goal }), 'goal')
    const worked = Array.from({ length: 1_000 }, (_, n) => [...edit(`x/src/a${n}.ts`), ...read(`y/a${n}.ts`)])
    await expectFast(() => extract(session(prompt(goal), ...worked), { goal }), 'known files')
  })

  it.each(Object.keys(COMMANDS))('%s takes well under a second', async (name) => {
    const command = line(COMMANDS[name] ?? String)
    for (const code of [0, 1, null])
      await expectFast(
        () => extract(session(run(line((n) => `touch a${n}.ts; `)), run(command, code, 'x\n'.repeat(2_000)))),
        String(code),
      )
  })

  it.each(Object.keys(MARKED))('%s takes well under a second', async (name) => {
    const text = line(() => MARKED[name] ?? '')
    for (const one of [text, `${text}</x>`, `/handoff ${text}`, `.handoff/latest.md\n${text}`]) {
      await expectFast(() => extract(session(prompt(one), reply(one))), 'said')
      await expectFast(() => extract(session(), { goal: one }), 'goal')
    }
  })
})
