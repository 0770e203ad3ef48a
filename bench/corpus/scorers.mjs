import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a Python script prints. Throws with its complaint when it fails. */
export function runPython(script, ...args) {
  const { status, stdout, stderr, error } = spawnSync('python3', [script, ...args], {
    encoding: 'utf8',
    env: { ...process.env, PYTHONDONTWRITEBYTECODE: '1' },
    maxBuffer: 64 << 20,
  })
  if (status !== 0) throw new Error(`${script} failed: ${error?.message ?? stderr}`)
  return stdout
}

/**
 * What the scorer prints about exactly these cuts; it counts a cut without a prediction as empty. The corpus is linked
 * below `folder`, nothing is written beside it. Throws when the scorer fails.
 */
export function scoreCuts(items, { corpus, scorer, predictions, folder }) {
  const subset = mkdtempSync(join(folder, 'subset-'))
  try {
    for (const name of readdirSync(corpus)) {
      if (name !== 'cuts.jsonl') symlinkSync(join(corpus, name), join(subset, name))
    }
    writeFileSync(join(subset, 'cuts.jsonl'), items.map(({ cut }) => `${JSON.stringify(cut)}\n`).join(''))
    return runPython(scorer, subset, predictions)
  } finally {
    rmSync(subset, { recursive: true, force: true })
  }
}

/** The rows of the scorer's table: name → column → figure; a column without figures is left out. */
export function readTable(text) {
  const lines = text.trimEnd().split('\n')
  const head = lines.findIndex((line) => /^ +R@5 /.test(line))
  if (head === -1) throw new Error(`the scorer printed no table: ${text}`)
  const columns = lines[head].trim().split(/ +/)
  return new Map(
    lines.slice(head + 1).map((line) => {
      const cells = line.trim().split(/ +/)
      const name = cells.slice(0, -columns.length).join(' ')
      const figures = cells.slice(-columns.length).map(Number)
      return [
        name,
        Object.fromEntries(
          columns.map((column, at) => [column, figures[at]]).filter(([, figure]) => !Number.isNaN(figure)),
        ),
      ]
    }),
  )
}
