/**
 * Which files a document says were created, changed, deleted or renamed, against git. A path counts as told if a word of change stands in its
 * sentence, or above it in the line or heading that leads the list; a path that is only named or read does not.
 */
const VERBS = [
  [
    'created',
    /\b(?:created?|creates|creating|new(?: file)?|(?<!git )add(?:ed|s)?|untracked)\b|\?\?|\bcat >/gi,
  ],
  [
    'changed',
    /\b(?:edit(?:s|ed|ing)?|chang(?:e|es|ed|ing)|modif(?:y|ied|ies)|updat(?:e|es|ed)|touch(?:ed|es)?|adjusted|rewr(?:ote|itten)|fixed|replace|uncommitted|sed -i)\b/gi,
  ],
  ['written', /\b(?:wr(?:ote|itten|ite|ites)|write_file)\b/gi],
  [
    'deleted',
    /\b(?:delet(?:e|es|ed|ing)|remov(?:e|es|ed|ing)|gone|no longer (?:here|exists?)|(?:git )?rm)\b/gi,
  ],
  ['renamed', /\b(?:renam(?:e|es|ed|ing)|moved?|moves|is now|(?:git )?mv)\b|→|=>|->/gi],
]
const CODES = { A: 'created', '??': 'created', M: 'changed', D: 'deleted', R: 'renamed' }
/** `git diff --stat`: "path | 3 ++-" and "folder/{old => new} | 0". */
const STAT = /\|\s+(?:\d+ [+-]+|Bin \d+ -> \d+ bytes)$/
const FOLDED = /(\S*)\{(\S*) => (\S*)\}(\S*)/
const NOT = /\b(?:not|never|without|don't|didn't|no)\s+(?:\w+\s+){0,2}$/i

export function scoreArtefacts(doc, { files, known }) {
  const told = toldFiles(doc, [
    ...new Set([...known, ...files.flatMap(({ path, from }) => [path, from ?? path])]),
  ])
  const truth = new Map(files.map((file) => [file.path, file]))
  const renamedFrom = new Set(files.map(({ from }) => from).filter(Boolean))
  const missed = files.filter(
    ({ path, from }) => !told.has(path) && !(from && told.get(from)?.has('renamed')),
  )
  // The old name of a renamed file may be told as deleted.
  const invented = [...told].filter(
    ([path, kinds]) => !truth.has(path) && !renamedFrom.has(path) && !isUndone(kinds),
  )
  const right = files.length - missed.length
  const exact = files.filter((file) => kindsOf(told, file).has(file.kind))
  return {
    right,
    missed: missed.map(({ path, kind }) => `${kind} ${path}`),
    invented: invented.map(([path, kinds]) => `${[...kinds].join('/')} ${path}`),
    exact: exact.length,
    inexact: files
      .filter((file) => !exact.includes(file) && !missed.includes(file))
      .map((file) => `${file.kind} ${file.path}, told as ${[...kindsOf(told, file)].join('/')}`),
    all: files.length,
  }
}

const kindsOf = (told, { path, from }) =>
  new Set([...(told.get(path) ?? []), ...(from && told.get(from)?.has('renamed') ? ['renamed'] : [])])

/** Created and deleted again, both told. */
const isUndone = (kinds) => kinds.has('deleted') && (kinds.has('created') || kinds.has('changed'))

function toldFiles(doc, paths) {
  const told = new Map()
  const add = (path, kind) => {
    if (!told.has(path)) told.set(path, new Set())
    for (const one of kind === 'written' ? ['created', 'changed'] : [kind]) told.get(path).add(one)
  }
  const names = new Map(paths.map((path) => [path, patternOf(path)]))
  for (const line of doc.lines) {
    const text = line.text.replace(FOLDED, '$1$2$4 => $1$3$4')
    if (!paths.some((path) => text.includes(path.split('/').at(-1)))) continue
    const code = STAT.test(text) ? 'M' : /^\s*(?:[-*]\s*)?`?(\?\?|[AMDR])\d*\s+\S/.exec(text)?.[1]
    for (const sentence of text.split(/(?<=[.;!?])\s+/)) {
      const found = [...names].flatMap(([path, pattern]) =>
        [...sentence.matchAll(pattern)].map((match) => ({
          path,
          at: match.index,
          end: match.index + match[0].length,
        })),
      )
      if (found.length === 0) continue
      found.sort((a, b) => a.at - b.at)
      const verbs = verbsIn(sentence, found)
      const outside = code ? CODES[code] : (kindOfText(line.lead) ?? kindOfText(line.heading))
      const pairs = renamesIn(sentence, found)
      const commands = [...sentence.matchAll(/`[^`]*\s[^`]*`/g)].map(({ index, 0: text }) => [
        index,
        index + text.length,
      ])
      for (const one of found) {
        if (pairs.has(one)) add(one.path, 'renamed')
        // What is said of a command is not said of the file in it.
        const command = commands.find(([from, to]) => one.at > from && one.end < to)
        const own = command ? verbs.filter(({ at }) => at > command[0] && at < command[1]) : verbs
        if (command && own.length === 0) continue
        const some = own.length === 0 ? [] : verbsFor(one, found, own)
        // A file that "moved" without a second name was changed.
        if (!pairs.has(one))
          for (const kind of some.length > 0 ? some : [outside].filter(Boolean))
            add(one.path, kind === 'renamed' ? 'changed' : kind)
      }
    }
  }
  return told
}

const BETWEEN = /^[^.;]{0,40}(?:→|=>|->|\brenam\w+|\bmoved\b|\bis now\b)[^.;]{0,40}$/i
const BEFORE = /\b(?:renam\w+|mov\w+|mv)\W{0,4}$/i

/** Two names of one file: "a → b", "b, renamed from a", "renamed a to b", "mv a b". */
function renamesIn(sentence, found) {
  const pairs = new Set()
  for (const [n, one] of found.entries()) {
    const next = found[n + 1]
    if (!next || pairs.has(one)) continue
    const between = sentence.slice(one.end, next.at)
    const isPair =
      BETWEEN.test(between) ||
      (/^\W*(?:to|as)?\W*$/.test(between) && !between.includes(',') && BEFORE.test(sentence.slice(0, one.at)))
    if (isPair) for (const each of [one, next]) pairs.add(each)
  }
  return pairs
}

/** Before a verb come its objects in a list ("`a`, `b`: edited"), after it in a sentence ("edited a and b"). */
function verbsFor(one, found, verbs) {
  if (verbs[0].at < found[0].at) return [verbs.findLast(({ at }) => at < one.at).kind]
  const next = verbs.findIndex(({ at }) => at > one.at)
  if (next === -1) return [verbs.at(-1).kind]
  const until = found.find(({ at }) => at > verbs[next].at)?.at ?? Infinity
  return verbs
    .slice(next)
    .filter(({ at }) => at < until)
    .map(({ kind }) => kind)
}

function verbsIn(sentence, found) {
  return VERBS.flatMap(([kind, pattern]) =>
    [...sentence.matchAll(pattern)].map(({ index }) => ({ kind, at: index })),
  )
    .filter(
      ({ at }) => !found.some((one) => at >= one.at && at < one.end) && !NOT.test(sentence.slice(0, at)),
    )
    .sort((a, b) => a.at - b.at)
}

const kindOfText = (text) => VERBS.find(([, pattern]) => new RegExp(pattern.source, 'i').test(text))?.[0]

/** The whole path, also below a folder that the agent named in full; a bare name only if it is a name of few. */
function patternOf(path) {
  return new RegExp(
    `(?<![\\w.-])(?:/[\\w./-]*/)?${path.replace(/[.*+?^$()|[\]{}]/g, '\\$&')}(?![\\w/-])(?!\\.\\w)`,
    'g',
  )
}
