import { describe, expect, it } from 'vitest'
import { pageOf, placeOf, readLink, remoteOf } from '../../../src/remote/link.ts'

const shop = { place: 'github.com/acme/shop', clone: 'https://github.com/acme/shop.git' }
const asked = (ref: string, branch: string) => ({ request: { ref, branch }, branch: null })

describe('a link', () => {
  it.each([
    ['https://github.com/acme/shop/pull/12', { ...shop, ...asked('refs/pull/12/head', 'pr/12') }],
    ['https://github.com/acme/shop/pull/12/commits/ab?x#y', asked('refs/pull/12/head', 'pr/12')],
    ['https://codeberg.org/acme/shop/pulls/3', asked('refs/pull/3/head', 'pr/3')],
    [
      'https://gitlab.com/a/b/c/-/merge_requests/5/diffs',
      { place: 'gitlab.com/a/b/c', ...asked('refs/merge-requests/5/head', 'mr/5') },
    ],
    [
      'https://git.example.com:8443/acme/.github/pull/1',
      { clone: 'https://git.example.com:8443/acme/.github.git' },
    ],
    ['https://github.com/acme/shop/tree/feature/a%23b', { ...shop, request: null, branch: 'feature/a#b' }],
    ['https://gitlab.com/a/b/c/-/tree/x/y', { place: 'gitlab.com/a/b/c', branch: 'x/y' }],
    ['https://bitbucket.org/acme/shop/branch/x', { place: 'bitbucket.org/acme/shop', branch: 'x' }],
  ])('%s is read', (text, link) => {
    expect(readLink(text)).toMatchObject(link)
  })

  it.each(['main', 'feature/pull/12', 'github.com/acme/shop/pull/12'])('%s is none', (text) => {
    expect(readLink(text)).toBeNull()
  })

  it.each([
    'https://github.com/acme/shop',
    'https://github.com/acme/shop/pull/0x1',
    'https://github.com/-acme/shop/pull/1',
    'https://github.com/acme/s%20hop/pull/1',
    'https://github.com/acme/$(id)/pull/1',
    'https://bitbucket.org/acme/shop/pull-requests/4',
    'http://u@github.com/acme/shop/pull/1',
    'ssh://git@github.com/acme/shop/pull/1',
    'ext::sh',
    'javascript:alert(1)',
    'https:',
  ])('%s leads nowhere', (text) => {
    expect(() => readLink(text)).toThrow(expect.objectContaining({ code: 'E_USAGE' }))
  })
})

describe('the address of a remote', () => {
  it.each([
    ['https://github.com/acme/shop.git', 'github.com/acme/shop'],
    ['https://token:x@GitHub.com/acme/shop/', 'github.com/acme/shop'],
    ['ssh://git@ssh.github.com:443/acme/shop.git', 'github.com/acme/shop'],
    ['git@github.com:acme/shop.git', 'github.com/acme/shop'],
    ['work:acme/shop', 'work/acme/shop'],
    ['/srv/git/shop.git', null],
    ['../shop', null],
    ['ext::sh -c touch% x', null],
  ])('%s', (url, place) => {
    expect(placeOf(url)).toBe(place)
  })

  it('is found by host and path, in any case, and by the path alone behind an alias of ssh', () => {
    const link = readLink('https://GitHub.com/Acme/Shop/pull/1') as NonNullable<ReturnType<typeof readLink>>
    const found = (url: string) => remoteOf([{ url: '/other' }, { url }], link)?.url
    expect(found('git@github.com:acme/shop.git')).toBe('git@github.com:acme/shop.git')
    expect(found('work:acme/shop.git')).toBe('work:acme/shop.git')
    expect(found('git@evil.example:acme/shop.git')).toBeUndefined()
    expect(found('git@github.com:acme/shop2.git')).toBeUndefined()
  })

  it('has a page for a branch on hosts that are known', () => {
    expect(pageOf('git@github.com:acme/shop.git', 'a/b#c')).toBe('https://github.com/acme/shop/tree/a/b%23c')
    expect(pageOf('https://x:secret@gitlab.com/a/b/c.git', 'x')).toBe('https://gitlab.com/a/b/c/-/tree/x')
    expect(pageOf('ssh://git@gitlab.example.org/a/b', 'x')).toBe('https://gitlab.example.org/a/b/-/tree/x')
    expect(pageOf('https://example.org/github.com/a/b', 'x')).toBeNull()
    expect(pageOf('/srv/shop.git', 'x')).toBeNull()
  })
})
