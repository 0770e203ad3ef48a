export const sqlparseSplit = {
  id: 'sqlparse-split',
  repository: 'andialbrecht/sqlparse',
  licence: 'BSD-3-Clause',
  fix: '1a3bfbd50b82c05d9adcc51bacba059671dc1bc7',
  goal: 'sqlparse.split must not split at semicolons inside BEGIN ... END blocks, also outside of CREATE (WITH FUNCTION ... BEGIN ... END SELECT ...;); a transaction that starts with BEGIN; is split as before.',
  hidden: ['tests/test_split.py'],
  check: 'python -m pytest -q tests/test_split.py',
  suite: 'python -m pytest -q tests',
  pilot: 'first failing check',
  rules: [
    {
      text: 'Change nothing in the package but sqlparse/engine/statement_splitter.py.',
      files: /^sqlparse\/(?!engine\/statement_splitter\.py$)/,
    },
    { text: 'CHANGELOG and AUTHORS are written when I merge.', files: /^(?:CHANGELOG|AUTHORS)$/ },
    {
      text: 'Put the tests into tests/test_split_blocks.py.',
      needs: /def test/,
      in: /^tests\/test_split_blocks\.py$/,
    },
    { text: 'tests/test_split.py stays as it is.', files: /^tests\/test_split\.py$/ },
  ],
  dropped: /return 1 if|return 1\b(?!.*create)/i,
  session: [
    {
      person:
        'sqlparse.split breaks a WITH FUNCTION f() RETURNS tinyint BEGIN DECLARE a tinyint; RETURN a; END SELECT f(); into pieces at the semicolons of the block. Semicolons inside BEGIN ... END must not split, also outside of CREATE. BEGIN; as the start of a transaction is split as before. Change nothing in the package but sqlparse/engine/statement_splitter.py.',
    },
    {
      run: 'git log --oneline | head -4; wc -l sqlparse/engine/*.py; grep -n "BEGIN" -ri tests/test_split.py | head -40',
    },
    { read: 'sqlparse/engine/statement_splitter.py' },
    { agent: 'I would say DECLARE is the problem: it raises the level only after CREATE.' },
    {
      run: `python - <<'EOF'
import sqlparse
with_declare = "WITH FUNCTION f() RETURNS tinyint BEGIN DECLARE a tinyint; RETURN a; END SELECT f();"
without = "WITH FUNCTION f() RETURNS tinyint BEGIN SET a = 1; RETURN a; END SELECT f();"
for sql in (with_declare, without, "BEGIN; SELECT 1; COMMIT;", "BEGIN TRANSACTION; SELECT 1;"):
    print(len(sqlparse.split(sql)), sqlparse.split(sql))
EOF`,
    },
    {
      agent:
        'DECLARE has nothing to do with it, without it the split is as wrong. BEGIN counts _begin_depth but nobody asks for it at the semicolon.',
    },
    { agent: 'One way: BEGIN raises the level always, not after CREATE alone. I try that on a copy.' },
    {
      run: `copy=$(mktemp -d) && cp -a . $copy/s && cd $copy/s && python - <<'EOF'
path = 'sqlparse/engine/statement_splitter.py'
text = open(path).read()
at = text.index('            return 0', text.index("unified == 'BEGIN'"))
text = text[:at] + text[at:].replace('return 0', 'return 1', 1)
open(path, 'w').write(text)
EOF
python -m pytest -q tests/test_split.py tests/test_regressions.py 2>&1 | tail -10
python -c "import sqlparse; print(sqlparse.split('BEGIN; SELECT 1; COMMIT;'))"; rm -rf $copy`,
    },
    {
      agent:
        'Dropped: then BEGIN; SELECT 1; COMMIT; is never split, the level stays up. The depth must be asked at the semicolon, and BEGIN directly before a semicolon must not count as a block.',
    },
    {
      person:
        'Sounds right. CHANGELOG and AUTHORS are written when I merge. Put the tests into tests/test_split_blocks.py. tests/test_split.py stays as it is.',
    },
    {
      edit: 'sqlparse/engine/statement_splitter.py',
      at: 109,
      drop: 3,
      put: [
        "            if ttype is T.Punctuation and value == ';':",
        '                if self.level <= 0 and self._begin_depth == 0:',
        '                    self.consume_ws = True',
        "            elif ttype is T.Keyword and value.split()[0] == 'GO':",
        '                self.consume_ws = True',
      ],
    },
    { stop: 'first edit' },
    {
      run: `cat > tests/test_split_blocks.py <<'EOF'
import sqlparse


def test_semicolons_in_a_block():
    sql = 'WITH FUNCTION f() RETURNS tinyint BEGIN SET a = 1; RETURN a; END SELECT f();'
    assert sqlparse.split(sql) == [sql]


def test_transaction():
    assert sqlparse.split('BEGIN; SELECT 1; COMMIT;') == ['BEGIN;', 'SELECT 1;', 'COMMIT;']
EOF
python -m pytest -q --tb=short tests/test_split_blocks.py tests/test_split.py`,
    },
    { stop: 'first failing check' },
    {
      agent:
        'The block holds together, the transaction does not split yet. A flag says that the last word was BEGIN.',
    },
    {
      edit: 'sqlparse/engine/statement_splitter.py',
      at: 22,
      drop: 1,
      put: ['        self._begin_depth = 0', '        self._seen_begin = False'],
    },
    { stop: 'first edit after it' },
  ],
  page: `## Where it stands
Semicolons inside BEGIN ... END are not to split a statement. In process() of sqlparse/engine/statement_splitter.py a semicolon now splits only if _begin_depth is 0; blocks hold together. Missing: BEGIN directly before a semicolon starts a transaction and must not count as a block. tests/test_split_blocks.py exists with two tests. Nothing is committed.

## Decisions
A flag that the last word was BEGIN (blanks and comments between do not count); at a semicolon with the flag the depth goes down by one again.

## Constraints
"Change nothing in the package but sqlparse/engine/statement_splitter.py."
"CHANGELOG and AUTHORS are written when I merge."
"Put the tests into tests/test_split_blocks.py."
"tests/test_split.py stays as it is."

## Tried and dropped
BEGIN raises the level always: then BEGIN; SELECT 1; COMMIT; is never split.

## Fails now
\`python -m pytest -q tests/test_split_blocks.py tests/test_split.py\`: test_transaction, the three statements come out as one.

## Traps
DECLARE, which I blamed first, is not the cause.

## Next step
Add the flag in _reset(), set it at BEGIN in _change_splitlevel(), use and clear it in process(). Then that command and \`python -m pytest -q tests\`.
`,
  skill: `# Handoff: semicolons in BEGIN ... END (sqlparse)

**Goal:** \`sqlparse.split\` keeps \`BEGIN ... END\` blocks together outside of \`CREATE\` too; \`BEGIN;\` as the start of a transaction is split as before.

## Status

- \`sqlparse/engine/statement_splitter.py\`, \`process()\`: a semicolon splits only if \`_begin_depth\` is 0. Blocks work now.
- \`tests/test_split_blocks.py\`: two tests, \`test_transaction\` fails, and so does \`test_split_begintag\` in \`tests/test_split.py\`: \`BEGIN;\` counts as a block and is never closed.
- Uncommitted.

## What to do next

Let a \`BEGIN\` that stands directly before a semicolon not count as a block. Then run \`python -m pytest -q tests\`.

## Already ruled out

- \`DECLARE\` plays no part.
- Letting \`BEGIN\` always raise the level: transactions are not split any more.

## Boundaries set by the user

- In the package only \`statement_splitter.py\` may change.
- Tests go into \`tests/test_split_blocks.py\`, \`tests/test_split.py\` stays.
- CHANGELOG and AUTHORS are written at merge.

## Suggested skills

- \`diagnosing-bugs\`
`,
}
