export const xmltodictBytes = {
  id: 'xmltodict-bytes',
  repository: 'martinblech/xmltodict',
  licence: 'MIT',
  fix: 'ed704344226ed6451f6735811c695fb5004df44d',
  goal: "unparse must write bytes, bytearray and memoryview everywhere (text, attributes, comments, @xmlns) decoded with the output encoding, and booleans as true/false in all of them; new option bytes_errors, 'replace' by default, an unknown one raises ValueError 'Invalid bytes_errors handler: <name>'.",
  hidden: ['tests/test_dicttoxml.py'],
  check: 'python -m pytest -q tests/test_dicttoxml.py',
  suite: 'python -m pytest -q tests',
  pilot: 'first edit',
  rules: [
    {
      text: 'No new import in xmltodict.py, people vendor that file.',
      added: /^\s*(?:import\s|from\s+\S+\s+import\b)/,
      in: /^xmltodict\.py$/,
    },
    { text: 'README.md and CHANGELOG.md are generated, leave them.', files: /^(?:README|CHANGELOG)\.md$/ },
    {
      text: 'Tests go into tests/test_bytes.py, a new file.',
      needs: /def test/,
      in: /^tests\/test_bytes\.py$/,
    },
  ],
  dropped: /def characters\(/,
  session: [
    {
      person:
        "unparse makes nonsense of bytes: \"b'...'\" in attributes, numbers in text. bytes, bytearray and memoryview must be decoded with the output encoding in text, attributes, comments and @xmlns values, booleans written as true/false in all of them. New option bytes_errors, 'replace' by default; an unknown one raises ValueError 'Invalid bytes_errors handler: <name>'. No new import in xmltodict.py, people vendor that file.",
    },
    {
      run: 'git log --oneline | head -4; ls . tests; grep -n "_convert_value_to_string\\|^def \\|^class " xmltodict.py',
    },
    { run: 'sed -n 1,12p xmltodict.py; sed -n 370,384p xmltodict.py; sed -n 436,600p xmltodict.py' },
    {
      agent:
        'Text should be right already, _convert_value_to_string lets bytes through. So attributes and @xmlns only.',
    },
    {
      run: `python - <<'EOF'
from xmltodict import unparse
for d in ({'x': b'ab'}, {'x': {'#text': b'ab'}}, {'x': {'@a': b'ab'}}, {'x': {'@a': True, '@xmlns': {'p': True}}}, {'#comment': b'ab', 'x': '1'}):
    try: print(d, '->', unparse(d, full_document=False))
    except Exception as e: print(d, '->', type(e).__name__, e)
EOF`,
    },
    {
      agent:
        "I was wrong about text: {'x': b'ab'} is taken as a list of numbers, one element each, because bytes have __iter__. It has to be kept out of that and of expand_iter too.",
    },
    {
      person:
        'Right. README.md and CHANGELOG.md are generated, leave them. Tests go into tests/test_bytes.py, a new file.',
    },
    { agent: 'One place for all: let the writer decode, in a subclass of XMLGenerator. I try it.' },
    {
      run: `python - <<'EOF'
import xmltodict
class Decoding(xmltodict._XMLGenerator):
    def characters(self, content):
        super().characters(content.decode('utf-8') if isinstance(content, bytes) else content)
xmltodict._XMLGenerator = Decoding
for d in ({'x': {'#text': b'ab'}}, {'x': b'ab'}, {'x': {'@a': b'ab'}}):
    print(d, '->', xmltodict.unparse(d, full_document=False))
EOF`,
    },
    {
      agent:
        'Dropped: what reaches the writer is too late. Attributes were made to "b\'ab\'" by str() before, and bytes in the text were split into numbers. It has to be done in _convert_value_to_string, with encoding and bytes_errors handed through _emit.',
    },
    {
      edit: 'xmltodict.py',
      at: 372,
      drop: 10,
      put: [
        "def _convert_value_to_string(value, encoding='utf-8', bytes_errors='replace'):",
        '    """Convert a value to its string representation for XML output.',
        '',
        '    Handles boolean values consistently by converting them to lowercase.',
        '    """',
        '    if isinstance(value, str):',
        '        return value',
        '    if isinstance(value, bool):',
        '        return "true" if value else "false"',
        '    if isinstance(value, (bytes, bytearray, memoryview)):',
        '        return bytes(value).decode(encoding, bytes_errors)',
        '    return str(value)',
      ],
    },
    { stop: 'first edit' },
    {
      run: `cat > tests/test_bytes.py <<'EOF'
import pytest

from xmltodict import unparse


@pytest.mark.parametrize('kind', [bytes, bytearray, memoryview])
def test_text_and_attribute(kind):
    value = kind(b'caf\\xe9')
    xml = unparse({'x': {'@a': value, '#text': value}}, full_document=False, encoding='iso-8859-1')
    assert xml == '<x a="caf\\xe9">caf\\xe9</x>'


def test_unknown_handler():
    with pytest.raises(ValueError, match='Invalid bytes_errors handler: nope'):
        unparse({'x': b'a'}, bytes_errors='nope')
EOF
python -m pytest -q tests/test_bytes.py 2>&1 | tail -15`,
    },
    { stop: 'first failing check' },
    { agent: 'Now through _emit: its parameters first.' },
    {
      edit: 'xmltodict.py',
      at: 452,
      drop: 1,
      put: [
        '          expand_iter=None,',
        "          encoding='utf-8',",
        "          bytes_errors='replace',",
      ],
    },
    { stop: 'first edit after it' },
  ],
  page: `## Where it stands
unparse is to decode bytes, bytearray and memoryview in text, attributes, comments and @xmlns values, and to write booleans as true/false in all of them. Done in xmltodict.py: _convert_value_to_string() takes encoding and bytes_errors and decodes (not run yet). Not begun: handing both through _emit() and its recursive call, its callers of _convert_value_to_string, the str() calls for attributes and @xmlns values, the option in unparse(), tests. Nothing is committed.

## Decisions
Decode in _convert_value_to_string, with the encoding of the output. bytes-like values count as scalars in _emit(): not iterated, not wrapped by expand_iter.

## Constraints
"No new import in xmltodict.py, people vendor that file." (So no codecs: an unknown handler can be found by decoding something invalid, b'\\xff'.decode('ascii', name) raises LookupError.)
"README.md and CHANGELOG.md are generated, leave them."
"Tests go into tests/test_bytes.py, a new file."

## Tried and dropped
A subclass of XMLGenerator that decodes: attributes were made to "b'ab'" by str() before, and text was split into numbers.

## Traps
{'x': b'ab'} is iterated as numbers, because bytes have __iter__ (I first thought that text was right). In the loop over @xmlns the variable v of the outer loop is overwritten.

## Next step
_emit() in xmltodict.py (about line 441 to 545), then unparse() (about line 551), then tests/test_bytes.py and \`python -m pytest -q tests\`.
`,
  skill: `# Handoff: bytes and booleans in \`unparse\` (xmltodict)

The next session finishes this: bytes, bytearray and memoryview decoded with the output encoding in text, attributes, comments and \`@xmlns\` values; booleans as true/false in all of them; a new option \`bytes_errors\`, 'replace' by default, ValueError 'Invalid bytes_errors handler: <name>' for an unknown one.

## Progress

\`_convert_value_to_string()\` in \`xmltodict.py\` takes \`encoding\` and \`bytes_errors\` and decodes (uncommitted, not run). Nothing hands the two through yet.

## To do

- Pass both through \`_emit()\`, also where it calls itself, and from \`unparse()\`.
- Attributes and \`@xmlns\` values still go through \`str()\`.
- \`{'x': b'ab'}\` is iterated into \`<x>97</x><x>98</x>\`: keep bytes out of the iteration and of \`expand_iter\`.
- The option and its check; tests.

## Tried without success

Decoding in a subclass of \`XMLGenerator\`: by then attributes are \`"b'ab'"\` and text is numbers.

## The user's wishes

- No new import in \`xmltodict.py\`, it is vendored by people.
- README.md and CHANGELOG.md are generated; do not edit.
- Tests in the new file \`tests/test_bytes.py\`.

## Suggested skills

\`tdd\`
`,
}
