/**
 * A program that reads briefs as ours does, but for one planted fault: `deviant.mjs <fault> <folder> check|show --json -`. It asks the
 * built program once for each brief and keeps the answers in the folder.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FAULTS = {
  none: (answer) => answer,
  // A heading inside a quote begins a section.
  'forged heading': ({ status, text, ...answer }, brief) =>
    answer.brief && /^> ## /m.test(brief)
      ? { status, text, ...answer, brief: { ...answer.brief, whereItStands: [] } }
      : { status, text, ...answer },
  'dropped section': (answer) =>
    answer.brief ? { ...answer, brief: { ...answer.brief, constraints: [] } } : answer,
  'missed finding': (answer) =>
    answer.findings
      ? { ...answer, status: 0, findings: answer.findings.filter(({ rule }) => rule !== 'secrets') }
      : answer,
  'guessed schema': (answer, brief) =>
    /^schemaVersion: 2$/m.test(brief) ? { status: 0, ok: true, brief: {}, findings: [] } : answer,
  'exit code': (answer) => ({ ...answer, status: 0 }),
  'no JSON': (answer) => ({ ...answer, text: 'brief is fine' }),
}

const [fault = '', folder = '', verb = ''] = process.argv.slice(2)
const brief = readFileSync(0, 'utf8')
const file = join(folder, createHash('sha256').update(`${verb}\n${brief}`).digest('hex'))
if (!existsSync(file)) {
  const program = fileURLToPath(new URL('../../bin/handoff.cjs', import.meta.url))
  const asked = spawnSync(process.execPath, [program, verb, '--json', '-'], {
    input: brief,
    encoding: 'utf8',
  })
  writeFileSync(file, JSON.stringify({ status: asked.status, ...JSON.parse(asked.stdout) }))
}
const { status, text, ...answer } = FAULTS[fault](JSON.parse(readFileSync(file, 'utf8')), brief)
process.stdout.write(text === 'brief is fine' ? text : JSON.stringify(answer))
process.exitCode = status
