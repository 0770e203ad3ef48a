import { defineParts, HARM } from './define-parts.ts'

defineParts(HARM)
