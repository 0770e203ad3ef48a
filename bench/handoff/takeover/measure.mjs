/** Reads what a successor left and computes what is compared. No judgement: each figure is counted. */
import { cpSync, existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { changesAgainst, tryTests } from './repositories.mjs'
import { linesOf, targetsOf } from './steps.mjs'

/** @param entry one of key.json @param steps what `stepsOf` gave for the session before @returns one row of the table, null if nobody has played it */
export function measure(task, entry, steps, sources) {
  if (!existsSync(entry.log)) return null
  const calls = readFileSync(entry.log, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'takeover-score-')))
  try {
    const repo = join(root, 'work')
    cpSync(join(entry.place, 'work'), repo, { recursive: true, verbatimSymlinks: true })
    const changes = changesAgainst(entry.base, repo, root)
    const { solved, suite, output } = tryTests(task, repo, root, sources)
    const done = join(entry.place, 'DONE')
    const broken = task.rules.filter((rule) => isBroken(rule, changes, calls)).map(({ text }) => text)
    return {
      player: entry.player,
      task: task.id,
      view: entry.view,
      stop: task.pilot,
      solved: Number(solved),
      suite: Number(suite),
      calls: calls.length,
      bytes: calls.reduce((sum, { bytes }) => sum + bytes, 0),
      tokens: entry.tokens,
      ...againIn(calls, steps, join(entry.place, 'work')),
      toFirstEdit: firstEdit(calls),
      broken: broken.length,
      dropped: Number(triesDropped(task, changes, calls)),
      outside: calls.filter(({ command }) => isOutside(command)).length,
      brokenRules: broken,
      done: existsSync(done) ? readFileSync(done, 'utf8').trim() : null,
      output: solved && suite ? '' : output,
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

/** Names a folder above, the home folder, or one at the root of this machine; a pattern such as `/def x/` does not. */
function isOutside(command) {
  const [shell] = command.split(/<<-?\s*['"]?\w+['"]?/)
  if (/(?:^|[\s'"=])(?:\.\.\/|~\/)/.test(shell)) return true
  const roots = [...shell.matchAll(/(?:^|[\s'"=])\/([\w.-]+)/g)].map(([, name]) => name)
  return roots.some((name) => name !== 'tmp' && name !== 'dev' && existsSync(`/${name}`))
}

/** `again`: targets that the agent before had already, each counted once; `bytesAgain`: bytes of printed lines that it had seen. */
function againIn(calls, steps, repo) {
  const [targets, lines] = [new Set(steps.targets), new Set(steps.lines)]
  const again = new Set(
    calls.flatMap(({ command }) => targetsOf(command, repo)).filter((one) => targets.has(one)),
  )
  const bytes = calls.flatMap(({ output }) => linesOf(output)).filter((line) => lines.has(line))
  return { again: again.size, bytesAgain: bytes.reduce((sum, line) => sum + Buffer.byteLength(line), 0) }
}

/** Calls until a file of the repository changes; all of them if none does. */
function firstEdit(calls) {
  const at = calls.findIndex(({ changed }) => changed.some((path) => path !== 'HEAD'))
  return at === -1 ? calls.length : at + 1
}

/**
 * A rule of a task is broken by: `files`, a changed path; `added`, an added line (in the files of `in`); `command`, a command that was run;
 * `needs`, when no added line (in the files of `in`) is like that; `commit`, when no new commit has such a subject. `most` added lines are allowed.
 */
export function isBroken(rule, changes, calls) {
  const lines = changes.added.filter(({ path }) => !rule.in || rule.in.test(path))
  if (rule.files?.test && changes.files.some((path) => rule.files.test(path))) return true
  if (rule.added && lines.filter(({ text }) => rule.added.test(text)).length > (rule.most ?? 0)) return true
  if (rule.commit && !changes.subjects.some((subject) => rule.commit.test(subject))) return true
  if (rule.command && calls.some(({ command }) => rule.command.test(command))) return true
  return Boolean(rule.needs) && !lines.some(({ text }) => rule.needs.test(text))
}

/** The approach that the agent before had dropped: in what was added, or written by any call on the way. */
const triesDropped = (task, changes, calls) =>
  changes.added.some(({ text }) => task.dropped.test(text)) ||
  calls.some(({ command }) => task.dropped.test(command))
