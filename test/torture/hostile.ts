import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { visible } from '../../src/text/safe-text.ts'
import { cli } from '../repo/cli.ts'
import { made, usual } from '../repo/usual.ts'
import { type Hostile, hostiles, MARK, OUTSIDE, type Stage } from './hostile-cases.ts'
import { READERS, type Reader, type Told } from './hostile-readers.ts'
import { dangerIn, ESCAPES, fuzzedTexts } from './hostile-texts.ts'
import type { ByForm, Context, Part } from './part.ts'
import { sample } from './random.ts'

/** Cases that are no ids, ids that are none, and readers of each. */
const SAMPLE: ByForm<{ cases: number; ids: number; readers: number }> = {
  ci: { cases: 1, ids: 0, readers: 2 },
  short: { cases: 8, ids: 2, readers: 4 },
  long: { cases: Number.POSITIVE_INFINITY, ids: Number.POSITIVE_INFINITY, readers: 4 },
}

/** Whatever stands in a brief or beside it, told by every reader: neutral, or refused in words. */
export const part: Part = {
  name: 'hostile',
  async run(context) {
    controls(context)
    await everyPair(context)
  },
}

/** What Node offers against escapes leaves many of them; ours none. */
function controls({ row, random, long }: Context): void {
  const escapes = Object.values(ESCAPES)
  const fuzzed = fuzzedTexts(long ? 1000 : 200, random)
  const left = (texts: string[], made: (text: string) => string) =>
    texts.filter((text) => dangerIn(made(text)) !== null || made(made(text)) !== made(text)).length
  for (const [name, texts] of Object.entries({
    'the 29 escape strings': escapes,
    'fuzzed escapes': fuzzed,
  })) {
    const ours = left(texts, visible)
    row(name, 'visible()', texts.length, ours === 0, `${ours} left`)
  }
  const theirs = left(escapes, stripVTControlCharacters)
  row(
    'negative control: the 29 escape strings',
    'stripVTControlCharacters of Node',
    escapes.length,
    theirs >= 13,
    `${theirs} left; whoever leaves none here would see no attack`,
  )
}

async function everyPair(context: Context): Promise<void> {
  const { scratch, form, long, random, row, case: tell } = context
  const most = SAMPLE[form]
  const folder = scratch('hostile')
  const { stage, reset, id } = await makeStage(folder)
  const all = hostiles(random, long ? 1000 : 100)
  const ids = all.filter(isAboutIds)
  const chosen = long
    ? all
    : [
        ...sample(
          all.filter((one) => !isAboutIds(one)),
          most.cases,
          random,
        ),
        ...sample(ids, most.ids, random),
      ]
  for (const hostile of chosen) {
    const readers = long && !isOneOfMany(hostile) ? READERS : few(random, most.readers)
    const wrong: string[] = []
    let refused = 0
    let count = 0
    // An id that is none is no more one when it is trusted.
    for (const isTrusted of isAboutIds(hostile) ? [false] : [false, true]) {
      reset()
      hostile.plant(stage)
      if (isTrusted) {
        // Where it can be trusted at all: many cannot even be read.
        const { code } = await cli(stage.repo, ['trust', id])
        if (code !== 0) break
      }
      // By day an untrusted brief meets those that tell of it unasked: the others tell it in the same words once it is trusted.
      for (const reader of readers.filter(({ unasked }) => form !== 'ci' || isTrusted || unasked)) {
        const told = await tellOf(reader, stage, id)
        const faults = faultsOf(told, { hostile, reader, stage, isTrusted })
        if (told.code !== 0) refused++
        count++
        tell({
          hostile: hostile.name,
          reader: reader.name,
          isTrusted,
          code: told.code,
          faults,
        })
        wrong.push(...faults.map((fault) => `${reader.name}${isTrusted ? ' (trusted)' : ''}: ${fault}`))
      }
    }
    row(
      hostile.name,
      `${readers.length} readers${isAboutIds(hostile) ? '' : ', not trusted and trusted'}`,
      count,
      wrong,
      `${refused} refused, the others neutral`,
    )
  }
}

const isAboutIds = ({ name }: Hostile): boolean => /^(?:an id|a parent) that is /.test(name)

/** Of a kind that comes in dozens: each meets some of the readers, all of them together every reader. */
const isOneOfMany = (one: Hostile): boolean =>
  isAboutIds(one) || /^fuzzed |^front matter of the language /.test(one.name)

const few = (random: () => number, count: number): readonly Reader[] => {
  const chosen = new Set(
    sample(
      READERS.filter(({ writes }) => !writes),
      count,
      random,
    ),
  )
  return READERS.filter((one) => chosen.has(one) || one.often)
}

async function tellOf(reader: Reader, { repo }: Stage, id: string): Promise<Told> {
  try {
    return await reader.run(repo, id)
  } catch (error) {
    return { code: -1, text: `threw ${String(error)}` }
  }
}

function faultsOf(
  { code, text }: Told,
  seen: { hostile: Hostile; reader: Reader; stage: Stage; isTrusted: boolean },
): string[] {
  const { hostile, reader, stage, isTrusted } = seen
  const danger = reader.raw ? null : dangerIn(reader.colored ? text.replace(OUR_COLOURS, '') : text)
  const found = (words: readonly string[]) => words.filter((word) => text.includes(word))
  return [
    ...(danger === null ? [] : [`shows ${danger}`]),
    ...(/E_UNEXPECTED|This is a bug in handoff|Handoff failed: \w*Error/.test(text) || code === -1
      ? [`a bug: ${text.trim().slice(0, 300)}`]
      : []),
    ...(existsSync(stage.canary) ? ['something was run or written'] : []),
    ...found([OUTSIDE, 'root:x:0']).map((word) => `tells ${word}, which stands outside of the repository`),
    ...(reader.unasked && !isTrusted && text.includes(MARK) ? ['tells words of a stranger unasked'] : []),
    ...(reader.markup ? found(hostile.markup ?? []).map((word) => `holds ${word} as markup`) : []),
    ...(reader.log && /^\s*::(?:error|set-env|add-mask)::(?:owned|name|a)|##\[error\]owned/m.test(text)
      ? ['holds a command of a log']
      : []),
  ]
}

/** What `src/text/rows.ts` puts around pieces, and the warning of `src/output/output.ts`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: colours are control characters
const OUR_COLOURS = /\u001b\[(?:0|1|2|22|31|32|33|36|39)m/g

async function makeStage(folder: string): Promise<{ stage: Stage; reset: () => void; id: string }> {
  const repo = usual()
  const { path, id } = await made(repo)
  const outside = { file: join(folder, 'outside.txt'), folder: join(folder, 'outside') }
  mkdirSync(outside.folder)
  writeFileSync(outside.file, `---\nid: ${id}\ngoal: ${OUTSIDE}\n---\n# ${OUTSIDE}\n`)
  writeFileSync(
    join(outside.folder, path.split('/').at(-1) ?? ''),
    repo.read(path).replaceAll('queue', OUTSIDE),
  )
  writeFileSync(join(outside.folder, 'pointer-prompt.txt'), OUTSIDE)
  chmodSync(outside.folder, 0o755)
  const stage = { repo, path, text: repo.read(path), canary: join(folder, 'canary'), outside }
  const head = repo.git(['rev-parse', 'HEAD'])
  const reset = (): void => {
    // A clone of a stranger's repository: nothing was made here, nothing is trusted.
    for (const name of ['.git/handoff', '.handoff', 'inner'])
      rmSync(join(repo.root, name), { recursive: true, force: true })
    repo.git(['reset', '-q', '--hard', head])
    repo.git(['clean', '-q', '-ffdx'])
    rmSync(stage.canary, { force: true })
  }
  return { stage, reset, id }
}
