import { defineParts, HARM } from './define-parts.ts'
import { parts } from './parts.ts'

// Whatever does not stand in the other file, so that no new part is forgotten.
defineParts(Object.keys(parts).filter((name) => !HARM.includes(name)))
