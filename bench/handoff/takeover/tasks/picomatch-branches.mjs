export const picomatchBranches = {
  id: 'picomatch-branches',
  repository: 'micromatch/picomatch',
  licence: 'MIT',
  fix: '628930764fb2cd8f619d53947d5b1b39d347e837',
  packages: ['mocha@10', 'fill-range@7'],
  goal: 'When picomatch rewrites a risky repeated extglob, all branches must survive, as one flat character class: +(*(a)|*(b)) becomes [ab]*, *(*(a)|c) becomes [ac]*.',
  hidden: ['test/options.maxExtglobRecursion.js'],
  check: 'npx mocha --reporter dot test/options.maxExtglobRecursion.js',
  suite: 'npx mocha --reporter dot test/options*.js test/extglobs*.js test/api*.js test/regex-features.js',
  pilot: 'first edit',
  rules: [
    {
      text: 'No Set, no Map, no flat() in lib/: a customer runs it on an old embedded engine.',
      added: /new (?:Set|Map)\b|\.flat(?:Map)?\(/,
      in: /^lib\//,
    },
    {
      text: 'Tests go into a new file, test/extglobs-branches.js.',
      needs: /assert/,
      in: /^test\/extglobs-branches\.js$/,
    },
    {
      text: 'test/options.maxExtglobRecursion.js belongs to the security people, do not edit it.',
      files: /^test\/options\.maxExtglobRecursion\.js$/,
    },
  ],
  dropped: /join\(['"`]\|['"`]\)/,
  session: [
    {
      person:
        'isMatch("b", "+(*(a)|*(b))") is false and should be true. The rewrite of risky extglobs loses branches. It should give one flat character class with all of them, [ab]*, and for *(*(a)|c) it should give [ac]*. The protection against catastrophic backtracking must stay. No Set, no Map, no flat() in lib/: a customer runs it on an old embedded engine.',
    },
    {
      run: 'git log --oneline | head -4; ls lib test | head -60; grep -n "safeOutput\\|analyzeRepeatedExtglob\\|splitTopLevel" lib/parse.js',
    },
    { run: 'sed -n 45,125p lib/parse.js' },
    { run: 'sed -n 233,320p lib/parse.js' },
    {
      agent:
        'splitTopLevel() seems to lose the second branch when the first one has parentheses. I look at what comes out.',
    },
    {
      run: `node -e "
const pm = require('.');
for (const p of ['+(*(a)|*(b))', '+(*(b)|*(a))', '*(*(a)|c)', '*(c|*(a))', '+(a|b)', '+(*(a)|bc)']) console.log(p.padEnd(16), pm.makeRe(p).source);
"`,
    },
    {
      agent:
        'It is not splitTopLevel(): with the branches the other way round the other one survives. analyzeRepeatedExtglob() returns in its loop with the output of the first branch that is a star sequence.',
    },
    {
      person:
        'Makes sense. Tests go into a new file, test/extglobs-branches.js. test/options.maxExtglobRecursion.js belongs to the security people, do not edit it.',
    },
    {
      agent:
        'The simplest would be to join the outputs of the branches, (?:a*|b*)*. I measure whether that is safe.',
    },
    {
      run: `node -e "
for (const n of [16, 20, 24]) { const t = process.hrtime.bigint(); /^(?:a*|b*)*$/.test('a'.repeat(n) + 'c'); console.log('(?:a*|b*)*', n, Number(process.hrtime.bigint() - t) / 1e6, 'ms'); }
const t = process.hrtime.bigint(); /^[ab]*$/.test('a'.repeat(50000) + 'c'); console.log('[ab]*', 50000, Number(process.hrtime.bigint() - t) / 1e6, 'ms');
"`,
    },
    {
      agent:
        'Joining with | is dropped: each character more doubles the time. So one class over the characters of all branches, and only if every branch comes down to single characters; otherwise { risky: true } without safeOutput, which takes the pattern literally. I let the helper return its characters instead of the finished source.',
    },
    { edit: 'lib/parse.js', at: 262, drop: 5, put: ['  return chars;'] },
    { stop: 'first edit' },
    {
      run: `cat > test/extglobs-branches.js <<'EOF'
'use strict';

const assert = require('assert');
const { isMatch, makeRe } = require('..');

describe('branches of repeated extglobs', () => {
  it('should keep every branch', () => {
    assert.strictEqual(makeRe('+(*(a)|*(b))').source, '^(?:(?=.)[ab]*)$');
    assert.strictEqual(makeRe('*(*(a)|c)').source, '^(?:(?=.)[ac]*)$');
    assert(isMatch('ba', '+(*(a)|*(b))'));
    assert(!isMatch('c', '+(*(a)|*(b))'));
  });
});
EOF
npx mocha --reporter dot test/extglobs-branches.js 2>&1 | tail -25`,
    },
    { stop: 'first failing check' },
    { agent: 'Now the name of the helper, then its caller.' },
    { edit: 'lib/parse.js', at: 233, drop: 1, put: ['const getStarExtglobSequenceChars = pattern => {'] },
    { stop: 'first edit after it' },
  ],
  page: `## Where it stands
The rewrite of risky repeated extglobs in lib/parse.js is to keep all branches. getStarExtglobSequenceOutput() now returns its list of characters instead of the finished source. Its caller, analyzeRepeatedExtglob(), still treats the result as a string: the code is broken in between. Nothing was run after the edit, no test written, nothing committed.

## Decisions
One character class over the characters of all branches, in order, each once; a single character without brackets, as it was (\`a*\`). A branch of one plain character counts too (normalizeSimpleBranch). If any branch does not come down to single characters: { risky: true } without safeOutput. A group without any star sequence goes on as before ({ risky: false }, or risky by depth).

## Constraints
"No Set, no Map, no flat() in lib/: a customer runs it on an old embedded engine."
"Tests go into a new file, test/extglobs-branches.js."
"test/options.maxExtglobRecursion.js belongs to the security people, do not edit it."
The protection against catastrophic backtracking must stay.

## Tried and dropped
(?:a*|b*)*, the outputs joined with |: each character more doubles the time.

## Traps
splitTopLevel() is right; I blamed it first. The loop in analyzeRepeatedExtglob() returns at the first star sequence.

## Next step
Rewrite the loop at the end of analyzeRepeatedExtglob() and build the class there with utils.escapeRegex. Wanted: makeRe('+(*(a)|*(b))').source is '^(?:(?=.)[ab]*)$'. Then the new test file, then \`npx mocha --reporter dot\`.
`,
  skill: `# Handoff: all branches of risky extglobs (picomatch)

For the next session: \`+(*(a)|*(b))\` must be rewritten to \`[ab]*\` and \`*(*(a)|c)\` to \`[ac]*\`, without giving up the protection against catastrophic backtracking.

## State of the work

\`lib/parse.js\` is in the middle of a change (uncommitted, \`git diff\`): \`getStarExtglobSequenceOutput()\` now returns its array of characters. \`analyzeRepeatedExtglob()\`, which calls it, still expects the finished string. Nothing has been run since, and there are no tests yet.

## What I found

- \`analyzeRepeatedExtglob()\` returns at the first branch that is a star sequence, so the others are lost. \`splitTopLevel()\` is not to blame.
- Joining the outputs as \`(?:a*|b*)*\` is exponential (2.1 s for 24 characters). One flat class is fast.

## Plan

Collect the characters of all branches into one class, if every branch comes down to single characters. If one does not: \`{ risky: true }\` without \`safeOutput\`, so that the pattern is taken literally.

## Preferences of the user

- An old embedded engine has to run \`lib/\`: no \`Set\`, \`Map\` or \`flat()\`.
- Tests in a new file \`test/extglobs-branches.js\`.
- Do not edit \`test/options.maxExtglobRecursion.js\`, it belongs to the security people.

## Suggested skills

- \`tdd\`
`,
}
