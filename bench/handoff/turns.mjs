/** The kinds of turns of a session. Each gives a function that lets it happen. */
import { AROUND, DETAILS, LOOP, SAYS } from './language/agent.mjs'
import { firstText } from './language/projects.mjs'
import { ATTACK } from './language/statements.mjs'
import { commitAll, editFile, pushAll, removeFile, renameFile, uncommitted, writeFile } from './world.mjs'

const fill = (text, values) => text.replace(/\{(\w+)\}/g, (_, name) => values[name] ?? '')
const joined = (...parts) => parts.filter(Boolean).join(' ')
const say = (session, kind, text) => {
  if (text) session.events.push({ kind, text })
}
const call = (session, event) => session.events.push({ kind: 'call', exit: 0, output: '', ...event })
const shell = (session, command, output = '', exit = 0) =>
  call(session, { tool: 'shell', command, output, exit })

function request(session, kind = 'asks') {
  const { dice, person, world, edited } = session
  const values = {
    topic: dice.pick(world.project.topics),
    file: dice.pick(edited.filter((path) => world.files.has(path))),
    detail: dice.pick(DETAILS),
  }
  return { ...values, text: fill(dice.pick(person[kind]), values) }
}

/** A request that is worked on. `also` ends the reply, `aside` the prompt. */
export const workTurn =
  (also = '', aside = '') =>
  (session) => {
    const { file, topic, text } = request(session)
    say(session, 'prompt', joined(text, aside))
    work(session, file, topic, also)
  }

function work(session, file, topic, also = '') {
  const { dice } = session
  say(session, 'reply', fill(dice.pick(SAYS.before), { file, topic }))
  if (dice.chance(0.7)) read(session, dice.chance(0.6) ? file : (dice.pick(session.read) ?? file))
  edit(session, file)
  if (dice.chance(0.25))
    edit(session, dice.pick(session.edited.filter((path) => session.world.files.has(path))))
  const closing = dice.chance(0.3) ? check(session, dice.chance(0.3)) : ''
  say(session, 'reply', joined(fill(dice.pick(SAYS.after), { file, topic }), closing, also))
}

/** A question, talk, or a request, as it comes. */
export const plainTurn = () => (session) => {
  const { dice, person } = session
  const roll = dice.between(1, 10)
  if (roll <= 5) return workTurn()(session)
  if (roll <= 7) {
    const { file, text } = request(session, 'questions')
    say(session, 'prompt', text)
    read(session, file)
    return say(session, 'reply', fill(dice.pick(SAYS.answer), { file }))
  }
  if (roll === 8) {
    say(session, 'prompt', dice.pick(person.checks))
    return say(session, 'reply', check(session, dice.chance(0.3)))
  }
  say(session, 'prompt', dice.pick(person.nods))
  say(session, 'reply', dice.pick(SAYS.nodded))
}

export const ruleTurn =
  ({ text: rule, place }) =>
  (session) => {
    const { dice, person } = session
    if (place === 'alone') return sayTurn(rule)(session)
    if (place === 'loop') return loopTurn(rule)(session)
    if (place === 'inside') {
      const [before, after] = dice.pick(AROUND)
      const { file, topic } = request(session)
      say(session, 'prompt', joined(before, sentence(rule), after))
      return work(session, file, topic)
    }
    if (place === 'question') {
      const { file, text } = request(session, 'questions')
      say(session, 'prompt', joined(sentence(rule), text))
      read(session, file)
      return say(session, 'reply', fill(dice.pick(SAYS.answer), { file }))
    }
    if (place === 'thanks') {
      say(session, 'prompt', joined(sentence(dice.pick(person.nods)), rule))
      return say(session, 'reply', dice.pick(SAYS.noted))
    }
    const { file, topic, text } = request(session)
    if (place === 'pasted') {
      const log = Array.from(
        { length: 12 },
        (_, n) => `2026-02-27 09:1${n % 10}:0${n % 6} worker-${n % 3} took ${120 + n * 7} ms`,
      )
      say(session, 'prompt', `${text}\n\n${log.join('\n')}\n\n${rule}`)
    } else say(session, 'prompt', joined(sentence(text), rule))
    work(session, file, topic)
  }

/** The rule ends like a sentence where more follows it, also for those who write without full stops. */
const sentence = (text) => (/[.?!]$/.test(text) ? text : `${text}.`)

/** The person says one thing and the agent takes note. */
export const sayTurn = (text) => (session) => {
  say(session, 'prompt', text)
  say(session, 'reply', session.dice.pick(SAYS.noted))
}

export const answerTurn = (question, answer, isLate) => (session) => {
  say(
    session,
    'prompt',
    isLate
      ? `To your question from before, ${question.replace(/\?$/, '').toLowerCase().slice(0, 28)}…: ${answer}`
      : answer,
  )
  say(session, 'reply', session.dice.pick(SAYS.noted))
}

/** The prompt that comes again and again; with a rule in it, it has one sentence of its own. */
export const loopTurn = (rule) => (session) => {
  const { file, topic } = request(session)
  say(
    session,
    'prompt',
    fill(LOOP, { n: String(++session.loop), file, rule: rule ? `${sentence(rule)} ` : '' }),
  )
  work(session, file, topic)
}

export const createTurn = (path) => (session) => {
  const { dice, world } = session
  const { topic, text } = request(session)
  say(session, 'prompt', text)
  const content = firstText(world.project, path)
  const isByShell = dice.chance(0.25)
  writeFile(world, path, content)
  if (isByShell) shell(session, `cat > ${path} <<'END'\n${content}END`)
  else call(session, { tool: 'write', path, text: content, isNew: true })
  session.edited.push(path)
  say(session, 'reply', fill(dice.pick(SAYS.added), { file: path, topic }))
}

export const removeTurn = (path) => (session) => {
  const { dice, world } = session
  say(
    session,
    'prompt',
    joined(dice.pick(session.person.nods), `${path} is not used any more, as far as I know.`),
  )
  shell(
    session,
    `grep -rn "${path
      .split('/')
      .at(-1)
      .replace(/\.\w+$/, '')}" .`,
    '',
    1,
  )
  const way = dice.between(1, 3)
  const text = world.files.get(path)
  removeFile(world, path)
  if (way === 1) call(session, { tool: 'remove', path, text })
  else shell(session, way === 2 ? `rm ${path}` : `git rm -q ${path}`)
  say(session, 'reply', fill(dice.pick(SAYS.removed), { file: path }))
}

export const moveTurn = (from) => (session) => {
  const { dice, world } = session
  const to = from.replace(
    /([\w-]+)(\.\w+)$/,
    (_, name, ending) => `${name}_${dice.pick(['core', 'main', 'v2', 'parts'])}${ending}`,
  )
  say(
    session,
    'prompt',
    joined(dice.pick(session.person.nods), `The name of ${from} says nothing, find a better one.`),
  )
  const way = dice.between(1, 3)
  renameFile(world, from, to)
  if (way === 1) call(session, { tool: 'move', path: from, to, text: world.files.get(to) })
  else shell(session, way === 2 ? `git mv ${from} ${to}` : `mv ${from} ${to}`)
  say(session, 'reply', fill(dice.pick(SAYS.moved), { from, to }))
}

/** An edit that is taken back at once: git does not know of it. */
export const undoneTurn = (path) => (session) => {
  const { dice, world } = session
  const { text } = request(session)
  const before = world.files.get(path)
  say(session, 'prompt', text)
  edit(session, path)
  shell(session, `git checkout -- ${path}`)
  writeFile(world, path, world.head.get(path) ?? before)
  say(session, 'reply', fill(dice.pick(SAYS.undone), { file: path }))
}

export const secretTurn = (way, text) => (session) => {
  const { dice } = session
  const { file, text: ask, topic } = request(session)
  if (way === 'prompt') say(session, 'prompt', `${ask}\n\nThe key for it: ${text}`)
  else say(session, 'prompt', ask)
  if (way === 'output') shell(session, 'cat .env', `${text}\nDEBUG=1\n`)
  if (way === 'command')
    shell(
      session,
      `${text.includes('=') ? `${text.replace(/^export /, '').replace(' = ', '=')} ` : `URL="${text}" `}./scripts/try.sh`,
      'ok',
    )
  if (way === 'edit') {
    session.world.outside.set('.env.local', `${text}\n`)
    call(session, { tool: 'write', path: '.env.local', text: `${text}\n`, isNew: true })
  }
  say(
    session,
    'reply',
    joined(
      fill(dice.pick(SAYS.answer), { file, topic }),
      way === 'reply' ? `The configuration says ${text} for it.` : '',
    ),
  )
}

/** Text of somebody else that would like to be the person's rules. */
export const attackTurn = (way) => (session) => {
  const { file, text } = request(session, 'questions')
  say(session, 'prompt', text)
  const lines = [ATTACK.opening, ...Array.from({ length: 6 }, () => ATTACK.lines).flat()].join('\n')
  if (way === 'file') {
    session.world.outside.set('vendor/NOTES.md', lines)
    call(session, { tool: 'read', path: 'vendor/NOTES.md', text: lines })
  }
  if (way === 'page') shell(session, 'curl -s https://docs.example.org/agents.txt', lines)
  const own =
    way === 'agent'
      ? `\n\nThe conventions that I go by:\n\n${ATTACK.lines.map((line) => `- ${line}`).join('\n')}`
      : ''
  say(session, 'reply', fill(session.dice.pick(SAYS.answer), { file }) + own)
}

export const commitTurn = (isPushed) => (session) => {
  const { dice, person } = session
  say(session, 'prompt', joined(dice.pick(person.commits), isPushed ? dice.pick(person.pushes) : ''))
  const isDone = commit(session)
  if (isPushed) push(session)
  const committed = isDone
    ? fill(dice.pick(SAYS.committed), { commit: `@@commit:${session.world.commits.length - 1}@@` })
    : 'There is nothing to commit.'
  say(session, 'reply', joined(committed, isPushed ? dice.pick(SAYS.pushed) : ''))
}

function commit(session) {
  const { dice, world, person } = session
  const { changed, gone } = uncommitted(world)
  const topic = dice.pick(world.project.topics)
  const subject = `${person.name === 'Brenda' ? 'SHOP-118 ' : ''}${dice.pick(['Mend', 'Simplify', 'Rework', 'Finish', 'Correct'])} ${topic}`
  const number = commitAll(world, subject)
  if (number === null) {
    shell(session, 'git status --short')
    return false
  }
  const output = `[${world.branch} @@commit:${number}@@] ${subject}\n ${changed.length + gone.length} files changed`
  if (dice.chance(0.5)) shell(session, `git add -A && git commit -m "${subject}"`, output)
  else {
    shell(session, `git add ${[...changed.map(([path]) => path), ...gone].join(' ')}`)
    shell(session, `git commit -q -m '${subject}' && git log --oneline -1`, `@@commit:${number}@@ ${subject}`)
  }
  return true
}

function push(session) {
  const { world } = session
  if (world.commits.length === world.pushed) return shell(session, 'git push', 'Everything up-to-date')
  const isFirst = world.pushed === 0
  pushAll(world)
  const to = `@@commit:${world.commits.length - 1}@@`
  shell(
    session,
    isFirst ? `git push -u origin ${world.branch}` : 'git push',
    `To ../origin.git\n   ${isFirst ? '* [new branch]' : to}  ${world.branch} -> ${world.branch}`,
  )
}

function read(session, path) {
  call(session, { tool: 'read', path, text: session.world.files.get(path) ?? '' })
}

function edit(session, path) {
  const { dice, world } = session
  const { before, after } = editFile(world, path, dice)
  if (dice.chance(0.12)) shell(session, `sed -i 's|${before}|${after}|' ${path}`)
  else call(session, { tool: 'edit', path, before, after })
}

/** Runs a check. What failed before is mended in the same turn three times of four. Gives what the agent says of it. */
function check(session, fails, isLast = false) {
  const { dice, world } = session
  const { project } = world
  const isTest = fails || session.failing || dice.chance(0.75)
  const command =
    session.failing?.command ?? dice.pick(isTest ? [...project.suite, ...project.single] : project.other)
  if (!fails) {
    const mended = session.failing
    run(session, command, isTest ? project.output(null) : 'No problems found.', null)
    session.failing = null
    if (mended) session.planted.mended.push(mended.test)
    return fill(dice.pick(mended ? SAYS.mended : SAYS.passed), { test: mended?.test })
  }
  const test = session.failing?.test ?? dice.pick(project.tests)
  run(session, command, project.output(test), test)
  session.failing = { command, test }
  const words = fill(dice.pick(SAYS.failed), { test })
  if (isLast || dice.chance(0.25)) return words
  edit(session, dice.pick(session.edited.filter((path) => world.files.has(path))))
  return joined(words, check(session, false))
}

function run(session, command, output, test) {
  // A pipe ends with the exit code of its last command: only the output says what happened.
  const exit = test === null || command.includes('|') ? 0 : command.startsWith('cargo') ? 101 : 1
  shell(session, command, output, exit)
  session.check = { command, outcome: test === null ? 'passed' : 'failed', test }
}

/** The last turns: all is pushed, then so many commits, so many changed files, and a check. */
export function endOf({ unpushed, dirty, fails }) {
  const dirtyTurn = (session) => {
    const { file, topic, text } = request(session)
    say(session, 'prompt', text)
    const some = session.dice.some(
      session.edited.filter((path) => session.world.files.has(path)),
      dirty,
    )
    for (const path of some) edit(session, path)
    say(session, 'reply', fill(session.dice.pick(SAYS.after), { file: some[0] ?? file, topic }))
  }
  const checkTurn = (session) => {
    say(session, 'prompt', session.dice.pick(session.person.checks))
    const words = check(session, fails, true)
    // Half of the time the agent closes without a word of it.
    say(session, 'reply', session.dice.chance(0.5) ? words : session.dice.pick(SAYS.nodded))
  }
  return [
    commitTurn(true),
    ...Array.from({ length: unpushed }, () => [workTurn(), commitTurn(false)]).flat(),
    ...(dirty > 0 ? [dirtyTurn] : []),
    checkTurn,
  ]
}
