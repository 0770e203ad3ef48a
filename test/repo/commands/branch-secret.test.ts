import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { isNightly, sampled } from '../../sampled.ts'
import { cli } from '../cli.ts'
import { GOAL, later, made, usual } from '../usual.ts'

const letters = (count: number): string =>
  randomBytes(2 * count)
    .toString('base64')
    .replace(/[^A-Za-z0-9]/g, '')
    .padEnd(count, 'q7Zk2mW9xLrT4vB8nYc1Jd6Hs3Fp5Ga0UeXi')
    .slice(0, count)

const SHAPES = [
  () => `ghp_${letters(36)}`,
  () => `glpat-${letters(20)}`,
  () => `npm_${letters(36)}`,
  () => `AKIA${letters(16).toUpperCase().replace(/[018]/g, 'Q').replace(/9/g, 'R')}`,
]

/** Every verb that tells of branches, ranges or refs. */
const VERBS = [
  'log',
  'log --all',
  'log --graph',
  'review',
  'status',
  'show',
  'show --prompt',
  'verify',
  'check',
  'check --range main..HEAD',
  'review main..HEAD',
  'sessions',
  'doctor',
  'trust',
  'receipt',
  'diff',
  'prune --keep 0 --dry-run',
  'resume --print --to codex',
  `create ${'--dry-run'}`,
  'done --dry-run',
  'push --dry-run',
]

describe('a secret in the name of a branch', () => {
  it.each(sampled(SHAPES, 1))('stands in no output of any verb (%#)', async (shape) => {
    const repo = usual()
    const token = shape()
    repo.git(['switch', '-q', '-c', `feature/${token}`])
    await made(repo)
    repo.commit('more', { 'src/more.ts': 'x\n' })
    await made(repo, [], { now: later(9) })
    for (const [at, verb] of sampled(VERBS, 7).entries())
      for (const json of isNightly ? [['--json'], []] : [at % 2 === 0 ? ['--json'] : []]) {
        const words = verb.split(' ')
        const argv = words[0] === 'create' ? ['create', GOAL, ...words.slice(1)] : words
        let told = ''
        const out = await cli(repo, [...argv, ...json]).catch((error: Error) => {
          told = error.message
          return { stdout: '', stderr: '' }
        })
        told += out.stdout + out.stderr
        expect(told.includes(token) ? told : '', [...argv, ...json].join(' ')).toBe('')
      }
  })
})
