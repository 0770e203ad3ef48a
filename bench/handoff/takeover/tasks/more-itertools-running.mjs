const RECIPES = /^more_itertools\/recipes\.py$/

export const moreItertoolsRunning = {
  id: 'more-itertools-running',
  repository: 'more-itertools/more-itertools',
  licence: 'MIT',
  fix: 'd992be0de9383ddcaae3a24866a2d96b52132b07',
  goal: 'Make running_min and running_max with maxlen keep the earlier of two equal values, as min() and max() do; say so in both docstrings and test it.',
  hidden: ['tests/test_more.py'],
  check: 'python -m unittest -q tests.test_more.TestRunningMin tests.test_more.TestRunningMax',
  suite:
    'python -m unittest -q tests.test_more.TestRunningMin tests.test_more.TestRunningMax tests.test_recipes.RunningMeanTests tests.test_recipes.RunningMedianTests',
  pilot: 'first edit after it',
  rules: [
    {
      text: 'Compare with < only, also in running_max: our users have types that define nothing but __lt__.',
      added: /^(?!\s*(?:>>>|#)).*(?:<=|>=|[\w\]) ] > [\w(])/,
      in: RECIPES,
    },
    { text: 'Leave docs/versions.rst alone.', files: /^docs\/versions\.rst$/ },
    {
      text: 'Put the tests into tests/test_recipes.py, test_more.py is far too long already.',
      files: /^tests\/test_more\.py$/,
    },
  ],
  dropped: /(?:<=|>=)\s*value\b/,
  session: [
    {
      person:
        'running_min and running_max with maxlen are not stable: of two equal values the later one comes out, min() and max() give the earlier one. Mend that, say it in both docstrings, and add tests. Compare with < only, also in running_max: our users have types that define nothing but __lt__.',
    },
    {
      run: 'git log --oneline | head -5; grep -n "running_min\\|running_max" -r more_itertools tests docs | head -40',
    },
    { run: 'sed -n 1470,1555p more_itertools/recipes.py' },
    {
      agent:
        'The window looks like the culprit: I believe a value is thrown out one step too early, at `index - maxlen`.',
    },
    {
      run: `python - <<'EOF'
from fractions import Fraction
from more_itertools import running_min, running_max
data = [0, 0.0, Fraction(0)]
for f, g in ((running_min, min), (running_max, max)):
    print(f.__name__, [type(x).__name__ for x in f(data, maxlen=2)], 'wanted', [type(g(w)).__name__ for w in (data[:1], data[:2], data[1:])])
print(list(running_min([5, 1, 1, 7, 7], maxlen=2)))
EOF`,
    },
    {
      agent:
        'Not the window: the values are right and drop out in time. It is the pop: an equal value that came earlier is removed by the later one.',
    },
    {
      person:
        'Yes. Leave docs/versions.rst alone. Put the tests into tests/test_recipes.py, test_more.py is far too long already.',
    },
    {
      agent:
        'The short way would be `not sis[-1][1] <= value`. I try what that does with a type that has only __lt__.',
    },
    {
      run: `python - <<'EOF'
class Only:
    def __init__(self, n): self.n = n
    def __lt__(self, other): return self.n < other.n
a, b = Only(1), Only(2)
print(min(a, b).n, max(a, b).n)
try: print(a <= b)
except TypeError as e: print('TypeError', e)
print('reflected >:', b > a)
EOF`,
    },
    {
      agent:
        'So <= is dropped: it raises TypeError for such a type. `value < sis[-1][1]` says the same with < alone. First running_min.',
    },
    {
      edit: 'more_itertools/recipes.py',
      at: 1474,
      drop: 6,
      put: [
        '    sis = deque()  # Increasing subsequence, equal values in order of arrival',
        '    for index, value in enumerate(iterator):',
        '        if sis and sis[0][0] == index - maxlen:',
        '            sis.popleft()',
        '        while sis and value < sis[-1][1]:  # Remove larger values',
        '            sis.pop()',
      ],
    },
    { stop: 'first edit' },
    {
      run: `python - <<'EOF'
from fractions import Fraction
from more_itertools import running_min, running_max
data = [0, 0.0, Fraction(0)]
for f, g in ((running_min, min), (running_max, max)):
    got = [type(x) for x in f(data, maxlen=2)]
    assert got == [type(g(w)) for w in (data[:1], data[:2], data[1:])], (f.__name__, got)
    print(f.__name__, 'is stable')
EOF`,
    },
    { stop: 'first failing check' },
    { agent: 'running_min is stable. running_max the same way, with < and the sides changed.' },
    {
      edit: 'more_itertools/recipes.py',
      at: 1519,
      drop: 1,
      put: ['        while sds and sds[-1][1] < value:  # Remove smaller values'],
    },
    { stop: 'first edit after it' },
  ],
  page: `## Where it stands
running_min and running_max with maxlen are to keep the earlier of two equal values. Both pops in more_itertools/recipes.py are changed: \`value < sis[-1][1]\` and \`sds[-1][1] < value\`. The first was checked, the second not yet. Not begun: a sentence in both docstrings, tests. The comment "Strictly decreasing subsequence" above sds is no longer true. Nothing is committed.

## Constraints
"Compare with < only, also in running_max: our users have types that define nothing but __lt__."
"Leave docs/versions.rst alone."
"Put the tests into tests/test_recipes.py, test_more.py is far too long already."

## Tried and dropped
\`not sis[-1][1] <= value\`: a type with only __lt__ raises TypeError.

## Traps
I first blamed the window (\`index - maxlen\`). It is right; the pop removed earlier equal values.

## Next step
Run the check of [0, 0.0, Fraction(0)] with maxlen=2 for both functions: the types must be those of min() and max() of each window. Then the docstrings and tests in tests/test_recipes.py (for instance beside RunningMeanTests), then \`python -m unittest -q tests.test_recipes tests.test_more.TestRunningMin tests.test_more.TestRunningMax\`.
`,
  skill: `# Handoff: stable running_min / running_max

The next session makes both functions with \`maxlen\` keep the earlier of two equal values, documents it and tests it.

## Done (uncommitted, see \`git diff\`)

- \`more_itertools/recipes.py\`: \`_windowed_running_min\` pops only values that are larger than the new one. Checked with \`[0, 0.0, Fraction(0)]\`, maxlen 2: stable.
- \`_windowed_running_max\`: same change with the sides swapped, just made and not run. Its comment about a strictly decreasing subsequence is out of date.

## Open

1. Repeat that check for \`running_max\`.
2. A sentence on stability in the docstrings of \`running_min\` and \`running_max\`.
3. Tests in \`tests/test_recipes.py\`, not in \`test_more.py\`, which the user finds too long.

## Keep in mind

- Only \`<\` may be used for comparing, in \`running_max\` too, because users have types with nothing but \`__lt__\`. I tried \`<=\`: TypeError for such a type.
- \`docs/versions.rst\` is off limits.
- The window (\`index - maxlen\`) is fine, I suspected it wrongly at first.

## Suggested skills

- \`tdd\`, \`code-review\`
`,
}
