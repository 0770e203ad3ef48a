import { commitCommand } from '../brief/commit-message.ts'
import { type Check, spanOf, warning, word } from './check.ts'
import type { Drafts, Latest } from './read-repo.ts'

const LATEST = '.handoff/latest.md'

/** `latest.md`: the pointer, which git sees, and below it the copy of the brief, which git does not see. */
export const latest: Check = {
  id: 'latest',
  about: 'latest.md says what it should',
  *lookIn({ latest: one, filter }, { call }) {
    yield* pointerProblems(one, call)
    if (one.state === 'ours' && filter.final === filter.wanted && one.isHidden)
      yield* copyProblems(one, `${call} status`)
  },
}

function* pointerProblems(one: Latest, call: string) {
  // What git has is the pointer alone; the next command writes the copy below it.
  const restore = one.isRightInHead ? `git checkout HEAD -- ${LATEST} && ${call} status` : null
  const create = 'The next `create` writes it again and keeps the present text aside.'
  if (one.state === null) {
    if (one.isTracked)
      yield warning(
        `${LATEST} is gone from the work tree`,
        'The next agent looks for it there.',
        `git checkout -- ${LATEST} && ${call} status`,
      )
  } else if (one.state === 'conflicted')
    yield warning(
      `${LATEST} holds the marks of a merge conflict`,
      restore === null ? create : 'It is the same on every branch, so either side is right.',
      restore,
    )
  else if (one.state === 'changed')
    yield warning(
      `${LATEST} is not the pointer that handoff wrote`,
      restore === null
        ? create
        : 'An agent that starts from it reads something else. This replaces the present text:',
      restore,
    )
  else if (one.isTracked && !one.isRight)
    yield warning(
      `${LATEST} was committed with a text of its own`,
      'git should hold only the pointer there, which is the same in every commit, so that branches never conflict. Where the filter works, git reports the file as changed, and checkout, reset and stash do not help. Every command of handoff cleans it, and the next `create` commits the pointer.',
    )
}

function* copyProblems({ isEdited, marker, current, branch }: Latest, fix: string) {
  if (isEdited) {
    yield warning(
      `${LATEST} was changed below its marker`,
      'git does not see that part. The next command of handoff keeps the text aside and writes the copy again:',
      fix,
    )
    return
  }
  if (marker === null ? current === null : marker.id === current && marker.branch === branch) return
  const open = current === null ? 'No brief is open here' : `The current brief here is ${current}`
  const copy =
    marker === null
      ? ''
      : `; the copy is ${marker.id === null ? 'of none' : `of ${marker.id}`} on ${marker.branch ?? 'a detached HEAD'}`
  yield warning(
    marker === null ? `${LATEST} does not hold the brief` : `${LATEST} holds an old copy`,
    `${open}${copy}. Every command of handoff updates it:`,
    fix,
  )
}

export const parked: Check = {
  id: 'parked',
  about: 'no brief is parked',
  *lookIn({ parked: briefs, operation, uncommitted: onDisk }) {
    for (const { id, path, branch, isHere, isGone } of briefs) {
      const isAny = branch === 'HEAD'
      const name = branch.replace(/^refs\/heads\//, '')
      const title = `a brief waits for ${isAny ? 'a branch' : name}: ${id}`
      // A file that is on disk already stands in the way of picking it.
      const take = onDisk.includes(path)
        ? commitCommand([path])
        : `git cherry-pick ${word(`refs/handoff/${id}`)}`
      if (isGone)
        yield warning(
          title,
          'That branch is gone, and no other one goes on from it. This makes it again, and the next handoff there adds the brief:',
          `git branch ${word(name)} refs/handoff/${id}~1`,
        )
      else if (operation !== null)
        yield warning(
          title,
          `It was made during a ${operation} that is not finished. The next handoff after that commits it.`,
          operation === 'bisect' ? 'git bisect reset' : `git ${operation} --continue`,
        )
      else
        yield warning(
          title,
          `The next handoff that commits ${isHere || isAny ? 'here' : 'there'} adds it first. To add it now:`,
          isHere || isAny ? take : `git switch ${word(name)} && ${take}`,
        )
    }
  },
}

/** Briefs on disk that no commit holds. */
export const uncommitted: Check = {
  id: 'uncommitted',
  about: 'every brief on disk is committed',
  *lookIn({ uncommitted: onDisk, drafts, operation, parked: briefs }) {
    // One that is parked is told as that.
    const paths = onDisk.filter((path) => !briefs.some((one) => one.path === path))
    if (paths.length > 0) {
      const isOne = paths.length === 1
      const listed = `${paths.slice(0, TOLD).join(', ')}${paths.length > TOLD ? ` and ${paths.length - TOLD} more` : ''}`
      const unless = operation === null ? '' : ` A ${operation} is not finished yet.`
      yield warning(
        isOne ? 'a brief is not committed' : `${paths.length} briefs are not committed`,
        `${listed}: only on this disk, so no other clone and no pull request has ${isOne ? 'it' : 'them'}.${unless}`,
        operation === null ? commitCommand(paths) : null,
      )
    }
    for (const { path, why } of drafts) {
      const next = why === 'edited' ? 'Take from it what you need' : 'Read it and hand over again'
      yield warning(WHY[why], `The text is kept in ${path}. ${next}, then remove it:`, `rm ${word(path)}`)
    }
  },
}

/** Names that are told; a folder may hold thousands. */
const TOLD = 3

const WHY: Record<Drafts[number]['why'], string> = {
  killed: 'a handoff was stopped before it had committed its brief',
  edited: 'the edit of a brief was cancelled, refused or stopped',
  failed: 'a brief could not be committed to its branch',
}

/** A request that nobody has answered for this long waits for nobody. In seconds. */
const LONG_UNANSWERED = 86_400

export const requests: Check = {
  id: 'requests',
  about: 'no request is stuck',
  *lookIn({ requests: open }, { call }) {
    for (const { id, agent, state, isSwitch, isStalled, ageSeconds } of open)
      if (isStalled)
        yield warning(
          `a switch has stopped: ${id}`,
          `Its state is "${state}", and the process that ran it is gone. If it made a brief, \`resume --to\` starts the successor.`,
          `${call} request --cancel ${id}`,
        )
      else if (!isSwitch && ageSeconds >= LONG_UNANSWERED)
        yield warning(
          `a request to ${agent} was never answered: ${id}`,
          `Its state has been "${state}" for ${spanOf(ageSeconds)}.`,
          `${call} request --cancel ${id}`,
        )
  },
}
