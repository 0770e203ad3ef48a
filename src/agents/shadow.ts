import { existsSync } from 'node:fs'

/** What the skill of `init` is called besides where another one of the name `handoff` wins. */
export const OTHER_NAME = 'handoff-brief'

/** The first of these files that is there: a skill or command of the person's own. */
export const shadowAmong = (paths: readonly string[]): string | null =>
  paths.find((path) => existsSync(path)) ?? null

/** The skill under the other name. */
export const renamedSkill = (text: string): string => text.replace(/^name: handoff$/m, `name: ${OTHER_NAME}`)
