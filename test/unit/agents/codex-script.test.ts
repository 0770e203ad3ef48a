import { describe, expect, it } from 'vitest'
import { scriptCalls } from '../../../src/agents/codex/script.ts'

describe('scripts of code mode', () => {
  const first = (source: string) => scriptCalls(source)[0]?.argument

  it.each([
    ['quoted keys', 'tools.f({"cmd":"a b"})', { cmd: 'a b' }],
    [
      'bare keys, other quotes, comments',
      "tools.f({cmd:'it\\'s', /* c */ n: 1_000, ok: true, no: null, // end\n})",
      { cmd: "it's", n: 1000, ok: true, no: null },
    ],
    ['template', 'tools.f({cmd:`a\n\\`b\\``})', { cmd: 'a\n`b`' }],
    ['escapes', String.raw`tools.f({cmd:"\u0041\x42\n\t\u{1F600}"})`, { cmd: 'AB\n\t😀' }],
    ['escapes of old', String.raw`await tools.f({cmd:"\033[0m"}); return 1`, { cmd: '\u001b[0m' }],
    ['sum of strings', 'tools.f({cmd:"a " + "b"})', { cmd: 'a b' }],
    [
      'joined lines',
      'tools.f(["*** Begin Patch", "*** End Patch"].join("\\n"))',
      '*** Begin Patch\n*** End Patch',
    ],
    ['a name declared before', 'const cmd = "npm test";\ntools.f({cmd, workdir})', { cmd: 'npm test' }],
    ['raw template', 'tools.f({cmd:String.raw`a\\d`})', { cmd: 'a\\d' }],
    [
      'values that are no literals',
      `tools.f({cmd:\`x \${y}\`, f: (a) => [a, {b: 1}], n: g(1, "2"), last: "z"})`,
      { last: 'z' },
    ],
    [
      'nested lists',
      'tools.f({plan:[{step:"a",status:"pending"}]})',
      { plan: [{ step: 'a', status: 'pending' }] },
    ],
  ])('reads %s', (_, source, argument) => {
    expect(first(source)).toEqual(argument)
  })

  it('finds calls in order, also inside of what it cannot read', () => {
    const source =
      'const [a, b] = await Promise.all([tools.a({x:1}), xs.map(x => tools.b({x}))]); text(await tools.c());'
    expect(scriptCalls(source).map(({ tool }) => tool)).toEqual(['a', 'b', 'c'])
  })

  it('finds a call inside of the argument of another', () => {
    const calls = scriptCalls('tools.a({n: (await tools.b({x:1})).n, y: 2})')
    expect(calls).toEqual([
      { tool: 'a', argument: { y: 2 } },
      { tool: 'b', argument: { x: 1 } },
    ])
  })

  it('takes no quoted script for a call', () => {
    const source = `const s = "tools.a({})"; // tools.b({})\nconst t = \`tools.c({})\`; const r = /["']tools/; mytools.d({}); tools.e({cmd:"tools.f({})"})`
    expect(scriptCalls(source).map(({ tool }) => tool)).toEqual(['e'])
  })

  it('survives what is no script', () => {
    for (const source of [
      '',
      'tools.f(',
      'tools.f({cmd:"',
      '['.repeat(500),
      `tools.f(${'['.repeat(500)}`,
      'tools.f({a:',
      '/',
    ])
      expect(Array.isArray(scriptCalls(source))).toBe(true)
  })
})
