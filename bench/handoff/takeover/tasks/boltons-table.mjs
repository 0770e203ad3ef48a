const OWN_TESTS = 'tests/test_tableutils_degenerate.py'

export const boltonsTable = {
  id: 'boltons-table',
  repository: 'mahmoud/boltons',
  licence: 'BSD-3-Clause',
  fix: 'eb659013fbe4f355561fbead2116868366ba6e26',
  goal: 'Make Table.to_text() in boltons/tableutils.py work where it crashes today: no columns, headers that are empty, None or shorter than the rows; treat headers as to_html() does.',
  hidden: ['tests/test_tableutils.py'],
  check: 'python -m pytest -q tests/test_tableutils.py',
  suite: 'python -m pytest -q tests/test_tableutils.py tests/test_dictutils.py tests/test_jsonutils.py',
  pilot: 'first edit',
  rules: [
    { text: 'CHANGELOG.md is mine, I write it at release time.', files: /^CHANGELOG/ },
    {
      text: `Tests for this go into a file of their own, ${OWN_TESTS}.`,
      needs: /def test/,
      in: /^tests\/test_tableutils_degenerate\.py$/,
    },
    {
      text: 'tests/test_tableutils.py is being rewritten on another branch, leave it as it is.',
      files: /^tests\/test_tableutils\.py$/,
    },
  ],
  dropped: /self\.headers\.(?:extend|append)|self\.headers\s*(?:\+=|=.*\[None\])|\bt\.headers\.extend/,
  session: [
    {
      person:
        'Table.to_text() in boltons/tableutils.py crashes on odd tables: Table([[]]), headers with None in them, headers that are empty or shorter than the rows. Make it work there. Where headers are concerned do what to_html() does. CHANGELOG.md is mine, I write it at release time.',
    },
    {
      run: 'git status --short && git log --oneline | head -5 && grep -n "def \\|^class " boltons/tableutils.py | sed -n 1,70p',
    },
    { run: 'sed -n 205,305p boltons/tableutils.py' },
    {
      agent:
        'The crash of Table([[]]) must come from the loop over columns in to_text(), which takes max() of an empty list.',
    },
    { run: 'sed -n 80,95p boltons/tableutils.py; sed -n 440,585p boltons/tableutils.py' },
    {
      run: 'for c in "Table([[]]).to_text()" "Table([[None,\'b\'],[1,2]]).to_text()" "Table([[],[1]]).to_text()"; do echo "== $c"; python -c "from boltons.tableutils import Table; print(repr($c))" 2>&1 | tail -3; done',
    },
    {
      agent:
        'I was wrong about Table([[]]): it never reaches to_text(). The max() that fails is the one in _set_width(), already in the constructor. The other two fail in to_text(): AttributeError from None.center and IndexError from headers[idx].',
    },
    {
      person:
        'Right. Tests for this go into a file of their own, tests/test_tableutils_degenerate.py. tests/test_tableutils.py is being rewritten on another branch, leave it as it is.',
    },
    {
      agent:
        'Understood. First idea: fill the headers up to the width once, in _fill(), so that every output has them. I try that without touching the file.',
    },
    {
      run: `python - <<'EOF'
from boltons.tableutils import Table
def fill(t):
    t.headers.extend([None] * (t._width - len(t.headers)))
t = Table([[1, 2]], headers=[]); t.headers = ['a']
before = t.to_html(); fill(t)
print('headers now', t.headers)
t2 = Table([[], [1]]); print('html before:', t2.to_html()); fill(t2); print('html after: ', t2.to_html())
EOF`,
    },
    {
      agent:
        'Dropped: filling self.headers changes to_html() as well. A table with empty headers gets a header row with "None" that it must not have, and the attribute of the caller is changed. So the padding belongs into to_text(), on its own copy of the headers; empty headers mean no header row and no rule below it, as in to_html(). I begin with _set_width().',
    },
    {
      edit: 'boltons/tableutils.py',
      at: 293,
      drop: 1,
      put: ['        self._width = max([len(d) for d in self._data], default=0)'],
    },
    { stop: 'first edit' },
    { agent: 'Now the tests, before to_text() itself.' },
    {
      run: `cat > tests/test_tableutils_degenerate.py <<'EOF'
from boltons.tableutils import Table


def test_no_columns():
    assert Table([[]]).to_text() == ''


def test_none_header():
    first = Table([[None, 'b'], [1, 2]]).to_text().splitlines()[0]
    assert [cell.strip() for cell in first.split(' | ')] == ['None', 'b']


def test_empty_headers():
    assert Table([[], [1]]).to_text() == '1'
EOF
python -m pytest -q tests/test_tableutils_degenerate.py 2>&1 | tail -15`,
    },
    { stop: 'first failing check' },
    { agent: 'As expected, to_text() is left. The header cells first.' },
    {
      edit: 'boltons/tableutils.py',
      at: 568,
      drop: 1,
      put: [
        '        headers = list(self.headers) if with_headers else []',
        '        if headers:',
        '            headers.extend([None] * (self._width - len(headers)))',
      ],
    },
    { stop: 'first edit after it' },
  ],
  page: `## Where it stands
Table.to_text() is to work for tables without columns and for headers that are empty, None or too short. Done: \`_set_width()\` in boltons/tableutils.py has \`default=0\`, so Table([[]]) can be built (not run yet). Not begun: to_text() itself, tests. Nothing is committed.

## Decisions
Header cells go through the module's to_text(cell, maxlen=maxlen) as data cells do, so None renders as "None". Short headers are padded with None on a copy inside to_text(). Empty headers: no header row and no rule below it, as in to_html().

## Constraints
"CHANGELOG.md is mine, I write it at release time."
"Tests for this go into a file of their own, tests/test_tableutils_degenerate.py."
"tests/test_tableutils.py is being rewritten on another branch, leave it as it is."

## Tried and dropped
Filling self.headers up to the width in _fill(): it changes to_html(), which then shows a header row of None, and it changes the caller's list.

## Fails now
Table([[None,'b'],[1,2]]).to_text(): AttributeError, 'NoneType' object has no attribute 'center'. Table([[],[1]]).to_text(): IndexError.

## Traps
I first blamed the loop in to_text() for Table([[]]); the crash was in _set_width(), in the constructor. The max(cur_widths) in to_text() may still see an empty list.

## Next step
Edit to_text() in boltons/tableutils.py (about line 566 to 583), then write the new test file and run \`python -m pytest -q tests/test_tableutils_degenerate.py tests/test_tableutils.py\`.
`,
  skill: `# Handoff: \`Table.to_text()\` on degenerate tables

**Next session:** make \`to_text()\` work for tables without columns and for headers that are empty, None or shorter than the rows, the way \`to_html()\` treats headers.

## State

- All in \`boltons/tableutils.py\`. One edit so far, uncommitted (see \`git diff\`): \`_set_width()\` got a default, so that \`Table([[]])\` can be built. I have not run it since.
- \`to_text()\` is untouched. A header that is None still ends in AttributeError (\`None.center\`), headers shorter than the rows in IndexError (\`headers[idx]\`).
- No tests yet.

## Findings

- \`Table([[]])\` never got as far as \`to_text()\`; it failed in the constructor.
- Padding \`self.headers\` in \`_fill()\` is a dead end: \`to_html()\` then prints a header row with "None" and the caller's list changes. Pad a copy inside \`to_text()\`. With empty headers print neither header row nor rule, like \`to_html()\`.

## The user asked

- New tests go into \`tests/test_tableutils_degenerate.py\`; \`tests/test_tableutils.py\` is being rewritten elsewhere and stays untouched.
- The changelog is the user's.

## Suggested skills

- \`tdd\` for the degenerate cases
`,
}
