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

/** A value as a command line or a setting gives it. */
const VALUE = `["']?([^\\s"'\`$|;&]{6,200})`
const LOGIN =
  '\\b(?:docker|podman|buildah|nerdctl|oras|skopeo|helm\\s+registry|az|ibmcloud|cf|oc|argocd)\\s+login\\b'

/** Logins in command lines, connections and files: the program or the file says what the value is. */
// biome-ignore format: one rule a line reads as a table
export const commandRules: readonly SecretRule[] = [
  rule('mysql-password', `\\b(?:mysql|mariadb)[a-z]{0,6}\\b[^\\n]{0,200}?\\s-p(?![\\s=])${VALUE}`, 'mysql mariadb', ['mysql -u root -p{A-Za-z0-9:14} app'], 'dev.mysql.com command options', { chosen: true }),
  rule('sshpass', `\\bsshpass\\s+-p\\s?${VALUE}`, 'sshpass', ['sshpass -p {A-Za-z0-9:14} ssh deploy@host'], 'sshpass(1)', { chosen: true }),
  rule('redis-password', `\\bredis-cli\\b[^\\n]{0,200}?\\s(?:-a|--pass)\\s+${VALUE}`, 'redis-cli', ['redis-cli -h cache -a {A-Za-z0-9:20} ping'], 'redis.io redis-cli', { chosen: true }),
  rule('login-password', `${LOGIN}[^\\n]{0,200}?\\s-p\\s+${VALUE}`, 'login', ['docker login -u ci -p {A-Za-z0-9:24} registry.example.org'], 'docs.docker.com docker login', { chosen: true }),
  rule('piped-login', `\\becho\\s+(?:-n\\s+)?${VALUE}["']?\\s*\\|\\s*${LOGIN}`, 'login', ['echo {A-Za-z0-9:24} | docker login -u ci --password-stdin'], 'docs.docker.com docker login', { chosen: true }),
  rule('mongo-password', `\\bmongo(?:sh|dump|restore|export|import)?\\b[^\\n]{0,200}?\\s-p\\s+${VALUE}`, 'mongo', ['mongosh -u root -p {A-Za-z0-9:14}'], 'mongodb.com mongosh options', { chosen: true }),
  rule('ldap-password', `\\bldap(?:search|modify|add|delete|passwd|whoami)\\b[^\\n]{0,200}?\\s-w\\s+${VALUE}`, 'ldap', ['ldapsearch -x -D cn=admin -w {A-Za-z0-9:14} -b dc=x'], 'ldapsearch(1)', { chosen: true }),
  rule('curl-user', '\\bcurl\\b[^\\n]{0,300}?\\s(?:-u|--user|--proxy-user|-U)[\\s=]\\s?\\\\{0,7}["\']?[^\\s:"\'$]{1,80}:([^\\s"\'$\\\\]{6,200})', 'curl', ['curl -sS -u admin:{A-Za-z0-9:14} https://ci.example.org/job/build', "curl -u 'admin:{A-Za-z0-9:14}' https://ci.example.org"], 'curl(1)', { chosen: true }),
  rule('httpie-user', '\\b(?:https?|xh)\\s[^\\n]{0,200}?(?:-a|--auth)[\\s=]\\s?["\']?[^\\s:"\'$]{1,80}:([^\\s"\'$\\\\]{6,200})', 'http xh', ['http -a admin:{A-Za-z0-9:14} https://ci.example.org'], 'httpie.io authentication', { chosen: true }),
  rule('sqlplus-password', `\\bsqlplus\\s[^\\n]{0,80}?["']?[\\w$]{1,40}/([^\\s@"']{6,100})@`, 'sqlplus', ['sqlplus app/{A-Za-z0-9:14}@db:1521/XE'], 'docs.oracle.com SQL*Plus', { chosen: true }),
  rule('oracle-address', `jdbc:oracle:thin:[\\w$]{1,40}/([^\\s@"']{4,100})@`, 'jdbc:oracle', ['jdbc:oracle:thin:app/{A-Za-z0-9:14}@//db:1521/XE'], 'docs.oracle.com JDBC', { chosen: true }),
  rule('samba-password', `\\b(?:smbclient|rpcclient|winexe)\\b[^\\n]{0,200}?\\s(?:-U|--user)[\\s=]?\\s?["']?[^\\s%"']{1,60}%([^\\s"'\\\\]{6,100})`, 'smbclient rpcclient winexe', ['smbclient //host/share -U app%{A-Za-z0-9:14}'], 'smbclient(1)', { chosen: true }),
  rule('net-use-password', `\\bnet\\s+use\\b[^\\n]{0,120}?/user:\\S{1,80}\\s+${VALUE}`, '/user:', ['net use x: /user:dom {A-Za-z0-9:14}'], 'learn.microsoft.com net use', { flags: 'i', chosen: true }),
  rule('github-secret', `\\bgh\\s+secret\\s+set\\b[^\\n]{0,120}?\\s(?:--body|-b)[\\s=]+\\\\{0,7}${VALUE}`, 'secret', ['gh secret set DEPLOY_TOKEN --body "{A-Za-z0-9:32}"'], 'cli.github.com gh secret set', { chosen: true }),
  rule('chpasswd', `\\b[\\w-]{1,32}:([^\\s"':|]{6,100})\\\\{0,7}["']?\\s*\\|\\s*(?:sudo\\s+)?chpasswd`, 'chpasswd', ["echo 'deploy:{A-Za-z0-9:14}' | chpasswd"], 'chpasswd(8)', { chosen: true }),
  rule('sql-password', `\\b(?:password|identified\\s+(?:with\\s+\\w+\\s+)?by(?:\\s+password)?)\\s+\\\\{0,7}["']([^"'\\s\\\\]{6,100})\\\\{0,7}["']`, 'password identified', ["CREATE USER app WITH PASSWORD '{A-Za-z0-9:14}';", "CREATE USER app IDENTIFIED BY '{A-Za-z0-9:14}';"], 'postgresql.org CREATE ROLE, dev.mysql.com CREATE USER', { flags: 'i', chosen: true, loose: true }),
  rule('secure-string', `convertto-securestring\\s+(?:-string\\s+)?\\\\{0,7}["']([^"'\\s\\\\]{6,100})`, 'convertto-securestring', ["ConvertTo-SecureString '{A-Za-z0-9:14}' -AsPlainText -Force"], 'learn.microsoft.com ConvertTo-SecureString', { flags: 'i', chosen: true }),
  rule('go-address', '(?<![\\w.-])[\\w.-]{1,40}:([^\\s:@/"\'`]{6,100})@(?:tcp|unix|udp)\\(', '@tcp( @unix( @udp(', ['app:{A-Za-z0-9:14}@tcp(db.internal:3306)/app'], 'github.com/go-sql-driver/mysql data source names', { chosen: true }),
  rule('pgpass', '(?<![\\w.*:/-])[\\w.*-]{1,80}:(?:\\d{2,5}|\\*):[A-Za-z_*][\\w*-]{0,60}:[A-Za-z_][\\w-]{0,60}:([^\\s:"\']{6,100})(?=\\s|$)', ':5432: :3306: :6432: :5433: :*:', ['db.internal:5432:app:app:{A-Za-z0-9:16}'], 'postgresql.org password file', { chosen: true, loose: true }),
  rule('crypt-hash', '\\$(?:2[abxy]|1|5|6|y|apr1|argon2id?|scrypt)\\$[A-Za-z0-9./$=,+-]{20,300}', '$', ['$2b$12${A-Za-z0-9./:53}', '$6${A-Za-z0-9:16}${A-Za-z0-9./:86}', '$apr1${A-Za-z0-9:8}${A-Za-z0-9./:22}'], 'crypt(5)'),
  rule('jwk', '\\\\{0,7}"d\\\\{0,7}"\\s{0,3}:\\s{0,3}\\\\{0,7}"([A-Za-z0-9_-]{40,700})', 'kty', ['{"kty":"EC","d":"{A-Za-z0-9_-:43}"}'], 'RFC 7517'),
  rule('putty-key', `Private-Lines:\\s{0,3}\\d{1,3}[\\s+]{1,9}(?:\\d{1,6}[\\s→]{1,3})?([A-Za-z0-9+/=\\s]{24,4000}?)(?=[\\s+\\d→]{0,12}Private-MAC|$)`, 'Private-Lines:', ['Private-Lines: 1\n{A-Za-z0-9+/:48}\nPrivate-MAC: {0-9a-f:40}'], 'PuTTY private key files'),
  rule('sidekiq-key', '(?:contribsys__com\\w{0,10}\\s?[=:]\\s?\\\\{0,7}["\']?|://)([0-9a-f]{8}:[0-9a-f]{8})(?=@(?:gems|enterprise)\\.contribsys\\.com|["\'\\s\\\\]|$)', 'contribsys', ['BUNDLE_ENTERPRISE__CONTRIBSYS__COM={0-9a-f:8}:{0-9a-f:8}', 'https://{0-9a-f:8}:{0-9a-f:8}@gems.contribsys.com/x'], 'github.com/sidekiq installation', { flags: 'i' }),
  rule('recovery-phrase', '(?:mnemonic|(?:seed|recovery)[ _-]?phrase)[^a-z0-9\\n]{1,8}((?:[a-z]{3,8} ){11,23}[a-z]{3,8})(?![a-z ])', 'mnemonic phrase', ['mnemonic: "abandon ability able about above absent absorb abstract absurd abuse access zebra"'], 'BIP 39', { flags: 'i' }),
]
