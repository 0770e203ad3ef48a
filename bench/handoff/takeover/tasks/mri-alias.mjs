export const mriAlias = {
  id: 'mri-alias',
  repository: 'lukeed/mri',
  licence: 'MIT',
  fix: '5437ea5cd9afcfcfe50c1c316aff990cac21231b',
  packages: ['tape@5'],
  goal: "The type of an option's default must hold for its aliases too: with default { arg: '' } and alias { a: ['arg'] }, `-a 01` gives '01' for both.",
  hidden: ['test/index.js'],
  check: 'npx tape test/index.js',
  suite: "npx tape 'test/*.js'",
  pilot: 'first failing check',
  rules: [
    {
      text: 'It must still run on Node 4: no spread, no includes, no Object.entries or Object.values.',
      added: /\.\.\.\w|\.includes\(|Object\.(?:entries|values)\(|\?\?|\?\./,
      in: /^lib\//,
    },
    { text: 'Commit it when it is green, one commit, its subject begins with "fix: ".', commit: /^fix: / },
    { text: 'The version in package.json stays, I release myself.', files: /^package\.json$/ },
  ],
  dropped: /String\(out\[/,
  session: [
    {
      person:
        "A default gives its type to its option but not to the aliases. With default { arg: '' } and alias { a: ['arg'] }, `-a 01` must give '01' for both, in all four combinations of who is the alias. It must still run on Node 4: no spread, no includes, no Object.entries or Object.values.",
    },
    { run: 'git log --oneline | head -4; ls; ls test; cat package.json' },
    { read: 'lib/index.js' },
    {
      agent:
        'My guess: the loop in line 31 does not make the alias in both directions, so that `arg` does not know `a`.',
    },
    {
      run: `node -e "
const mri = require('./lib');
const opts = { alias: { a: ['arg'] }, default: { arg: '' } };
console.log(mri(['-a', '01'], opts), mri(['--arg', '01'], { alias: { a: ['arg'] }, default: { arg: '' } }));
const o = { alias: { a: ['arg'] } }; mri([], o); console.log(o.alias);
"`,
    },
    {
      agent:
        'The guess was wrong: the aliases stand in both directions. It is the block of the defaults (line 47): it pushes only k to opts.string, and it runs after the aliases were added to opts.string and opts.boolean.',
    },
    {
      person:
        'Good. Commit it when it is green, one commit, its subject begins with "fix: ". The version in package.json stays, I release myself.',
    },
    {
      agent:
        'A way that touches less: make strings of the values at the end, where the aliases are copied. I try it outside of the file.',
    },
    {
      run: `node -e "
const mri = require('./lib');
const out = mri(['-a', '01'], { alias: { a: ['arg'] }, default: { arg: '' } });
for (const k of ['a', 'arg']) out[k] = String(out[k]);
console.log(out);
"`,
    },
    {
      agent:
        "Dropped: at the end '01' is a number already, the zero in front is gone. The type has to be known before the values are read, so the block of the defaults must add the aliases as well.",
    },
    {
      edit: 'lib/index.js',
      at: 49,
      drop: 2,
      put: [
        '\t\t\tname = typeof opts.default[k];',
        '\t\t\topts[name] = opts[name].concat(k, opts.alias[k] || []);',
      ],
    },
    { stop: 'first edit' },
    { run: "npx tape 'test/*.js' 2>&1 | tail -25" },
    { stop: 'first failing check' },
    {
      agent:
        'A default that is neither string nor boolean has no list in opts, a number for instance. Only those two have one.',
    },
    {
      edit: 'lib/index.js',
      at: 50,
      drop: 1,
      put: [
        '\t\t\tarr = opts.alias[k] = opts.alias[k] || [];',
        '\t\t\tif (opts[name] !== void 0) opts[name] = opts[name].concat(k, arr);',
      ],
    },
    { stop: 'first edit after it' },
  ],
  page: `## Where it stands
The type of a default is to hold for the aliases of its option. lib/index.js is edited in the block \`if (defaults)\`: it adds the option and its aliases to opts[typeof default]. This edit breaks two things, see below. No test written, nothing committed.

## Constraints
"It must still run on Node 4: no spread, no includes, no Object.entries or Object.values."
"Commit it when it is green, one commit, its subject begins with "fix: "."
"The version in package.json stays, I release myself."

## Tried and dropped
Making strings at the end, where the aliases are copied: '01' is 1 by then, the zero is lost.

## Fails now
\`npx tape 'test/*.js'\`: TypeError, opts[name] is undefined for a default that is neither string nor boolean. And my edit removed \`opts.alias[k] = opts.alias[k] || []\`, which the keys for \`unknown\` come from.

## Traps
I first thought that aliases were made in one direction only. They are in both (line 31).

## Next step
Put \`opts.alias[k] = opts.alias[k] || []\` back, add to opts[name] only if it is there, run the tests. Then tests for the four combinations in test/index.js after "flag default and alias", then the commit.
`,
  skill: `# Handoff: type of a default for its aliases (mri)

## Goal

With \`default: { arg: '' }\` and \`alias: { a: ['arg'] }\`, \`-a 01\` must give \`'01'\` for both, in all four combinations of who is the alias.

## Where it is

The cause is the block \`if (defaults)\` in \`lib/index.js\`: it adds only the option itself to \`opts.string\` or \`opts.boolean\`, after the aliases were expanded. My uncommitted edit there (\`git diff\`) adds the aliases too, but it crashes: \`npx tape 'test/*.js'\` stops in "flag default null value" with "Cannot read properties of undefined (reading 'concat')", line 50. The default there is neither a string nor a boolean, so \`opts[name]\` does not exist. The line \`opts.alias[k] = opts.alias[k] || []\` went away with the edit as well.

## Learned

- Aliases are linked in both directions already.
- Converting to strings at the end, where aliases are copied, does not work: \`01\` is the number 1 by then.

## Conventions the user gave

- Has to run on Node 4 (no spread, \`includes\`, \`Object.entries\`, \`Object.values\`).
- When green: one commit, subject starting with \`fix: \`. No version bump.

## Next

Guard against the missing list, get the suite green, add tests for the four combinations to \`test/index.js\`, commit.

## Suggested skills

\`diagnosing-bugs\`, \`tdd\`
`,
}
