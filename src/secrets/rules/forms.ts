import { rule, type SecretRule } from '../rule.ts'

const BASE64 = '[A-Za-z0-9+/=]'
/** A line break, and the number of a line as tools print files. */
const GAP = '(?:\\s|(?<=\\s)\\d{1,6}(?=[\\s→])|→)'

/** Forms that any service uses: key blocks, signed tokens, credentials in addresses and headers. */
// biome-ignore format: one rule a line reads as a table
export const formRules: readonly SecretRule[] = [
  rule('private-key', `-----BEGIN[ A-Z0-9_-]{0,100}PRIVATE KEY(?: BLOCK)?-----${GAP}*(?:(?:Proc-Type|DEK-Info|Version|Comment): [^\\n\\\\]{0,80}${GAP}+){0,4}(?=${BASE64}{16}(?:${GAP}|${BASE64}){24})((?:${BASE64}{16,200}${GAP}{1,6}){0,200}${BASE64}{4,12000})`, 'PRIVATE KEY-----', ['-----BEGIN RSA PRIVATE KEY-----\nMI{A-Za-z0-9+/:62}\n{A-Za-z0-9+/:64}\n{A-Za-z0-9+/:64}\n-----END RSA PRIVATE KEY-----', '-----BEGIN OPENSSH PRIVATE KEY-----\n{A-Za-z0-9+/:70}\n{A-Za-z0-9+/:70}'], 'RFC 7468', { raw: true, reach: 12000 }),
  rule('jwt', '(?<!(?<!\\\\)[A-Za-z0-9]|[_-])(ey[A-Za-z0-9_-]{12,4000}\\.ey[A-Za-z0-9/_-]{12,4000}\\.[A-Za-z0-9/_-]{10,1000}={0,2})', 'eyJ', ['eyJ{A-Za-z0-9_-:30}.eyJ{A-Za-z0-9_-:80}.{A-Za-z0-9_-:43}'], 'RFC 7519', { raw: true, reach: 4200 }),
  rule('jwt-base64', '(?<![A-Za-z0-9])ZXlK[A-Za-z0-9+/_-]{50,4000}={0,2}', 'ZXlK', ['ZXlKaGJHY2lPaU{A-Za-z0-9+/:80}=='], 'RFC 7519, in base64', { loose: true }),
  rule('kubernetes-secret', '(?<=\\n[ \\t\\d+→]{1,16}[\\w.-]{1,80}:[ \\t]{1,4}["\']?)([A-Za-z0-9+/]{10,4000}={0,3})(?=["\']?\\s|["\']?$)(?:(?<=\\bkind:[ \\t]{0,4}["\']?Secret\\b[\\s\\S]{0,2000}?\\bdata:[\\s\\S]{0,4000}?)|(?<=\\bdata:[\\s\\S]{0,2000}?)(?=[\\s\\S]{0,2000}?\\bkind:[ \\t]{0,4}["\']?Secret\\b))', 'Secret', ['kind: Secret\ndata:\n  config: {A-Za-z0-9+/:22}==', 'data:\n  config: {A-Za-z0-9+/:22}==\nkind: Secret'], 'kubernetes.io secrets', { chosen: true, loose: true }),
  rule('url-credentials', '(?<![A-Za-z0-9])(?:postgres(?:ql)?|mysql|mariadb|mongodb|rediss?|amqps?|smtps?|ftps?|sftp|ldaps?|mssql|sqlserver|cockroachdb|clickhouse|snowflake|nats|mqtts?)(?:\\+\\w{1,20})?://[^\\s/:@"\'<>`$\\\\{}*]{0,80}:([^\\s"\'<>`$\\\\{}*]{4,256})@[A-Za-z0-9[]', '://', ['postgres://app:{A-Za-z0-9:8}/{A-Za-z0-9:8}@db.internal:5432/app', 'mysql://app:{A-Za-z0-9:8}({A-Za-z0-9:8}@db.internal:3306/app'], 'RFC 3986 userinfo, as data bases take it', { chosen: true }),
  rule('url-token', 'https?://([A-Za-z0-9_-]{20,200})(?::|%3A)?@(?![\\w.-]*sentry)[A-Za-z0-9]', '://', ['https://{0-9a-f:40}@git.example.org/acme/app.git'], 'RFC 3986 userinfo', { loose: true }),
  rule('url-credentials', '(?<![A-Za-z0-9])[a-z][a-z0-9+.-]{1,20}://[^\\s/:@"\'<>`$\\\\{}*]{0,80}:([^\\s/@"\'<>`$\\\\{}*[\\]]{4,256})@[A-Za-z0-9]', '://', ['https://dev:{A-Za-z0-9:16}@git.example.org/acme/app.git', 'postgres://app:{A-Za-z0-9:20}@db.internal:5432/app', 'redis://:{A-Za-z0-9:24}@cache.internal:6379/0', 'mongodb+srv://app:{A-Za-z0-9:18}@cluster0.mongodb.example'], 'RFC 3986 userinfo', { chosen: true }),
  rule('auth-header', '[Aa]uthorization\\\\?["\']?\\s?[:=]\\s?\\\\?["\']?(?:Bearer|Basic|[Tt]oken)\\s+([A-Za-z0-9+/_.~=-]{8,2000})', 'uthorization', ['Authorization: Bearer {A-Za-z0-9_-:40}', 'Authorization: Basic {A-Za-z0-9+/:32}==', '"authorization": "Bearer {A-Za-z0-9:64}"'], 'RFC 9110', { raw: true, chosen: true, loose: true }),
  rule('bearer', '(?<![A-Za-z0-9])[Bb]earer[ \\t]{1,3}((?=[A-Za-z._~+/-]{0,400}\\d)[A-Za-z0-9._~+/-]{20,2000}={0,2})', 'earer', ['sent Bearer {A-Za-z0-9:40} and got 200'], 'RFC 6750', { chosen: true, loose: true }),
]
