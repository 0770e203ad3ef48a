/** A tool call found in a code-mode script; `argument` is undefined as far as it is not a literal. */
export interface ScriptCall {
  tool: string
  argument: unknown
}

const BACKSLASH = 92
const BACKTICK = 96
const DOLLAR = 36
const NAME = /[\w$]/
const CALL = /tools\.([A-Za-z_$][\w$]*)\s*\(/y
const DECLARATION = /(?:const|let|var)\s+([A-Za-z_$][\w$]*)\s*=\s*/y

/**
 * Finds `tools.name(literal)` in the JavaScript of Codex's code mode (0.142 … 0.169) without running it. Strings,
 * templates, comments and regular expressions are stepped over, so that a quoted script is not taken for a call.
 */
export function scriptCalls(script: string): ScriptCall[] {
  const reader = createReader(script)
  const calls: ScriptCall[] = []
  for (let at = 0; at < script.length; ) {
    const char = script[at] ?? ''
    const fresh = 'tclv'.includes(char) && !NAME.test(script[at - 1] ?? '')
    const call = fresh ? matchAt(CALL, script, at) : null
    const declared = fresh && !call ? matchAt(DECLARATION, script, at) : null
    if (call) {
      const found = reader.value(at + call[0].length)
      calls.push({ tool: call[1] ?? '', argument: found.value })
      // What could not be read may itself hold calls.
      at = found.known ? found.end : at + call[0].length
    } else if (declared) {
      const found = reader.value(at + declared[0].length)
      if (found.known) reader.names.set(declared[1] ?? '', found.value)
      at = found.known ? found.end : at + declared[0].length
    } else at = reader.step(at)
  }
  return calls
}

interface Found {
  value: unknown
  end: number
  /** All of it was a literal. */
  known: boolean
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

const SPACE = /(?:\s|\/\/[^\n]*|\/\*[\s\S]*?\*\/)*/y
const WORD = /[A-Za-z_$][\w$]*/y
const NUMBER = /-?\d[\d_]*(?:\.\d+)?/y
const WORDS = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['null', null],
  ['undefined', undefined],
])
/** Deeper nesting than any call has; a guard against hostile input. */
const MAX_DEPTH = 40

function createReader(source: string) {
  const names = new Map<string, unknown>()
  const unknown = (end: number): Found => ({ value: undefined, end, known: false })
  const space = (at: number): number => at + (matchAt(SPACE, source, at)?.[0].length ?? 0)

  /** Position after the string, template, comment, regular expression or character at `at`. */
  function step(at: number): number {
    const char = source[at]
    if (char === '"' || char === "'" || char === '`') return string(at).end
    if (char !== '/') return at + 1
    if (source[at + 1] === '/' || source[at + 1] === '*') return Math.max(space(at), at + 2)
    return startsRegExp(at) ? endOfRegExp(at) : at + 1
  }

  const startsRegExp = (at: number): boolean => {
    const before = source.slice(Math.max(0, at - 20), at).trimEnd()
    return before === '' || /[(,=:[!&|?{};+]$|\breturn$/.test(before)
  }
  function endOfRegExp(at: number): number {
    const end = /\/(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\/[a-z]*/y
    return at + (matchAt(end, source, at)?.[0].length ?? 1)
  }

  /** A quoted text; a template with a substitution is not known. */
  function string(at: number): Found {
    const quote = source.charCodeAt(at)
    let known = true
    let end = at + 1
    for (; end < source.length; end++) {
      const code = source.charCodeAt(end)
      if (code === quote) break
      if (code === BACKSLASH) end++
      else if (quote === BACKTICK && code === DOLLAR && source[end + 1] === '{') known = false
    }
    const text = source.slice(at + 1, end)
    return {
      value: known ? unescapeText(text) : undefined,
      end: end + 1,
      known: known && end < source.length,
    }
  }

  function value(from: number, depth = 0): Found {
    let found = single(space(from), depth)
    for (let at = space(found.end); found.known && source[at] === '+'; at = space(found.end)) {
      const next = single(space(at + 1), depth)
      if (!next.known || typeof found.value !== 'string') return unknown(next.end)
      found = { value: found.value + String(next.value), end: next.end, known: true }
    }
    const join = found.known && Array.isArray(found.value) ? matchAt(JOIN, source, found.end) : null
    if (!join) return found
    const by = string(found.end + join[0].length)
    const close = space(by.end)
    if (!by.known || source[close] !== ')') return unknown(by.end)
    return { value: (found.value as unknown[]).join(String(by.value)), end: close + 1, known: true }
  }

  function single(at: number, depth: number): Found {
    const char = source[at] ?? ''
    if (depth > MAX_DEPTH) return unknown(at)
    if (char === '"' || char === "'" || char === '`') return string(at)
    if (char === '{') return object(at, depth)
    if (char === '[') return array(at, depth)
    if (source.startsWith('String.raw`', at)) {
      const raw = string(at + 10)
      return { ...raw, value: raw.known ? source.slice(at + 11, raw.end - 1) : undefined }
    }
    const number = matchAt(NUMBER, source, at)
    if (number)
      return { value: Number(number[0].replaceAll('_', '')), end: at + number[0].length, known: true }
    const word = matchAt(WORD, source, at)?.[0]
    if (word === undefined) return unknown(at)
    const end = at + word.length
    // A name that is called, indexed or asked for a member is no literal.
    if (/[.([]/.test(source[space(end)] ?? '') && source[end] !== '.') return unknown(end)
    if (WORDS.has(word)) return { value: WORDS.get(word), end, known: true }
    return names.has(word) ? { value: names.get(word), end, known: true } : unknown(end)
  }

  function array(at: number, depth: number): Found {
    const items: unknown[] = []
    for (let next = space(at + 1); next < source.length; ) {
      if (source[next] === ']') return { value: items, end: next + 1, known: true }
      const item = value(next, depth + 1)
      if (!item.known) return unknown(item.end)
      items.push(item.value)
      next = space(item.end)
      if (source[next] === ',') next = space(next + 1)
      else if (source[next] !== ']') return unknown(next)
    }
    return unknown(source.length)
  }

  /** A property that is not a literal is left out, and then the object is not known whole. */
  function object(at: number, depth: number): Found {
    const table: Record<string, unknown> = {}
    let known = true
    for (let next = space(at + 1); next < source.length; ) {
      if (source[next] === '}') return { value: table, end: next + 1, known }
      const quoted = source[next] === '"' || source[next] === "'" ? string(next) : null
      const word = quoted ? undefined : matchAt(WORD, source, next)?.[0]
      const key = quoted ? String(quoted.value) : word
      if (key === undefined) return unknown(next)
      let end = space(quoted ? quoted.end : next + key.length)
      if (source[end] === ':') {
        const item = value(end + 1, depth + 1)
        const after = space(item.end)
        const whole = item.known && /[,}]/.test(source[after] ?? '')
        if (whole && item.value !== undefined) table[key] = item.value
        known &&= whole
        end = whole ? after : skipExpression(space(end + 1))
      } else if (names.has(key)) table[key] = names.get(key)
      next = source[end] === ',' ? space(end + 1) : end
      if (source[end] !== ',' && source[end] !== '}') return unknown(end)
    }
    return unknown(source.length)
  }

  /** Position of the `,` or closing bracket that ends an expression. */
  function skipExpression(from: number): number {
    let depth = 0
    for (let at = from; at < source.length; at = step(at)) {
      const char = source[at] ?? ''
      if ('([{'.includes(char)) depth++
      else if (')]}'.includes(char) && depth-- === 0) return at
      else if (char === ',' && depth === 0) return at
    }
    return source.length
  }

  return { names, step, value }
}

const JOIN = /\s*\.join\(\s*(?=["'`])/y

const ESCAPES: Record<string, string> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  v: '\v',
  0: '\0',
  '\n': '',
}

const unescapeText = (text: string): string =>
  text.includes('\\')
    ? text.replace(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2})|([\s\S]))/gi, (_, a, b, c, plain) =>
        plain === undefined ? codePoint(a ?? b ?? c) : (ESCAPES[plain] ?? plain),
      )
    : text

const codePoint = (hex: string): string => {
  const code = Number.parseInt(hex, 16)
  return code > 0x10ffff ? '\u{fffd}' : String.fromCodePoint(code)
}
