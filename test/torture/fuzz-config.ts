import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { loadConfig } from '../../src/config/load.ts'
import { codeOf } from './fuzz-brief.ts'
import { type Cut, cuts, cutUp } from './fuzz-bytes.ts'
import type { Subject } from './fuzz-hunt.ts'
import { oddText, oddValue } from './fuzz-texts.ts'
import { type Edit, edited, edits, jsonOf } from './fuzz-values.ts'
import type { Context } from './part.ts'

export const configSubjects = (context: Context): Subject[] =>
  [configuration(context.scratch('config'))] as Subject[]

const PLACES = [
  '.handoff/config.yaml',
  '.handoff/config.json',
  'package.json',
  '.handoffrc',
  'handoff.config.yml',
  '.pi/settings.json',
  'user',
] as const
const CONFIG = {
  limits: { files: 10, commands: 5, information: 3 },
  budget: { soft: 3000, hard: 6000 },
  include: { metadata: true },
  validate: { files: true },
  goal: { minLength: 12 },
  notes: { maxAge: '1h', require: false },
  latest: 'pointer',
  maxFiles: 3,
  commit: { branch: 'current', enabled: true },
  edit: false,
  mission: 'one thing',
  secrets: { allow: ['0123456789ab'] },
  personas: { reviewer: { agent: 'codex', start: 'Review it.', skills: ['review'] } },
  nudge: { threshold: 90 },
  inject: 'pointer',
  gitHooks: { trailers: false, prePush: false },
  retention: { keep: 5, olderThan: '90d' },
  passEnv: [],
  start: 'x {id}',
}
const YAML = [
  'a: &a [x]\nb: [*a,*a]',
  '!!js/function x',
  '<<: *x',
  '__proto__: {x: 1}',
  '? [a]\n: b',
  '- x',
  'x',
  '"',
  'limits: 5',
  '---\n---\n',
  '\t',
  '%',
]

const configuration = (
  root: string,
): Subject<{
  place: (typeof PLACES)[number]
  edits: Edit[]
  cuts: Cut[]
  yaml: string
  env: Record<string, string>
}> => ({
  kind: 'configuration',
  operation: 'load',
  counts: [60, 1500],
  inputs: fc.record({
    place: fc.constantFrom(...PLACES),
    edits,
    cuts: fc.oneof({ weight: 3, arbitrary: fc.constant<Cut[]>([]) }, { weight: 1, arbitrary: cuts }),
    yaml: fc.oneof(
      { weight: 3, arbitrary: fc.constant('') },
      fc.constantFrom(...YAML),
      oddText,
      oddValue.map(jsonOf),
    ),
    env: fc.dictionary(
      fc.constantFrom(
        'HANDOFF_MAX_FILES',
        'HANDOFF_LATEST',
        'HANDOFF_NOTES_MAX_AGE',
        'HANDOFF_EDIT',
        'HANDOFF_SOURCES',
        'HANDOFF_PERSONAS',
      ),
      oddText,
      { maxKeys: 2 },
    ),
  }),
  async meets({ place, edits, cuts: all, yaml, env }) {
    const home = join(root, 'home')
    rmSync(root, { recursive: true, force: true })
    const value = edited(CONFIG, edits)
    const wrapped =
      place === 'package.json' || place.startsWith('.pi') ? { name: 'x', handoff: value } : value
    const file = place === 'user' ? join(home, '.config/handoff/config.yaml') : join(root, place)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, cutUp(Buffer.from(yaml === '' ? jsonOf(wrapped) : yaml), all))
    try {
      const { config, warnings } = await loadConfig({ home, env }, { root, isPi: place.startsWith('.pi') })
      JSON.stringify({ config, warnings })
      for (const limit of [...Object.values(config.limits), ...Object.values(config.budget)])
        if (!Number.isSafeInteger(limit)) throw new Error(`a limit of ${limit}`)
      return 'loaded'
    } catch (error) {
      return codeOf(error)
    }
  },
})
