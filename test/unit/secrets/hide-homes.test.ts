import { describe, expect, it } from 'vitest'
import { hideHomes } from '../../../src/secrets/scanner.ts'
import { homePath } from '../../../src/validate/text-rules.ts'

/** What the strict rule says of one line of a body. */
const complaints = (line: string) =>
  homePath({
    lines: [line],
    parsed: { sections: [], bodyLine: 0 },
    facts: { home: '/home/dev', userNames: ['robin'] },
    lineOf: () => Number.POSITIVE_INFINITY,
  } as never)
const hide = (text: string) => hideHomes(text, '/home/dev', ['robin'])

describe('home directories and names in paths', () => {
  it.each([
    ['/home/dev/repo/src/a.ts', '~/repo/src/a.ts'],
    ['see /home/bea/x and /Users/cleo/y', 'see ~/x and ~/y'],
    ['/mnt/c/Users/bea/x', '~/x'],
    ['/private/home/bea', '~'],
    ['/var/home/bea/x', '~/x'],
    ['C:\\Users\\bea\\x', '~\\x'],
    ['"C:\\\\Users\\\\bea\\\\x"', '"~\\\\x"'],
    ['c:/users/bea/x', '~/x'],
    ['[/home/bea](x)', '[~](x)'],
    ['cd /root && ls', 'cd ~ && ls'],
    ['cat /srv/robin/app.log', 'cat /srv/user/app.log'],
    ['D:\\work\\Robin\\app', 'D:\\work\\user\\app'],
    ['~/robin/app', '~/user/app'],
  ])('%s', (text, hidden) => {
    expect(complaints(text).length + Number(text.includes('/root'))).toBeGreaterThan(0)
    expect(hide(text)).toBe(hidden)
    expect(complaints(hide(text))).toEqual([])
  })

  it('takes a short home only where a path begins', () => {
    const ofRoot = (text: string) => hideHomes(text, '/root')
    expect(ofRoot('cmd/cli/root.go, /root/a.ts, "/root" and x/root/b')).toBe(
      'cmd/cli/root.go, ~/a.ts, "~" and x/root/b',
    )
    expect(hideHomes('/home/ann.d/x /home/ann.', '/home/ann')).toBe('~/x ~.')
  })

  it.each([
    'src/robin/a.ts',
    './home/bea/x',
    'a~/home',
    'robin said so',
    'the users/list page',
    'gh api /users/bea/packages',
    '2>/dev/null',
  ])('leaves alone: %s', (text) => expect(hide(text)).toBe(text))
})
