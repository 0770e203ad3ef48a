import { describe, it } from 'vitest'
import { secretRules } from '../../../src/secrets/rules.ts'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { expectLinear } from '../../growth.ts'
import { sampled } from '../../sampled.ts'
import { everyday } from './everyday.ts'
import { createFakes } from './fake.ts'
import { drawEveryday } from './surrounded.ts'

const fakes = createFakes(5)
/** What stopped the scanner once, and what begins every kind of value without ending it. */
const KNOWN = [
  ...[
    'token:1:',
    'a_secret:22:',
    'api_key:1:x',
    'token=',
    'token: ',
    'token:b1',
    'token: b1 ',
    'password="',
    "token='",
  ],
  ...[
    '"db_password" { ',
    '"password" ',
    'setPassword(',
    'password --value ',
    'Пароль ',
    'API key is ',
    'a<b>',
    'a\u{202e}',
  ],
  ...[
    'data: ',
    'data:data:',
    'kind: Secret\n',
    'kind: Secret\ndata:\n',
    'kind: Secret\n  a: QWxhZGRpbjpv data:',
  ],
  ...[
    'a: QWxhZGRpbjpv data:data:data:data:data:data:\n',
    '-----BEGIN PRIVATE KEY-----\n',
    'PRIVATE KEY-----',
  ],
  ...[
    '-----BEGIN RSA PRIVATE KEY-----\nMIIEabcdefghijklmnop\n',
    'Private-Lines: 1\n',
    'eyJ',
    'eyJ.ey',
    'MHcCAQEEI',
    'MHcCAQEEIa1 ',
  ],
  ...[
    'name: password\n',
    'name="token"\n',
    '"name":"token",',
    'password|',
    'password,token\n',
    'a,password\nb,c\n',
  ],
  ...[
    '(a, password) VALUES (',
    'password is ',
    'password ',
    'password:\n',
    '$ cat token\n',
    'key 1a2b3c4d5e6f7g8h\n',
  ],
  ...[
    '\u{1b}[',
    '\u{1b}[0m',
    '\u{1b}[0;',
    '\\',
    '\\\\n',
    '\\x1b',
    '%25',
    '%2525',
    '&amp;',
    '&amp;amp;',
    '[0',
    '[0m',
    '\u{200b}',
  ],
  ...[
    'a',
    'A1',
    '/',
    '.',
    '-',
    '_',
    '=',
    ':',
    ' ',
    '\t',
    '\n',
    '"',
    "'",
    '`',
    '|',
    '日',
    'Basic ',
    'Bearer ',
    '://a:b@',
  ],
]
const fillers = [
  ...secretRules.flatMap(({ needles }) => needles.flatMap((needle) => [needle, `${needle}a1 `])),
  ...secretRules.flatMap(({ shapes }) => shapes.map((shape) => fakes.make(shape))),
  ...secretRules.flatMap(({ shapes }) => shapes.map((shape) => `${fakes.make(shape).slice(0, -2)}\n`)),
  ...Object.values(everyday).map((template) => drawEveryday(template, fakes).text),
]
const filled = (filler: string, size: number): string =>
  filler.repeat(Math.ceil(size / filler.length)).slice(0, size)

/** Ten times the text may take ten times the work: no rule looks back or forward over more than a bounded stretch. */
describe('S-5, S-6: time grows with the text alone', () => {
  it.each([...new Set([...KNOWN, ...sampled(fillers, 20)])])('%j', { timeout: 60_000 }, async (filler) => {
    // One that is asked for the same text again remembers it.
    await expectLinear(20_000, (size) => createScanner().find(filled(filler, size)), 'a text')
    await expectLinear(
      20_000,
      (size) => {
        const { onRaw } = createScanner()
        onRaw(Buffer.from(`${JSON.stringify({ content: filled(filler, size) })}\n`))
      },
      'a transcript',
    )
  })

  /** A page or a dump may hold thousands of them; each is looked for in every text. */
  it.each([
    'ghp_{A-Za-z0-9:36}',
    'password: {A-Za-z0-9:20}',
    '-----BEGIN PRIVATE KEY-----\n{A-Za-z0-9:64}\n{A-Za-z0-9:64}\n-----END PRIVATE KEY-----',
  ])('with the number of different values, %s', { timeout: 60_000 }, async (shape) => {
    const texts = Array.from({ length: 4000 }, () => fakes.make(shape))
    await expectLinear(
      texts.length / 10,
      (size) => createScanner().redact(texts.slice(0, size)),
      'as many texts as values',
    )
  })

  it('with the length of a key that is like itself again and again', { timeout: 60_000 }, async () => {
    await expectLinear(1_500, (size) => {
      const body = filled('A1', size)
      return createScanner().redact([`-----BEGIN PRIVATE KEY-----\n${body}`, body.repeat(16)])
    })
  })
})
