export const schemaKeyError = {
  id: 'schema-key-error',
  repository: 'keleshev/schema',
  licence: 'MIT',
  fix: '15158c5391eaacbc1e4813b3529ea035fd2cf03e',
  goal: 'If a key of the data is rejected by a key schema that has an error text of its own, the SchemaWrongKeyError must have that text as its code; without one the message stays as it is.',
  hidden: ['test_schema.py'],
  check: 'python -m pytest -q test_schema.py',
  suite: 'python -m pytest -q test_schema.py',
  pilot: 'first failing check',
  rules: [
    { text: 'Tests go into test_key_errors.py, a new file.', needs: /def test/, in: /^test_key_errors\.py$/ },
    { text: 'test_schema.py has an open pull request, do not touch it.', files: /^test_schema\.py$/ },
    {
      text: 'No new type annotations in the module, I am about to remove them.',
      added: /^\s*\w+\s*:\s*(?:Dict|List|Union|Set|Any|dict|list|str|set|Tuple)\b|->/,
      in: /^schema\//,
    },
  ],
  dropped: /^\s+raise(?:\s+x)?\s*$/,
  session: [
    {
      person:
        'Schema({Regex(re_name, error="Invalid profile name"): dict}).validate({"Foo": {}, "bar": {}}) says "Wrong key \'bar\'"; the error text of the Regex is lost. The SchemaWrongKeyError must have "Invalid profile name" as its code, for every key schema with an error of its own. Without one the message stays as it is.',
    },
    { run: 'git log --oneline | head -4; ls; grep -n "^class \\|def code\\|WrongKey" schema/__init__.py' },
    { run: 'sed -n 60,125p schema/__init__.py' },
    {
      agent:
        'I suspect SchemaError.code: it takes errors before autos and removes doubles, the text could get lost there.',
    },
    { run: 'sed -n 436,560p schema/__init__.py' },
    {
      run: `python - <<'EOF'
import re
from schema import *
key = Regex(re.compile('^[A-Z]'), error='Invalid profile name')
try: Schema(key).validate('bar')
except SchemaError as x: print('code of the key error:', x.code, x.errors, x.autos)
try: Schema({key: dict}).validate({'Foo': {}, 'bar': {}})
except SchemaError as x: print(type(x).__name__, x.code, x.errors, x.autos)
EOF`,
    },
    {
      agent:
        'SchemaError.code is innocent: the key error has its text. validate() throws it away, in `except SchemaError: pass` around the validation of the key.',
    },
    {
      person:
        'Tests go into test_key_errors.py, a new file. test_schema.py has an open pull request, do not touch it.',
    },
    { agent: 'Could it be raised at once there? I try it on a copy.' },
    {
      run: `copy=$(mktemp -d) && cp -a . $copy/s && cd $copy/s && python - <<'EOF'
path = 'schema/__init__.py'
lines = open(path).read().split('\\n')
at = next(n for n, line in enumerate(lines) if line.strip() == 'pass' and 'SchemaError' in lines[n - 1] and 'nkey' in lines[n - 2])
lines[at] = lines[at].replace('pass', 'raise')
open(path, 'w').write('\\n'.join(lines))
EOF
python -c "
from schema import *
Schema({And(str, str.isupper, error='must be upper'): int, str: str}).validate({'A': 1, 'b': 'x'})
" 2>&1 | tail -2; rm -rf $copy`,
    },
    {
      agent:
        'Dropped: raised at once, a key can no longer be taken by another key schema of the same dict: b fits str and is refused. It has to be remembered until it is certain that the key is a wrong one.',
    },
    { person: 'Yes. No new type annotations in the module, I am about to remove them.' },
    {
      edit: 'schema/__init__.py',
      at: 472,
      drop: 2,
      put: [
        '                        except SchemaError as x:',
        '                            if getattr(skey, "_error", None) is not None:',
        '                                key_errors[key] = x.code',
      ],
    },
    { stop: 'first edit' },
    {
      run: `cat > test_key_errors.py <<'EOF'
import re

from pytest import raises

from schema import Regex, Schema, SchemaWrongKeyError


def test_error_of_the_key_schema():
    key = Regex(re.compile("^[A-Z]"), error="Invalid profile name")
    with raises(SchemaWrongKeyError) as caught:
        Schema({key: dict}).validate({"Foo": {}, "bar": {}})
    assert caught.value.code == "Invalid profile name"
EOF
python -m pytest -q --tb=short test_key_errors.py`,
    },
    { stop: 'first failing check' },
    { agent: 'key_errors has to be made first, before the loop over the data.' },
    { edit: 'schema/__init__.py', at: 461, put: ['            key_errors = {}'] },
    { stop: 'first edit after it' },
  ],
  page: `## Where it stands
SchemaWrongKeyError is to have the error text of the key schema that rejected the key. Half done in Schema.validate() of schema/__init__.py: the except around the validation of a key now remembers x.code in key_errors[key] if the key schema has \`_error\`. Not done: making the dict key_errors, using it where SchemaWrongKeyError is raised (about line 529). test_key_errors.py exists with one test. Nothing is committed.

## Decisions
Remember per data key and use it only for keys that end as wrong keys; another key schema may still take the key. The automatic message stays in autos; the text goes into errors, so that code shows it.

## Constraints
"Tests go into test_key_errors.py, a new file."
"test_schema.py has an open pull request, do not touch it."
"No new type annotations in the module, I am about to remove them."
Without an error text the message stays as it is.

## Tried and dropped
Raising the error of the key at once: other key schemas of the dict cannot take the key any more ({And(str, str.isupper, error=...): int, str: str} refuses 'b').

## Fails now
\`python -m pytest -q test_key_errors.py\`: NameError, key_errors is not defined.

## Traps
SchemaError.code, which I suspected first, is right.

## Next step
\`key_errors = {}\` before \`with exitstack:\`, then the raise; several wrong keys in sorted order. More tests: a key schema without error, And(..., error=...). Run both test files.
`,
  skill: `# Handoff: keep the error text of a key schema

## Purpose of the next session

A key rejected by a key schema with its own \`error\` must give a \`SchemaWrongKeyError\` with that text as its code. Without one the message stays.

## Current state

- \`schema/__init__.py\`, \`validate()\`: the \`except SchemaError\` around the key's validation stores \`x.code\` in \`key_errors[key]\` if the key schema has an \`_error\`. \`key_errors\` does not exist yet and nothing reads it: \`python -m pytest -q test_key_errors.py\` ends with NameError.
- \`test_key_errors.py\` is new, one test.
- Nothing is committed; the diff has the details.

## Next steps

1. Create \`key_errors\` before the loop over the data.
2. Use it where \`SchemaWrongKeyError\` is raised (near line 528).
3. More tests: no error text, other key schemas such as \`And\`.

## Decisions and dead ends

- \`SchemaError.code\` works; the text was thrown away in \`validate()\`.
- Raising at once is wrong, since another key schema of the dict may accept the key. Hence remembering.

## From the user

Tests only in \`test_key_errors.py\`, since \`test_schema.py\` has an open pull request. No new type annotations in the module, they are about to be removed.

## Suggested skills

\`tdd\`
`,
}
