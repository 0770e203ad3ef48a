import { afterAll } from 'vitest'
import { forgetMade } from './make-repo.ts'

afterAll(forgetMade)
