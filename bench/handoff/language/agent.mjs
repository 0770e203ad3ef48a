/** How the agent talks between its calls. */
export const SAYS = {
  before: [
    'I will read {file} first.',
    'Let me see what {file} does today.',
    'Looking at {file}.',
    'First the code in {file}, then the callers.',
    '',
    '',
  ],
  after: [
    'I changed {file}: {topic} now goes through one function, and the early return is gone.',
    'Done. {file} handles {topic} without the second lookup.',
    '{file} is adjusted. The branch for empty input was never reached, so I took it out.',
    'That was a small one: in {file} the comparison was the wrong way round.',
    'I moved the condition in {file} up, so that {topic} no longer depends on the order of calls.',
    'Changed {file}. I left the callers as they are.',
    'Both places in {file} now use the same helper; {topic} reads better for it.',
  ],
  answer: [
    '{file} reads the value once and keeps it until the process ends. There is one caller, in the worker.',
    'In {file} an empty list falls through to the default, which is what the tests expect.',
    'It depends on the configuration: {file} asks for it on each call. I see no lock.',
    'There is one test for it, and it only looks at the happy case.',
    'As far as I can tell from {file}, the order is by insertion, and nobody relies on it.',
  ],
  committed: ['Committed.', 'Committed as {commit}.', 'That is commit {commit}.'],
  pushed: ['Pushed.', 'Pushed to origin.', 'It is on the remote now.'],
  passed: ['The tests pass.', 'All green.', 'That run is clean.', 'No failures.'],
  failed: [
    'One test fails: {test}.',
    'There is a failure in {test}.',
    '{test} fails, I will look into it.',
    'Not yet: {test} is red.',
  ],
  mended: ['{test} passes again.', 'That mended {test}; the run is green.', 'Fixed, {test} is green now.'],
  noted: ['Understood.', 'Noted, I will keep to that.', 'All right.', 'Will do.', 'Clear.'],
  nodded: ['I will go on.', 'Good. Next I look at the callers.', 'All right, continuing.', 'Thanks.'],
  removed: [
    '{file} is gone, nothing imported it.',
    'I removed {file}.',
    'Deleted {file}; the build does not miss it.',
  ],
  moved: ['{from} is now {to}.', 'I renamed {from} to {to} and fixed the imports.', 'Moved {from} to {to}.'],
  added: ['I added {file} for {topic}.', '{file} is new and holds {topic}.', 'New file: {file}.'],
  undone: [
    'I tried something in {file} and took it back, it made no difference.',
    'The experiment in {file} is undone.',
  ],
}

export const DETAILS = [
  'About one in forty comes out a cent too low.',
  'It only happens when two people press the button at the same time.',
  'The second page shows the rows of the first one again.',
  'After a restart the first answer takes six seconds.',
  'An empty name is accepted, and the next step falls over it.',
  'Support has three tickets about it since Monday.',
  'The numbers of the two views differ by the returns.',
  'On a phone the last column is cut off.',
  'It works on my machine and not on the runner.',
  'The file from Lisbon has a different encoding again.',
  'If the connection breaks in the middle, half of it stays behind.',
  'The log says done before it is done.',
  'Sorting by date puts the ones without a date first.',
  'Somebody pasted a value with a trailing blank.',
  'Yesterday it counted the same delivery twice.',
  'The warning comes twice and the error not at all.',
  'With more than a thousand entries it gets really slow.',
  'The old name still shows up in two places.',
  'There is a comment that says the opposite of the code.',
  'It rounds before it adds, I believe it should be the other way round.',
]

/** A prompt that is used again and again, with one sentence of its own at times. */
export const LOOP = `Take the next entry of the list, number {n}. Read the part of {file} that it names, compare it with what the older version did, and write down in two sentences what differs and whether anybody can notice. If the difference is wanted, leave it. If it is not, change it in the smallest way and show me the lines before and after. {rule}When you are done, tell me how many entries are left and which of them look similar, so that we can take those together and do not go over the same ground again.`

/** Long requests around a rule that stands somewhere in the middle. */
export const AROUND = [
  [
    'I went through the numbers with accounting this morning. Most of it fits, the rest is in the second sheet, and I marked the lines that I do not understand.',
    'Start with the first three of them and tell me what they have in common before you change anything.',
  ],
  [
    'We talked about it again at lunch. There are two ways to go about it and we could not agree, so I would like to see the smaller one first.',
    'If it turns out to be more than an hour of work, stop and tell me what is left.',
  ],
  [
    'There was a question from the other office on how the second step behaves when the first one is skipped. I could not answer it.',
    'Find out, and put the answer into the pull request later.',
  ],
  [
    'The trace that I pasted yesterday was from the wrong day. Here is what I remember of the right one: three calls, the second of them twice as long as the others.',
    'See whether the code explains that.',
  ],
]
