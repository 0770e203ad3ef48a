import { defineParts, SHARES } from './define-parts.ts'

defineParts(SHARES.ruin)
