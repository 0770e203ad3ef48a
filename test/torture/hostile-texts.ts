const ESC = '\u{1b}'

/** What has moved terminals or fooled readers, one of each kind. */
export const ESCAPES: Readonly<Record<string, string>> = {
  'colour (CSI)': `${ESC}[31mred${ESC}[0m`,
  'clear screen': `${ESC}[2J${ESC}[H`,
  'cursor up and overwrite': `${ESC}[1A${ESC}[2Kall tests pass`,
  'window title (OSC)': `${ESC}]0;owned\u{7}`,
  'title with string terminator': `${ESC}]2;owned${ESC}\\`,
  'link (OSC 8)': `${ESC}]8;;https://evil.example${ESC}\\docs${ESC}]8;;${ESC}\\`,
  'clipboard (OSC 52)': `${ESC}]52;c;cm0gLXJm\u{7}`,
  DCS: `${ESC}P+q544e${ESC}\\`,
  APC: `${ESC}_Gi=1;AAAA${ESC}\\`,
  PM: `${ESC}^secret${ESC}\\`,
  SOS: `${ESC}Xhidden${ESC}\\`,
  'lone ESC': `x${ESC}`,
  'split ESC': `x${ESC}\u{200b}[31m`,
  reset: `${ESC}c`,
  'C1 CSI': '\u{9b}31mred',
  'C1 DCS': '\u{90}+q\u{9c}',
  'C1 next line': 'a\u{85}b',
  'carriage return': 'rm -rf /\recho fine',
  backspace: 'rm\u{8}\u{8}ls',
  bell: 'x\u{7}',
  NUL: 'x\u{0}y',
  'shift out': '\u{e}qqq\u{f}',
  DEL: 'x\u{7f}',
  'bidi override': 'user\u{202e}gpj.exe',
  'bidi isolate': '\u{2066}a\u{2069}',
  'zero width': 'rm\u{200b} -rf',
  'zero-width joiner between letters': 'a\u{200d}b',
  tags: `hi${[...'rm'].map((c) => String.fromCodePoint(0xe0000 + c.charCodeAt(0))).join('')}`,
  'byte order mark inside': 'a\u{feff}b',
}

/** Code points, from–to, that move a terminal or that nobody sees; newline and tab are text. */
const RANGES = '0-8 b-1f 7f-9f ad 61c 200b-200f 2028-202e 2060-206f feff e0000-e0fff'
const DANGEROUS = new RegExp(
  `[${RANGES.replace(/[0-9a-f]+/g, (code) => `\\u{${code}}`).replaceAll(' ', '')}\\p{Cs}]`,
  'u',
)
/** A joiner between two pictures is part of one picture. */
const JOINED = /(?<=\p{Extended_Pictographic}\ufe0f?|\p{Emoji_Modifier})\u200d(?=\p{Extended_Pictographic})/gu

/** The first dangerous code point with what stands around it, or null. */
export function dangerIn(text: string): string | null {
  const plain = text.replace(JOINED, '')
  const at = plain.search(DANGEROUS)
  return at === -1 ? null : JSON.stringify(plain.slice(Math.max(0, at - 30), at + 20))
}

/** Pieces of attacks, text and emoji in any order. */
export function fuzzedTexts(count: number, random: () => number): string[] {
  const attacks = Object.values(ESCAPES)
  const pieces = [
    ...attacks,
    'text ',
    '1',
    '👩',
    '\u{200d}',
    '\u{fe0f}',
    '🏽',
    '❤',
    '\t',
    '[31m',
    ']0;',
    '\\',
  ]
  const one = () => {
    const dice = random()
    if (dice < 0.6) return pieces[Math.floor(random() * pieces.length)] as string
    // Whole Unicode, surrogates and all, but no line end: each text is one line.
    const code = Math.floor(random() * (dice < 0.8 ? 0x100 : 0x110000))
    return code === 10 ? ' ' : String.fromCodePoint(code)
  }
  return Array.from({ length: count }, () =>
    Array.from({ length: 1 + Math.floor(random() * 8) }, one).join(''),
  )
}

/** Ids that are none: what might leave the folder, name a device, or act as a revision, pattern or option. */
export const BAD_IDS: readonly string[] = [
  ...['', ' ', '.', '..', '../x', '../../../../etc/passwd', '/etc/passwd', 'a/b', 'a\\b', '..\\..\\x', './x'],
  ...[
    'CON',
    'NUL',
    'aux',
    'com1',
    'C:\\x',
    'C:x',
    '\\\\server\\share',
    'file:///etc/passwd',
    'HEAD',
    'HEAD~1',
    '@',
  ],
  ...[
    '@{-1}',
    'main',
    'refs/heads/main',
    ':/x',
    '^x',
    'a..b',
    '-rf',
    '--all',
    '--output=x',
    '-',
    '--',
    '*',
    '?',
    '[a-z]',
  ],
  ...[
    '{a,b}',
    '~',
    '~root',
    '$HOME',
    '$(touch x)',
    '`touch x`',
    ';touch x',
    '|x',
    '&x',
    '>x',
    '\n',
    'a\nb',
    '\r',
    '\0',
  ],
  ...['a\0b', '%2e%2e%2f', '..%00', '20260714T091522', '20260714T091522-', '20260714T091522-01C0BEEF'],
  ...[
    '20260714T091522-01c0bee',
    '20260714T091522-01c0beef0',
    '٢٠٢٦٠٧١٤T٠٩١٥٢٢-01c0beef',
    '20260714T091522-01c0beef/../x',
  ],
  ...['x'.repeat(300), '20260714T091522-01c0beef\u{202e}', '__proto__', 'constructor'],
]
