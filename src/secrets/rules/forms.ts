import { rule, type SecretRule } from '../rule.ts'

const BASE64 = '[A-Za-z0-9+/=]'
/** A line break as it is, or escaped once or more. */
const GAP = '(?:\\s|\\\\+[nrt])'

/** Forms that any service uses: key blocks, signed tokens, credentials in addresses and headers. */
// biome-ignore format: one rule a line reads as a table
export const formRules: readonly SecretRule[] = [
  rule('private-key', `-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----${GAP}*(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\\n\\\\]{0,80}${GAP}+){0,4}(?=${BASE64}{16}(?:${GAP}|${BASE64}){24})((?:${BASE64}{16,200}${GAP}{1,6}){0,200}${BASE64}{4,12000})`, 'PRIVATE KEY-----', ['-----BEGIN RSA PRIVATE KEY-----\nMI{A-Za-z0-9+/:62}\n{A-Za-z0-9+/:64}\n{A-Za-z0-9+/:64}\n-----END RSA PRIVATE KEY-----', '-----BEGIN OPENSSH PRIVATE KEY-----\n{A-Za-z0-9+/:70}\n{A-Za-z0-9+/:70}'], 'RFC 7468', { raw: true, reach: 12000 }),
  rule('jwt', '(?<!(?<!\\\\)[A-Za-z0-9]|[_-])(ey[A-Za-z0-9_-]{12,4000}\\.ey[A-Za-z0-9_-]{12,4000}\\.[A-Za-z0-9_-]{10,1000})', 'eyJ', ['eyJ{A-Za-z0-9_-:30}.eyJ{A-Za-z0-9_-:80}.{A-Za-z0-9_-:43}'], 'RFC 7519', { raw: true, reach: 4200 }),
  rule('url-credentials', '(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{1,20}://[^\\s/:@"\'<>`$\\\\{}*]{0,80}:([^\\s/@"\'<>`$\\\\{}*[\\]]{4,256})@[A-Za-z0-9]', '://', ['https://dev:{A-Za-z0-9:16}@git.example.org/acme/app.git', 'postgres://app:{A-Za-z0-9:20}@db.internal:5432/app', 'redis://:{A-Za-z0-9:24}@cache.internal:6379/0', 'mongodb+srv://app:{A-Za-z0-9:18}@cluster0.mongodb.example'], 'RFC 3986 userinfo'),
  rule('auth-header', '[Aa]uthorization\\\\?["\']?\\s?[:=]\\s?\\\\?["\']?(?:Bearer|Basic|[Tt]oken)\\s+([A-Za-z0-9+/_.~=-]{20,2000})', 'uthorization', ['Authorization: Bearer {A-Za-z0-9_-:40}', 'Authorization: Basic {A-Za-z0-9+/:32}==', '"authorization": "Bearer {A-Za-z0-9:64}"'], 'RFC 9110', { raw: true }),
  rule('curl-user', '\\bcurl\\b[^\\n]{0,300}?\\s(?:-u|--user)[\\s=]\\s?["\']?[^\\s:"\'$]{1,80}:([^\\s"\'$]{6,200})', 'curl', ['curl -sS -u admin:{A-Za-z0-9:14} https://ci.example.org/job/build'], 'curl --user'),
]
