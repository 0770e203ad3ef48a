/** Makes the folders in which successors work: a Latin square of players, tasks and views. */
import {
  chmodSync,
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { playPredecessor } from './predecessor.mjs'
import { stepsOf } from './steps.mjs'
import { checkViews, documentOf } from './views.mjs'

export const CALLS = 40

/** Each player has each task once and each view equally often; each task is played once in each view. The second half turns the other way, so that no view keeps its place in the order. */
export const viewFor = (player, n, count) => {
  const turn = Math.floor(n / count) % 2 === 0 ? player + n : player - n + 2
  return ((turn % count) + count) % count
}

/** @param {{ tasks: object[], views: string[], players: number, folder: string, key: string, sources: string, stop?: string }} plan */
export function prepare({ tasks, views, players, folder, key, sources, stop, tell = () => {} }) {
  checkViews(views)
  const entries = []
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'takeover-')))
  mkdirSync(folder, { recursive: true })
  mkdirSync(key, { recursive: true })
  const recorder = join(resolve(folder), 'recorder.mjs')
  copyFileSync(fileURLToPath(new URL('recorder.mjs', import.meta.url)), recorder)
  writeFileSync(join(folder, 'HOWTO.md'), howTo())
  try {
    for (const [n, task] of tasks.entries()) {
      const input = playPredecessor(task, stop ?? task.pilot, join(root, task.id), sources)
      mkdirSync(join(key, task.id), { recursive: true })
      const steps = stepsOf(input.events, input.repo)
      writeFileSync(join(key, task.id, 'steps.json'), JSON.stringify(steps))
      copyFileSync(input.session, join(key, task.id, 'session.jsonl'))
      for (let player = 0; player < players; player++) {
        const view = views[viewFor(player, n, views.length)]
        const place = join(resolve(folder), String(player + 1), task.id)
        const log = join(resolve(folder), 'logs', `${player + 1}-${task.id}.jsonl`)
        const text = documentOf(view, task, input)
        tell(`${task.id} ${player + 1}`)
        rmSync(place, { recursive: true, force: true })
        rmSync(log, { force: true })
        mkdirSync(place, { recursive: true })
        cpSync(input.repo, join(place, 'work'), { recursive: true, verbatimSymlinks: true })
        writeFileSync(join(place, 'PROMPT.md'), promptFor(task, text))
        writeFileSync(
          join(place, 'do'),
          `#!/bin/sh\nexec node '${recorder}' '${place}' '${log}' ${CALLS} "$@"\n`,
        )
        chmodSync(join(place, 'do'), 0o755)
        writeFileSync(join(key, task.id, `${view}.md`), text)
        entries.push({
          player: player + 1,
          task: task.id,
          view,
          place,
          log,
          base: input.base,
          tokens: text === '' ? 0 : countTokens(text),
        })
      }
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
  writeFileSync(join(key, 'key.json'), `${JSON.stringify(entries, null, 2)}\n`)
  return entries
}

const HOW = `Work only through \`./do '<command>'\` in the folder of \`PROMPT.md\`: it runs one shell command inside \`work/\` and prints what comes back. Give the
command as one argument, or a script of several lines on standard input: \`./do - <<'EOF'\`. Read, edit and test in this way, and look at
nothing outside \`work/\`. There is no network. You have ${CALLS} calls.

When you believe that the task is done, write the file \`DONE\` beside \`PROMPT.md\`, three lines: what you did, how you checked it, what you are
unsure of. Then stop.`

const promptFor = (task, text) => `# Take over

Another agent worked on this in \`work/\` and was cut off in the middle. Its changes that are not committed are still there. You go on.

**Goal:** ${task.goal}

${HOW}

## What was handed over

${text.trim() === '' ? 'Nothing but the work folder.' : text.trim()}
`

const howTo = () => `# How to play a successor

You are one player and have one folder, named by your number. In it is a folder for each task. Take the tasks in the order of their names,
one at a time, and finish one before you open the next.

1. Read \`PROMPT.md\` of the task, once and whole. That is all you know. What it hands over may be long, short or nothing.
2. ${HOW.replaceAll('\n', '\n   ')}
3. Do not use any other tool on these folders: no reading or editing of files but by \`./do\`. The only exceptions are reading \`PROMPT.md\`
   and writing \`DONE\`.
4. Look for no other version of the repository, and not at folders of other players, logs or anything beside your folder.
5. Work as you would for a person: as many calls as the task needs and no more. Each call counts, and what it prints counts.
6. What you learned in one task is of no use in the next: each is another repository.

When all your tasks have a \`DONE\`, say so and stop. Do not grade yourself.
`
