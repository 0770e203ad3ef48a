import type { Part } from './part.ts'

/** Every part by name; loaded one at a time, so that one that is broken does not take the others along. */
export const parts: Readonly<Record<string, () => Promise<{ part: Part }>>> = {
  crash: () => import('./crash.ts'),
  faults: () => import('./faults.ts'),
  secrets: () => import('./secrets.ts'),
  hostile: () => import('./hostile.ts'),
  process: () => import('./process.ts'),
  trust: () => import('./trust.ts'),
  states: () => import('./states.ts'),
  fuzz: () => import('./fuzz.ts'),
  race: () => import('./race.ts'),
  model: () => import('./model.ts'),
}
