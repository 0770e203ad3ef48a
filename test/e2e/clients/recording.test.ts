import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { root } from '../build.ts'
import { makeLab, textOf } from '../lab.ts'
import type { Scenario } from '../model/scenario.ts'
import { allowKey, CHECK, clientTest, PAGE, runBesideBoth, workSteps } from './work.ts'

const SIZE = { width: 92, height: 30 }
const ASK = 'fix add in calc.js; do not touch calc.test.js'
const GOAL = 'make sub in calc.js pass its test the way add does'

/** What the person types, one after the other. */
const TYPED = [
  `claude -p '${ASK}'`,
  `handoff create '${GOAL}' --ask`,
  'handoff resume --to codex --headless',
  'git diff --stat',
]

const REPORT = `${CHECK} | grep -E '^# (pass|fail)'`
const QUESTION = 'hands the work of this session over'
const scenario: Scenario = {
  sides: [{ on: QUESTION, say: PAGE }],
  turns: [
    { on: 'fix add', steps: workSteps },
    {
      on: 'A handoff brief is open',
      steps: [
        [{ say: 'I read the brief first.' }, { read: '.handoff/latest.md' }],
        [
          {
            edit: 'calc.js',
            old: 'export const sub = (a, b) => a + b',
            new: 'export const sub = (a, b) => a - b',
          },
        ],
        [{ run: REPORT }],
        [{ say: 'sub is fixed; it added instead of subtracting. calc.test.js is as it was.' }],
      ],
    },
  ],
}

/** A person at a terminal: types a line sign by sign, waits for its end, reads. */
const typist = `
stty cols ${SIZE.width} rows ${SIZE.height}
for line in "$@"; do
  printf '\\033[32m$\\033[0m '
  for ((at = 0; at < \${#line}; at++)); do printf %s "\${line:at:1}"; sleep 0.03; done
  sleep 0.3; printf '\\n'; eval "$line"; sleep 2
done`

/**
 * Records a change from one real agent to another. With HANDOFF_RECORD=write it is kept as `docs/images/switch.cast`; the picture is made of it by
 * `node scripts/switch-picture.mjs`.
 */
clientTest(
  'a recording shows Claude Code, the brief and Codex going on',
  ['claude-code', 'codex'],
  async () => {
    const lab = await makeLab()
    await allowKey(lab)
    const [out, timing, script] = ['out.txt', 'timing.txt', 'type.sh'].map((name) => join(lab.folder, name))
    await writeFile(script ?? '', typist)
    // Codex makes no helpers below the folder for temporary files, and says so.
    const scratch = join(lab.folder, 'tmp')
    await mkdir(scratch)
    const words = ['bash', script, ...TYPED].map((word) => `'${word?.replaceAll("'", "'\\''")}'`).join(' ')
    const record = ['script', '-q', '-e', '-c', words, '-m', 'advanced', '-O', out ?? '', '-T', timing ?? '']
    await runBesideBoth(
      lab,
      ['claude-code', 'codex'],
      scenario,
      'env',
      ...['TERM=xterm-256color', 'GIT_PAGER=cat', 'ANTHROPIC_MODEL=sonnet', `TMPDIR=${scratch}`],
      ...record,
    )

    const cast = castOf(await textOf(lab, '../out.txt'), await textOf(lab, '../timing.txt'), (text) =>
      text.replaceAll(lab.repo, '/home/dev/calc').replaceAll(lab.home, '/home/dev'),
    )
    const shown = cast.map(([, , text]) => text).join('')
    expect(shown).not.toContain(lab.folder)
    expect(shown).toContain('The test of sub still fails')
    expect(shown).toContain('Handed over:')
    expect(shown).toContain('sub is fixed; it added instead of subtracting.')
    expect(shown).toMatch(/# pass 2\b/)
    expect(shown).toContain('1 file changed')
    expect(await textOf(lab, 'calc.js')).toContain('sub = (a, b) => a - b')
    const file = join(root, 'docs', 'images', 'switch.cast')
    const text = [{ version: 2, ...SIZE }, ...cast].map((line) => `${JSON.stringify(line)}\n`).join('')
    if (process.env.HANDOFF_RECORD === 'write') await writeFile(file, text)
    expect((await readFile(file, 'utf8')).split('\n')[0]).toBe(text.split('\n')[0])
  },
)

type CastLine = [seconds: number, kind: 'o', text: string]

/** The lines of an asciicast 2 from what `script` logged, with neutral paths; pauses of more than 2 s are shortened. */
function castOf(log: string, timing: string, neutral: (text: string) => string): CastLine[] {
  const bytes = Buffer.from(log)
  // The log begins with a line of `script` itself.
  let at = bytes.indexOf('\n') + 1
  let seconds = 0
  return timing.split('\n').flatMap((line): CastLine[] => {
    const [kind, delay = '0', size = '0'] = line.split(' ')
    if (kind !== 'O') return []
    seconds += Math.min(Number(delay), 2)
    at += Number(size)
    const text = bytes.subarray(at - Number(size), at).toString('utf8')
    return [[Number(seconds.toFixed(3)), 'o', neutral(text)]]
  })
}
