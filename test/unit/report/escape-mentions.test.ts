import fc from 'fast-check'
import { fromMarkdown } from 'mdast-util-from-markdown'
import { describe, expect, it } from 'vitest'
import { escapeMentions } from '../../../src/report/review-comment.ts'
import { codeSpan, escapeLine, escapeText } from '../../../src/text/safe-text.ts'

type Nodes = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number]

interface Seen {
  /** Types of the nodes, each once. */
  types: Set<string>
  /** What a host looks through after rendering. */
  text: string
  code: string
}

function see(markdown: string): Seen {
  const seen: Seen = { types: new Set(), text: '', code: '' }
  const walk = (node: Nodes): void => {
    // Our own element around a dollar sign is no markup of the text.
    if (node.type === 'html' && /^<\/?span>$/.test(node.value)) return
    seen.types.add(node.type)
    if (node.type === 'text') seen.text += `${node.value}\0`
    if (node.type === 'inlineCode') seen.code += node.value
    if ('children' in node) for (const child of node.children) walk(child)
  }
  walk(fromMarkdown(markdown))
  return seen
}

/** What hosts act upon in rendered text. */
const CALLS = [
  /@[\p{L}\p{N}_"]/u,
  /#\d/,
  /\bGH-\d/i,
  /![\d]/,
  /&\d/,
  /~[\p{L}"]/u,
  /:\/\//,
  /\bwww\./i,
  /\[\w+:\d/,
]
const calls = (text: string): string[] => CALLS.filter((call) => call.test(text)).map(String)
const INLINE = ['root', 'list', 'listItem', 'paragraph', 'text', 'inlineCode', 'emphasis', 'strong', 'break']

describe('a line in a comment', () => {
  it.each([
    '@octocat and @org/team, mail dev@example.com',
    'Closes #12, fixes org/repo#12, resolves GH-12',
    'fixes https://github.com/org/repo/issues/12 and www.example.com, ftp://x.example',
    '&#64;octocat &commat;octocat &#x40;octocat &#35;12',
    '\\@octocat \\#12 \\\\@octocat \\\\#12',
    '![image](https://example.com/x.png) [link](https://example.com) <https://example.com> [a]: https://x',
    '<!-- hidden --> <details><img src=x onerror=alert(1)> <a href="https://x">y</a>',
    '--> ]]> ```js\n@x',
    '!12 &12 ~bug ~"two words" %1 $12 [issue:12] ^x',
    '/close /assign @me',
    '`@in-code` and @outside ` @left',
    '\\`@octocat` and `` ` @code `` @after',
    '**bold @x** _it #1_ ~~@y~~',
    '# heading @x',
    '- [ ] task #1',
    '1. one @x',
    '> quote #2',
    '| a | b | @x',
  ])('%j calls nobody, links nowhere and is only words', (text) => {
    for (const line of [
      `- ${escapeMentions(escapeLine(text))}`,
      escapeMentions(`said: ${escapeText(text)}`),
    ]) {
      const seen = see(line)
      expect([...seen.types].filter((type) => !INLINE.includes(type))).toEqual([])
      expect(calls(seen.text)).toEqual([])
    }
  })

  it('shows what was written', () => {
    const shown = (text: string): string =>
      see(escapeMentions(escapeText(text))).text.replace(/[\0\u200b]/g, '')
    expect(shown('ask @dev about #12 & a < b, see https://x.example/a?b=c&d')).toBe(
      'ask @dev about #12 & a < b, see https://x.example/a?b=c&d',
    )
    expect(escapeMentions('costs $5')).toBe('costs <span>$</span>5')
    expect(escapeMentions('nothing special; 50% of it, a & b: x!')).toBe(
      'nothing special; 50% of it, a &amp; b: x!',
    )
  })

  it('leaves code as it is, however it is marked', () => {
    for (const code of ['@dev #12', 'a`b @x', '``', 'x\\', 'https://x', '$a$ & b']) {
      const line = `see ${codeSpan(code)} @x`
      expect(escapeMentions(line)).toContain(codeSpan(code))
      expect(see(escapeMentions(line)).code).toBe(see(line).code)
      expect(calls(see(escapeMentions(line)).text)).toEqual([])
    }
  })

  it('is so for any text', () => {
    const word = fc.constantFrom(
      '@',
      '#',
      '1',
      'a',
      '`',
      '\\',
      ' ',
      '&',
      ';',
      '<',
      '>',
      '[',
      ']',
      '(',
      ')',
      '!',
      '*',
    )
    const more = fc.constantFrom(
      '_',
      '$',
      '~',
      ':',
      '/',
      '//',
      'www.',
      'GH-',
      '64',
      '--',
      '"',
      '\n',
      '|',
      '#64',
      '%',
    )
    const text = fc.array(fc.oneof(word, more), { maxLength: 40 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(text, (one) => {
        const seen = see(`- ${escapeMentions(escapeLine(one))}`)
        expect([...seen.types].filter((type) => !INLINE.includes(type))).toEqual([])
        expect(calls(seen.text)).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
