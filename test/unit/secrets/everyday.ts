/**
 * Where a secret of no form stands every day: by field, column, prompt, flag, sentence. The notation is that of the rule table, with
 * `«…»` around what must not be left; `{base64:…}` is the base64 of what it holds.
 */
export const everyday: Readonly<Record<string, string>> = {
  // A name and a value in neighbouring fields.
  'variable of a container': '- name: DB_PASSWORD\n  value: «{A-Za-z0-9:14}»',
  'variable of a container, quoted': 'env:\n  - name: API_TOKEN\n    value: "«{A-Za-z0-9:28}»"',
  'variable of a task': '{"name":"DB_PASSWORD","value":"«{A-Za-z0-9:14}»"}',
  'variable of a task, printed': '{\n  "name": "JWT_SECRET",\n  "value": "«{A-Za-z0-9:32}»"\n}',
  'parameter store': '{"Name":"/prod/db/password","Type":"SecureString","Value":"«{A-Za-z0-9:16}»"}',
  'part of a form': 'Content-Disposition: form-data; name="password"\r\n\r\n«{A-Za-z0-9:14}»\r\n--x',
  'kubectl get secret -o json':
    '{"apiVersion":"v1","data":{"config":"«{A-Za-z0-9+/:30}==»","host":"bG9j"},"kind":"Secret"}',
  'plan of changes': '  ~ password = "«{A-Za-z0-9:14}»" -> "«{A-Za-z0-9:14}»"',
  'parameter of a stack': 'ParameterKey=DbPassword,ParameterValue=«{A-Za-z0-9:16}»',
  'variable of Terraform': 'variable "db_password" {\n  default = "«{A-Za-z0-9:16}»"\n}',
  'parameter that is put':
    'aws ssm put-parameter --name /db/password --value «{A-Za-z0-9:16}» --type SecureString',
  'name and value as arguments': 'dotnet user-secrets set "Db:Password" "«{A-Za-z0-9:16}»"',
  'call that sets it': 'source.setPassword("«{A-Za-z0-9:16}»");',
  // Columns.
  'keys of a user as CSV': 'Access key ID,Secret access key\nAKIA{A-Z2-7:16},«{A-Za-z0-9+/:40}»',
  'table of a database': ' id | name  | password\n----+-------+----------\n  1 | admin | «{A-Za-z0-9:12}»',
  'table in markdown': '| user | password |\n| --- | --- |\n| admin | «{A-Za-z0-9:12}» |',
  CSV: 'email,password\na@example.org,«{A-Za-z0-9:12}»',
  INSERT: "INSERT INTO users (name, password) VALUES ('admin', '«{A-Za-z0-9:12}»');",
  // A prompt or a command, and the next line.
  'prompt with a default': 'AWS Secret Access Key [None]: «{A-Za-z0-9+/:40}»',
  'prompt and line': 'Password:\n«{A-Za-z0-9:14}»\n',
  'block scalar': 'api_token: |\n  «{A-Za-z0-9:32}»\n',
  'secret of a cloud': '$ gcloud secrets versions access latest --secret=db\n«{A-Za-z0-9:24}»\n',
  'key file': '$ cat config/master.key\n«{0-9a-f:32}»\n',
  // Code.
  'fallback in JavaScript': 'const token = process.env.API_TOKEN ?? "«{A-Za-z0-9:28}»"',
  'fallback in Python': "token = os.environ.get('API_TOKEN', '«{A-Za-z0-9:28}»')",
  'fallback in a shell': `DB_PASSWORD=\${DB_PASSWORD:-«{A-Za-z0-9:14}»}`,
  'constant in Go': 'const apiToken string = "«{A-Za-z0-9:32}»"',
  'bytes in Python': "app.secret_key = b'«{A-Za-z0-9:24}»'",
  // Values of any characters.
  'words in quotes': 'DB_PASSWORD="«my dog {a-z:5} runs {1-9:1}»"',
  'a quote in quotes': 'DB_PASSWORD="«{A-Za-z0-9:5}\'{A-Za-z0-9:8}»"',
  'a dollar in single quotes': "DB_PASSWORD='$«{a-z:4}{A-Za-z0-9:8}»'",
  'letters alone': 'Password: «{A-Za-z:10}»',
  'letters alone in JSON': '{"password":"«{A-Za-z:10}»"}',
  'letters alone in YAML': 'ansible_become_pass: «{A-Za-z:12}»',
  'wireless network': 'network={\n  ssid="home"\n  psk="«{A-Za-z0-9:12}»"\n}',
  // Flags.
  htpasswd: 'htpasswd -b f admin «{A-Za-z0-9:12}»',
  'sudo -S': 'echo «{A-Za-z0-9:12}» | sudo -S apt update',
  'curl -u': 'curl -uadmin:«{A-Za-z0-9:12}» https://x.example.org',
  'twine -p': 'twine upload -u ci -p «{A-Za-z0-9:14}» dist/*',
  'unzip -P': 'unzip -P «{A-Za-z0-9:12}» a.zip',
  'zip -P': 'zip -P «{A-Za-z0-9:12}» a.zip b',
  '7z -p': '7z x -p«{A-Za-z0-9:12}» a.7z',
  'keychain of a Mac': 'security add-generic-password -a ci -s x -w «{A-Za-z0-9:14}»',
  'literal of kubectl': 'kubectl create secret generic db --from-literal=foo=«{A-Za-z0-9:16}»',
  // Base64.
  'a key file in base64': '«LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t{A-Za-z0-9+/:400}»',
  'address with x-oauth-basic': 'git clone https://«{0-9a-f:40}»:x-oauth-basic@github.com/acme/app',
  'bare Bearer, hexadecimal': 'sent Bearer «{0-9a-f:40}» and got 200',
  'bare Basic': 'sent Basic «{base64:ci:{A-Za-z0-9:20}}» and got 200',
  // Sentences.
  'the password is': 'Log in as admin, the password is «{A-Za-z0-9:9}!7»',
  'the password for': 'The password for the staging database is «{A-Za-z0-9:12}».',
  'with password': 'log in as admin with password «{A-Za-z0-9:12}»',
  'set the password to': 'I set the root password to «{A-Za-z0-9:12}» for now',
  German: 'Das Passwort für die Datenbank lautet «{A-Za-z0-9:12}».',
  French: 'Le mot de passe est «{A-Za-z0-9:12}».',
  Spanish: 'La contraseña de la base de datos es «{A-Za-z0-9:12}».',
  Italian: 'La password del database è «{A-Za-z0-9:12}».',
  Dutch: 'Het wachtwoord van de server is «{A-Za-z0-9:12}».',
  Polish: 'Hasło do bazy to: «{A-Za-z0-9:12}»',
  Russian: 'Пароль: «{A-Za-z0-9:12}»',
  Korean: '비밀번호는 «{A-Za-z0-9:12}» 입니다.',
  'the API key for': 'The API key for staging is «{A-Za-z0-9:32}».',
  Japanese: 'パスワードは«{A-Za-z0-9:12}»です。',
  Chinese: '数据库的密码是«{A-Za-z0-9:12}»。',
}
