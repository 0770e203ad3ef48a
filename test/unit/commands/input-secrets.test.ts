import { expect, it } from 'vitest'
import { secretValues } from '../../../src/workspace/input-secrets.ts'

it('C1: the id by which an agent names its session to what it calls is no secret of the environment', () => {
  const secret = { SESSION_SECRET: 'kX9mQ2vT7wLpR4sZ8nB3' }
  expect(secretValues({ HANDOFF_OPENCODE_SESSION: 'ses_df18bd507ffe8u8Nbnhd7Sid3z', ...secret })).toEqual([
    { name: 'SESSION_SECRET', value: secret.SESSION_SECRET },
  ])
})
