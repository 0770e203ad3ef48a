import { describe, expect, test } from 'vitest'
import { chooseBase } from '../../../src/git/find-base.ts'
import { parseRefs } from '../../../src/git/refs.ts'

const listing = (...lines: string[]) => lines.map((line) => `${line}\n`).join('')
const main = 'refs/heads/main 111 '
const remoteMain = 'refs/remotes/origin/main 222 '
const remoteHead = 'refs/remotes/origin/HEAD 222 refs/remotes/origin/main'
const upstream = (ref: string) => ({ ref, rev: '@{upstream}' })

describe('chooseBase', () => {
  test.each([
    ['no branch to compare with', listing(main), 'main', null, null],
    ['the local default branch', listing(main), 'work', null, { ref: 'main', rev: '111' }],
    [
      'the remote default branch before the local one',
      listing(main, remoteMain),
      'work',
      null,
      { ref: 'origin/main', rev: '222' },
    ],
    [
      "the remote's HEAD, whatever it is called",
      listing('refs/remotes/origin/HEAD 333 refs/remotes/origin/release/2', remoteMain, main),
      'work',
      null,
      { ref: 'origin/release/2', rev: '333' },
    ],
    [
      'an upstream of another name',
      listing(remoteHead, remoteMain),
      'x',
      upstream('origin/develop'),
      upstream('origin/develop'),
    ],
    [
      'an upstream of the same name is no base',
      listing(remoteHead, remoteMain),
      'x',
      upstream('origin/x'),
      { ref: 'origin/main', rev: '222' },
    ],
    [
      'unpushed commits of the default branch',
      listing(remoteHead, remoteMain, main),
      'main',
      upstream('origin/main'),
      upstream('origin/main'),
    ],
    [
      'the same without a configured upstream',
      listing(remoteMain, main),
      'main',
      null,
      { ref: 'origin/main', rev: '222' },
    ],
    [
      "the upstream's own remote first",
      listing(remoteHead, remoteMain, 'refs/remotes/fork/HEAD 444 refs/remotes/fork/dev'),
      'x',
      upstream('fork/x'),
      { ref: 'fork/dev', rev: '444' },
    ],
    [
      'any remote when there is no origin',
      listing('refs/remotes/up/master 555 '),
      'x',
      null,
      { ref: 'up/master', rev: '555' },
    ],
    ['detached HEAD', listing(main), null, null, { ref: 'main', rev: '111' }],
    ['only its own upstream', '', 'x', upstream('origin/x'), upstream('origin/x')],
  ])('%s', (_name, refs, branch, up, expected) => {
    expect(chooseBase(parseRefs(refs), branch, up)).toEqual(expected)
  })
})
