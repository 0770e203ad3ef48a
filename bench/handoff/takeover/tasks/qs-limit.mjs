export const qsLimit = {
  id: 'qs-limit',
  repository: 'ljharb/qs',
  licence: 'BSD-3-Clause',
  fix: '963e538c740961a35ecaa0b38ee1f5c16697e208',
  packages: [
    ...[
      'es-define-property@1',
      'side-channel@1',
      'es-value-fixtures@1',
      'for-each@0.3',
      'has-bigints@1',
      'has-override-mistake@1',
    ],
    ...[
      'has-property-descriptors@1',
      'has-proto@1',
      'has-symbols@1',
      'iconv-lite@0.5',
      'mock-property@1',
      'object-inspect@1',
    ],
    ...['qs-iconv@1', 'safer-buffer@2', 'tape@5'],
  ],
  goal: 'qs.parse with throwOnLimitExceeded must throw wherever an array would turn into an object past arrayLimit: in utils.combine (told by a fifth argument) and in utils.merge (told by its options), from every caller.',
  hidden: ['test/parse.js', 'test/utils.js'],
  check: 'npx tape test/parse.js test/utils.js',
  suite: "npx tape 'test/**/*.js'",
  pilot: 'first edit after it',
  rules: [
    {
      text: 'I do not want the sentence of the error copied once more: one function in lib/utils.js builds it.',
      added: /['"`]Array limit exceeded/,
      in: /^lib\//,
      most: 1,
    },
    {
      text: 'README.md, CHANGELOG.md and dist/ are made at release, keep out of them.',
      files: /^(?:README\.md|CHANGELOG\.md|dist\/)/,
    },
    {
      text: 'ES5 in lib/, as the rest: var and function only.',
      added: /^\s*(?:const|let)\s|=>|`/,
      in: /^lib\//,
    },
  ],
  dropped: /markOverflow = .*throw|markOverflow\(.*throwOn/,
  session: [
    {
      person:
        "throwOnLimitExceeded is not kept when an array grows: qs.parse('a=1,2,3&a=4,5,6', { comma: true, arrayLimit: 5, throwOnLimitExceeded: true }) silently gives an object. It must throw the same RangeError as elsewhere, wherever an array would turn into an object. utils.combine gets it as a fifth argument, utils.merge has it in its options. ES5 in lib/, as the rest: var and function only.",
    },
    { run: 'git log --oneline | head -4; grep -n "combine\\|markOverflow\\|throwOnLimitExceeded" lib/*.js' },
    {
      agent:
        'utils.combine is called for duplicate keys in parseValues only, so one caller needs the new argument.',
    },
    { run: 'sed -n 38,50p lib/parse.js; sed -n 126,210p lib/parse.js' },
    { run: 'sed -n 15,40p lib/utils.js; sed -n 83,140p lib/utils.js; sed -n 320,340p lib/utils.js' },
    {
      agent:
        'I have to correct that: combine has three callers, two in parseValues (lines 138 and 144) and one in parseObject (line 179). And merge turns arrays into objects at two places of its own (lines 93 and 132).',
    },
    {
      person:
        'Yes, all of them. I do not want the sentence of the error copied once more: one function in lib/utils.js builds it. README.md, CHANGELOG.md and dist/ are made at release, keep out of them.',
    },
    {
      agent:
        'All five places end in markOverflow(). I try in a copy what happens if it is the one that throws.',
    },
    {
      run: `copy=$(mktemp -d) && cp -a . $copy/qs && cd $copy/qs && python3 - <<'EOF'
import re
path = 'lib/utils.js'
text = open(path).read()
at = text.index('var markOverflow')
brace = text.index('{', at) + 1
text = text[:brace] + " if (markOverflow.limit) { throw new RangeError('limit'); }" + text[brace:]
open(path, 'w').write(text.replace('module.exports = {', 'markOverflow.limit = true;\\nmodule.exports = {'))
EOF
npx tape test/utils.js test/parse.js 2>&1 | grep -E '^(not ok|# (tests|pass|fail))|RangeError: limit' | head -12; rm -rf $copy`,
    },
    {
      agent:
        'Dropped: markOverflow() knows no options, and it also marks objects anew that were over the limit before. It would need a state of the module, and calls without the option break. So the callers decide, with a small function that throws.',
    },
    {
      edit: 'lib/utils.js',
      at: 323,
      drop: 15,
      put: [
        'var throwLimit = function throwLimit(arrayLimit) {',
        "    throw new RangeError('Array limit exceeded. Only ' + arrayLimit + ' element' + (arrayLimit === 1 ? '' : 's') + ' allowed in an array.');",
        '};',
        '',
        'var combine = function combine(a, b, arrayLimit, plainObjects, throwOnLimitExceeded) {',
        "    // If 'a' is already an overflow object, add to it",
        '    if (isOverflow(a)) {',
        '        if (throwOnLimitExceeded) {',
        '            throwLimit(arrayLimit);',
        '        }',
        '        var newIndex = getMaxIndex(a) + 1;',
        '        a[newIndex] = b;',
        '        setMaxIndex(a, newIndex);',
        '        return a;',
        '    }',
        '',
        '    var result = [].concat(a, b);',
        '    if (result.length > arrayLimit) {',
        '        if (throwOnLimitExceeded) {',
        '            throwLimit(arrayLimit);',
        '        }',
        '        return markOverflow(arrayToObject(result, { plainObjects: plainObjects }), result.length - 1);',
        '    }',
        '    return result;',
        '};',
      ],
    },
    { stop: 'first edit' },
    {
      run: `node -e "
var assert = require('assert');
var utils = require('./lib/utils');
var qs = require('./lib');
assert.throws(function () { utils.combine(['a', 'b', 'c'], 'd', 3, false, true); }, /Only 3 elements/);
assert.throws(function () { qs.parse('a=1,2,3&a=4,5,6', { comma: true, arrayLimit: 5, throwOnLimitExceeded: true }); }, /Only 5 elements/);
" 2>&1 | head -12; exit \${PIPESTATUS[0]}`,
    },
    { stop: 'first failing check' },
    { agent: 'utils.combine itself throws; parse does not tell it yet. The call for duplicate keys first.' },
    {
      edit: 'lib/parse.js',
      at: 148,
      drop: 1,
      put: ['                    options.plainObjects,', '                    options.throwOnLimitExceeded'],
    },
    { stop: 'first edit after it' },
  ],
  page: `## Where it stands
With throwOnLimitExceeded, qs.parse is to throw wherever an array would turn into an object. Done: utils.combine() has the fifth argument and throws by throwLimit(arrayLimit), a new function in lib/utils.js (checked by a call); parseValues passes the option in the call for duplicate keys (lib/parse.js, about line 144; not run yet). Not begun: the calls of combine at about line 138 and line 180 of lib/parse.js, the two places of utils.merge() that call markOverflow for arrays (about lines 93 and 132), tests. Nothing is committed.

## Decisions
Callers decide whether to throw; the error is built by throwLimit alone. The older copies of the sentence in lib/parse.js are not replaced so far; nobody asked for that.

## Constraints
"ES5 in lib/, as the rest: var and function only."
"I do not want the sentence of the error copied once more: one function in lib/utils.js builds it."
"README.md, CHANGELOG.md and dist/ are made at release, keep out of them."

## Tried and dropped
Throwing in markOverflow(): it knows no options and marks objects anew that were over the limit before; tests without the option break.

## Fails now
Before the last edit: qs.parse('a=1,2,3&a=4,5,6', { comma: true, arrayLimit: 5, throwOnLimitExceeded: true }) did not throw.

## Traps
combine has three callers, not one as I said first. throwLimit is defined below merge; that is fine, it is called later.

## Next step
Run that parse again, then the two other calls and merge ('a=x&a[0]=y' and 'a[0]=1&a[1]=2&a=3' with arrayLimit 1 must throw), tests in test/parse.js and test/utils.js, \`npx tape 'test/**/*.js'\`.
`,
  skill: `# Handoff: throwOnLimitExceeded in qs

**Focus:** with \`throwOnLimitExceeded\`, throw wherever an array would turn into an object past \`arrayLimit\`.

## Done (not committed, see \`git diff\`)

- \`lib/utils.js\`: \`throwLimit(arrayLimit)\` builds the error; \`combine\` has a fifth argument and throws.
- \`lib/parse.js\`: the call of \`combine\` for duplicate keys passes the option on. Not run yet; before this edit \`qs.parse('a=1,2,3&a=4,5,6', { comma: true, arrayLimit: 5, throwOnLimitExceeded: true })\` did not throw.

## Left

- The two other calls of \`combine\` in \`lib/parse.js\` (comma values in \`parseValues\`, and \`parseObject\`).
- \`merge\` in \`lib/utils.js\` turns arrays into objects in two places; it has the option in its \`options\`.
- Tests.

## Notes

- Throwing inside \`markOverflow()\` does not work: it knows no options and also re-marks objects that were over the limit before.
- ES5 in \`lib/\` (\`var\`, \`function\`).
- The user wants the sentence of the error in one function in \`lib/utils.js\`, not copied again.
- README, CHANGELOG and \`dist/\` are made at release: leave them.

## Suggested skills

- \`tdd\` for the remaining callers
- \`code-review\` before finishing
`,
}
