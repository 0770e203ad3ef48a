import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { draftBrief } from '../../../src/brief/draft.ts'
import {
  attributesText,
  expandedLatest,
  folderReadme,
  isCopyOf,
  isPointer,
  pointerText,
  readCopy,
  readMarker,
} from '../../../src/brief/latest.ts'
import { renderBrief } from '../../../src/brief/render.ts'
import { sampleInput } from './sample.ts'

const brief = renderBrief(draftBrief(sampleInput()))
const id = '20260714T091522-01c40e9b'
/** What stood there before it was shortened, and while it named npx. */
const FORMERS = ['former-latest.md', 'former-npx-latest.md'].map((name) =>
  readFileSync(new URL(`../../fixtures/brief/${name}`, import.meta.url), 'utf8'),
)
const head = '3f9c2ab1d0e47788990aabbccddeeff001122334'
const briefs = '89abcdef0123456789abcdef0123456789abcdef'
const expand = (change: Partial<Parameters<typeof expandedLatest>[0]> = {}) =>
  expandedLatest({ branch: 'main', head, briefs, id, brief, trusted: true, ...change })
/** What the clean filter does: `sed '/^<!-- handoff:begin/,$d'`. */
const cleaned = (text: string) => text.split(/^<!-- handoff:begin/m)[0]

describe('the pointer', () => {
  it('C9: its command needs no substitution, which Gemini CLI refuses to run', () => {
    const command = /```sh\n([\s\S]*?)```/.exec(pointerText())?.[1] ?? ''
    expect(command).toContain('git grep')
    expect(command).not.toMatch(/\$\(|`|<\(|>\(/)
  })

  it('is one constant text: changing it breaks every branch that carries it', () => {
    const hash = createHash('sha256').update(pointerText()).digest('hex')
    expect(hash).toMatchInlineSnapshot(`"f6479521c483065024642a5939164278fcad73ba318a55d4026dc0e938b7408a"`)
  })

  it('tells three ways, and is ours', () => {
    const text = pointerText()
    expect(text).toContain('git handoff show')
    expect(text).toContain('git grep')
    // Above the brief, so that an agent meets that at once.
    expect(text.split('\n').length).toBeLessThan(20)
    expect(text).toContain('kind: done')
    expect(text).not.toContain('handoff:begin')
    expect([text, expand(), brief].every(isPointer)).toBe(true)
    expect(['', '# Latest\n', '---\ntitle: x\n---\n', `x${text}`].some(isPointer)).toBe(false)
  })

  it('never names the package that belongs to somebody else', () => {
    for (const text of [pointerText(), folderReadme(), expand(), expand({ trusted: false }), brief])
      expect(text).not.toMatch(/npx handoff\b/)
  })
})

describe('the expanded copy', () => {
  it('is the pointer for git, and the brief below the marker for the reader', () => {
    const text = expand()
    expect(cleaned(text)).toBe(pointerText())
    const below = text.slice(text.indexOf('<!-- handoff:begin')).split('\n')
    expect(below[0]).toMatch(
      new RegExp(
        `^<!-- handoff:begin branch=main id=${id} head=${head} briefs=${briefs} sum=[0-9a-f]{14} -->$`,
      ),
    )
    expect(below[1]).toBe(
      `This copy belongs to branch main, written at commit ${head}; if \`git branch --show-current\` prints another name, or \`git rev-parse -q --verify HEAD:.handoff/briefs\` prints anything but ${briefs}, ignore everything below.`,
    )
    expect(text.endsWith(brief)).toBe(true)
  })

  it('shows an untrusted brief by its id alone', () => {
    const text = expand({ trusted: false })
    expect(text).toContain(`git handoff trust ${id}`)
    expect(text).not.toContain('retry backoff')
    expect(text.slice(text.indexOf('<!--')).trimEnd().split('\n')).toHaveLength(4)
    expect(expand({ brief: null })).toBe(text)
  })

  it('says in one line that no brief is open', () => {
    const text = expand({ id: null, brief: null, trusted: false })
    expect(cleaned(text)).toBe(pointerText())
    expect(text.slice(text.indexOf('<!--')).split('\n').slice(2)).toEqual(['', 'No brief is open here.', ''])
    expect(readMarker(text)).toMatchObject({ branch: 'main', id: null, head })
    expect(readCopy(text)).toMatchObject({ state: 'ours', isEdited: false })
  })

  it.each(FORMERS)('keeps the text above the marker that git has', (former) => {
    const text = expand({ pointer: former })
    expect(cleaned(text)).toBe(former)
    expect(readCopy(text)).toMatchObject({ state: 'ours', pointer: former, isEdited: false })
    expect(readCopy(former)).toMatchObject({ state: 'ours', pointer: former, marker: null })
    expect(isPointer(former)).toBe(true)
    expect(isCopyOf(text, { id, text: brief, branch: 'main', beside: [] })).toBe(true)
    expect(readCopy(former.replace('git-handoff', 'other'))).toEqual({ state: 'changed' })
  })

  it.each([
    'main',
    'feature/x',
    '-',
    'a-->b',
    'ünïcode/日本',
    'a"b\'c',
    'a$(id)`id`',
    'a&b;c|d',
    '%2D',
    'x<y>',
    'a`b',
  ])('carries branch %j in one line and back', (branch) => {
    const text = expand({ branch })
    expect(readMarker(text)).toMatchObject({ branch, id, head })
    expect(text.split('\n').filter((line) => line.startsWith('<!-- '))).toHaveLength(1)
    expect(/^<!-- [^>]* -->$/m.test(text)).toBe(true)
    expect(cleaned(text)).toBe(cleaned(expand()))
  })

  it('carries a detached and an unborn HEAD', () => {
    expect(readMarker(expand({ branch: null, head: null }))).toMatchObject({ branch: null, id, head: null })
    expect(expand({ branch: null })).toContain('belongs to no branch (detached HEAD)')
  })

  it.each([
    '',
    'x',
    '<!-- handoff:begin -->',
    '<!-- handoff:begin branch=%zz id=20260714T091522-01c40e9b head=- -->',
    '<!-- handoff:begin branch=a id=../x head=- -->',
  ])('has no marker in %j', (text) => expect(readMarker(text)).toBeNull())
})

describe('what stands in a latest.md', () => {
  const ours = { state: 'ours', isEdited: false, isConverted: false }
  const crlf = (text: string) => text.replace(/\n/g, '\r\n')
  const text = expand()
  const begin = text.indexOf('<!-- handoff:begin')
  const conflict = `<<<<<<< HEAD\n${brief}=======\n${pointerText()}>>>>>>> side\n`
  const inside = brief.replace(/^id: .*$/m, (line) => `<<<<<<< HEAD\n${line}\n=======\nid: x\n>>>>>>> side`)

  it.each<[string, string, object]>([
    ['the pointer', pointerText(), { ...ours, marker: null }],
    ['the copy', text, ours],
    ['the copy of an untrusted brief', expand({ trusted: false }), ours],
    ['a copy of before there was a sum', text.replace(/ sum=[0-9a-f]{14}/, ''), ours],
    ['the pointer with Windows line ends', crlf(pointerText()), { ...ours, isConverted: true }],
    ['the copy with Windows line ends', crlf(text), { ...ours, isConverted: true }],
    ['the copy with a byte order mark', `\uFEFF${text}`, { ...ours, isConverted: true }],
    [
      'a copy of a brief with Windows line ends in it',
      expand({ brief: crlf(brief) }),
      { state: 'ours', isEdited: false },
    ],
    ['a line added at the end', `${text}Also: push it.\n`, { ...ours, isEdited: true }],
    ['one letter changed', text.replace('retry', 'retrY'), { ...ours, isEdited: true }],
    [
      'the line for other branches taken out',
      text.replace(/^This copy belongs.*\n/m, ''),
      { ...ours, isEdited: true },
    ],
    [
      'a marker nobody can read',
      text.replace(/branch=\S+/, 'branch=%zz'),
      { ...ours, isEdited: true, marker: null },
    ],
    ['a marker without its end', `${pointerText()}<!-- handoff:begin`, { ...ours, isEdited: true }],
    [
      'text between pointer and marker',
      `${text.slice(0, begin)}Push it.\n${text.slice(begin)}`,
      { state: 'changed' },
    ],
    ['text behind the pointer, without a marker', `${pointerText()}Push it.\n`, { state: 'changed' }],
    ['a changed pointer', text.replace('git handoff show', 'npx other show'), { state: 'changed' }],
    ['nothing', '', { state: 'changed' }],
    ['a brief', brief, { state: 'brief' }],
    ['a brief with Windows line ends', crlf(brief), { state: 'brief' }],
    ['a brief that quotes a conflict', `${brief}\n<<<<<<< a\n>>>>>>> b\n`, { state: 'brief' }],
    ['a conflict of brief and pointer', conflict, { state: 'conflicted' }],
    ['a conflict inside a brief', inside, { state: 'conflicted' }],
  ])('%s', (_, latest, expected) => expect(readCopy(latest)).toMatchObject(expected))

  it('a conflict is still ours, somebody else’s is not', () => {
    expect([conflict, inside, crlf(conflict), `\uFEFF${text}`].every(isPointer)).toBe(true)
    expect(isPointer('<<<<<<< HEAD\na\n=======\nb\n>>>>>>> side\n')).toBe(false)
  })
})

it('shows in the copy what nobody would see, and still knows it as the copy of that brief', () => {
  const odd = `${brief}- clear\u001b[2J and\u202e turn\n`
  const copy = expand({ brief: odd })
  expect(copy).toContain('- clear\\u{1b}[2J and\\u{202e} turn')
  expect(copy).not.toContain('\u001b')
  expect(isCopyOf(copy, { id, text: odd, branch: 'main', beside: [] })).toBe(true)
})

it('attributes are constant', () => {
  expect(attributesText()).toBe(
    '* text eol=lf -filter -ident -working-tree-encoding\n/latest.md filter=handoff\n/briefs/** linguist-generated\n',
  )
})
