import type { Invocation } from '../command.ts'
import { previewText } from '../report/preview-text.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { digestLines, watchSession } from '../session/session-digest.ts'
import { widthOf } from '../text/cells.ts'
import type { Built } from './compose.ts'
import type { Input } from './gather.ts'
import type { CreateOutcome } from './keep.ts'

/** The session and what the brief keeps and drops of it, instead of the brief. */
export interface Preview {
  /** The session, noted down as it is read. */
  watch(picked: PickedSession): PickedSession
  show(invocation: Invocation, input: Input, built: Built, dry: CreateOutcome): Promise<CreateOutcome>
}

export function openPreview(): Preview {
  const session = watchSession()
  return {
    watch: session.watch,
    async show({ place, out }, { scanner, hide }, { brief }, dry) {
      const { value } = await scanner.redact(session.lines())
      const context = hide(digestLines(value))
      const width = out.screen?.columns ?? widthOf(place.env)
      return { ...dry, result: { ...dry.result, context }, text: previewText(brief, context, width) }
    },
  }
}
