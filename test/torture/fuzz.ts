import { commandSubjects } from './fuzz-commands.ts'
import { configSubjects } from './fuzz-config.ts'
import { runControls } from './fuzz-controls.ts'
import { documentSubjects } from './fuzz-documents.ts'
import { homeSubjects } from './fuzz-homes.ts'
import { type Hunt, report, reportAll } from './fuzz-hunt.ts'
import { noteSubjects } from './fuzz-notes.ts'
import { programSubjects } from './fuzz-program.ts'
import { sessionSubjects } from './fuzz-sessions.ts'
import { stateSubjects } from './fuzz-state.ts'
import type { Part } from './part.ts'

/**
 * Odd input of every kind, made by structure and decided by the seed: no crash, no hang, no lost rejection, and always a brief that
 * passes its checks or an error with a code. `TORTURE_FUZZ`: only kinds that hold one of these words.
 */
export const part: Part = {
  name: 'fuzz',
  async run(context) {
    const words = (process.env.TORTURE_FUZZ ?? '').split(',')
    const isWanted = (kind: string): boolean => words.some((word) => kind.includes(word))
    if (context.form !== 'ci' && isWanted('planted')) await runControls(context)
    const subjects = [
      ...(await sessionSubjects(context)),
      ...homeSubjects(context),
      ...documentSubjects(),
      ...noteSubjects(),
      ...configSubjects(context),
      ...stateSubjects(context),
      ...(await commandSubjects()),
      // By day what it does is tried in this process.
      ...(context.form === 'ci' ? [] : await programSubjects(context)),
    ]
    const hunts: Hunt[] = []
    for (const subject of subjects) if (isWanted(subject.kind)) hunts.push(await report(context, subject))
    if (hunts.length > 0) reportAll(context, hunts)
  },
}
