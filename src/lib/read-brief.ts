import type { ReadResult } from '../briefs/results.ts'
import { usage } from '../errors/usage.ts'
import { argvOf, type Flags, SURROUNDINGS } from './argv.ts'
import { call, type Surroundings } from './call.ts'

export interface ReadOptions extends Surroundings {
  /** `latest` (the default), an id, a unique prefix of one, or a file. */
  id?: string
  /** What `text` holds: the markdown (the default), the short pointer for a successor, or all of it wrapped for a prompt. */
  form?: 'markdown' | 'pointer' | 'inline'
  /** Only this section in `text`; not together with `form`. */
  section?: string
}

const FLAGS: Flags<ReadOptions> = { ...SURROUNDINGS, id: null, form: null, section: '--section' }
const FORMS = { markdown: [], pointer: ['--prompt'], inline: ['--inline'] } as const

/** One brief, and whether it is trusted here, as `handoff show` tells it. Throws `HandoffError`. */
export async function readBrief(options: ReadOptions = {}): Promise<ReadResult> {
  const { id, form = 'markdown' } = options
  const flags = argvOf('readBrief', options, FLAGS)
  if (!Object.hasOwn(FORMS, form))
    throw usage(
      `readBrief knows no form ${JSON.stringify(form).slice(0, 60)}.`,
      `It knows: ${Object.keys(FORMS).join(', ')}.`,
    )
  return call(['show', ...flags, ...FORMS[form], '--', ...(id === undefined ? [] : [id])], options)
}
