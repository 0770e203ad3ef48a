import { defineParts, SHARES } from './define-parts.ts'
import { parts } from './parts.ts'

const elsewhere: readonly string[] = Object.values(SHARES).flat()

// Whatever stands in no other file, so that no new part is forgotten.
defineParts(Object.keys(parts).filter((name) => !elsewhere.includes(name)))
