import { commitCommand } from '../brief/commit-message.ts'
import { shellWord } from '../text/shell-word.ts'
import { areWord, type Check, checkIn, error, type Problem, spanOf, warning, word } from './check.ts'
import type { Latest, RepoFacts } from './read-repo.ts'

const LATEST = '.handoff/latest.md'
const CLEAN = 'filter.handoff.clean'
/** Names that are listed; a folder may hold thousands. */
const MOST = 3
const DRAFTS: Record<RepoFacts['drafts'][number]['why'], string> = {
  killed: 'a handoff was stopped before it had committed its brief',
  edited: 'the edit of a brief was cancelled, refused or stopped',
  failed: 'a brief could not be committed to its branch',
}

/** What a repository must have for the next handoff, and what lies there unfinished. */
export const repositoryChecks: readonly Check[] = [
  checkIn('ignored', 'git does not ignore .handoff/', ({ ignored: rule }) =>
    rule === null
      ? []
      : [
          error(
            '.handoff/ is ignored by git',
            `The rule \`${rule.pattern}\` (${rule.source}:${rule.line}) keeps briefs out of every commit.`,
            rule.source.startsWith('.handoff/')
              ? // Nothing outside of a folder wins over the rules inside of it.
                `sed -i.bak '${rule.line}d' ${word(rule.source)}`
              : "printf '%s\\n' '!/.handoff/' '!/.handoff/**' >> .gitignore",
          ),
        ],
  ),
  checkIn('folder', '.handoff/ is a plain folder of handoff', ({ folder }) => {
    if (folder === null) return []
    const isBriefs = folder.message.startsWith('.handoff/briefs')
    return [
      error(
        folder.message,
        'handoff neither writes over files of others nor through links, so every handoff stops here. To move it away:',
        `mv ${isBriefs ? '.handoff/briefs .handoff-briefs' : '.handoff .handoff'}.before`,
      ),
    ]
  }),
  checkIn('locks', 'no lock is left over', ({ locks }) =>
    locks.map(({ path, ageSeconds }) =>
      error(
        `a lock is left over: ${path}`,
        `Nothing has touched it for ${spanOf(ageSeconds)}, and git writes nothing while it is there. If no git is running:`,
        `rm ${word(path)}`,
      ),
    ),
  ),
  checkIn('identity', 'git knows whose commits these are', ({ identity: { name, email } }) => {
    const missing = [
      ...(name === '' ? ['user.name "Your Name"'] : []),
      ...(email === '' ? ['user.email you@example.org'] : []),
    ]
    return missing.length === 0
      ? []
      : [
          warning(
            'git does not know who you are',
            `${missing.map((one) => one.split(' ')[0]).join(' and ')} ${areWord(missing)} not set. Briefs are still committed, by "handoff"; your own commits are refused.`,
            missing.map((one) => `git config --global ${one}`).join(' && '),
          ),
        ]
  }),
  // The filter hides the copy of the brief in `latest.md` from git; without a `latest.md` of ours there is nothing to hide.
  checkIn('filter', 'git hides the copy of the brief in latest.md', ({ filter, latest }) => {
    const { local, final, wanted } = filter
    if (latest.state !== 'ours') return []
    if (final === wanted)
      // Another attribute has a check of its own.
      return latest.isHidden || latest.attribute !== 'handoff'
        ? []
        : [
            warning(
              'the filter of latest.md does not work here',
              'git cannot run it, usually because `sed` is not on PATH. latest.md holds only the pointer, without a copy of the brief.',
            ),
          ]
    const isSeen = latest.marker !== null
    return [
      (isSeen ? error : warning)(
        `${CLEAN} is not ${final === null ? 'set' : 'what handoff sets'}`,
        isSeen
          ? 'git takes the copy of the brief in .handoff/latest.md for a change of yours and would commit it.'
          : 'latest.md holds only the pointer, without a copy of the brief. A fresh clone has no filter yet.',
        // A setting of this worktree alone comes last.
        final !== null && local === wanted
          ? `git config --worktree --unset-all ${CLEAN}`
          : `git config ${CLEAN} ${shellWord(wanted)}`,
      ),
    ]
  }),
  checkIn('attributes', 'the attributes of .handoff/ hold', ({ latest }, { call }) => {
    const { state, attribute, attributes } = latest
    if (state === null || (attributes.isThere && attribute === 'handoff')) return []
    return [
      attributes.isThere
        ? warning(
            'another attribute wins over .handoff/.gitattributes',
            `For ${LATEST} git uses the filter "${attribute ?? 'unspecified'}", so the copy of the brief in it is not hidden. To set it for this clone:`,
            `git_dir=$(git rev-parse --git-common-dir) && mkdir -p "$git_dir/info" && echo '/${LATEST} filter=handoff' >> "$git_dir/info/attributes"`,
          )
        : warning(
            '.handoff/.gitattributes is gone',
            'Without it git converts line ends of briefs and does not hide the copy in latest.md. Until that is committed, git uses the file in its index.',
            attributes.isInHead ? 'git checkout HEAD -- .handoff/.gitattributes' : `${call} init --yes`,
          ),
    ]
  }),
  checkIn('latest', 'latest.md says what it should', ({ latest, filter }, { call }) => {
    const isCopied = latest.state === 'ours' && filter.final === filter.wanted && latest.isHidden
    return [pointerProblem(latest, call), isCopied ? copyProblem(latest, call) : null].flatMap(
      (one) => one ?? [],
    )
  }),
  checkIn('parked', 'no brief is parked', ({ parked, operation, uncommitted }) =>
    parked.map(({ id, path, branch, isHere, isGone }) => {
      const isAny = branch === 'HEAD'
      const name = branch.replace(/^refs\/heads\//, '')
      const title = `a brief waits for ${isAny ? 'a branch' : name}: ${id}`
      if (isGone)
        return warning(
          title,
          'That branch is gone, and no other one goes on from it. This makes it again, and the next handoff there adds the brief:',
          `git branch ${word(name)} refs/handoff/${id}~1`,
        )
      if (operation !== null)
        return warning(
          title,
          `It was made during a ${operation} that is not finished. The next handoff after that commits it.`,
          operation === 'bisect' ? 'git bisect reset' : `git ${operation} --continue`,
        )
      // A file that is on disk already stands in the way of picking it.
      const take = uncommitted.includes(path)
        ? commitCommand([path])
        : `git cherry-pick ${word(`refs/handoff/${id}`)}`
      const go = isHere || isAny ? '' : `git switch ${word(name)} && `
      return warning(
        title,
        'The next handoff that commits to that branch adds it first. To add it now:',
        go + take,
      )
    }),
  ),
  checkIn(
    'uncommitted',
    'every brief on disk is committed',
    ({ uncommitted, drafts, operation, parked: waiting }) => {
      // A parked one has a check of its own.
      const paths = uncommitted.filter((path) => !waiting.some((one) => one.path === path))
      const listed = `${paths.slice(0, MOST).join(', ')}${paths.length > MOST ? ` and ${paths.length - MOST} more` : ''}`
      const onDisk = warning(
        paths.length === 1 ? 'a brief is not committed' : `${paths.length} briefs are not committed`,
        `${listed}: only on this disk, so no other clone and no pull request has it.${operation === null ? '' : ` A ${operation} is not finished yet.`}`,
        operation === null ? commitCommand(paths) : null,
      )
      const kept = drafts.map(({ path, why }) => {
        const next = why === 'edited' ? 'Take from it what you need' : 'Read it and hand over again'
        const detail = `The text is kept in ${path}. ${next}, then remove it:`
        return warning(DRAFTS[why], detail, `rm ${word(path)}`)
      })
      return paths.length === 0 ? kept : [onDisk, ...kept]
    },
  ),
  checkIn('refspecs', 'fetch brings the briefs there are', ({ lacksRefspec }) =>
    lacksRefspec
      ? [
          warning(
            'fetch leaves out the branches of briefs',
            'Briefs are kept on branches of their own (`handoff/<branch>`), and this clone fetches only some branches.',
            "git config --add remote.origin.fetch '+refs/heads/handoff/*:refs/remotes/origin/handoff/*'",
          ),
        ]
      : [],
  ),
  checkIn('origin-trust', 'trust in origin holds', ({ origin: { url, trusted } }, { call }) => {
    if (trusted === null || trusted === url) return []
    return [
      url === null
        ? warning(
            'the trusted origin is gone',
            `It was at ${trusted}. No brief is trusted because of it any more.`,
            `${call} trust --origin --revoke`,
          )
        : warning(
            'origin has moved since it was trusted',
            `It was trusted at ${trusted} and is now at ${url}, so its briefs are not shown to an agent. If that is right:`,
            `${call} trust --origin`,
          ),
    ]
  }),
]

/** `latest.md` itself, which git sees: it holds the pointer alone, and the next command writes the copy below it. */
function pointerProblem({ state, isTracked, isRight, isRightInHead }: Latest, call: string): Problem | null {
  const restore = isRightInHead ? `git checkout HEAD -- ${LATEST} && ${call} status` : null
  const again = 'The next `create` writes it again and keeps the present text aside.'
  if (state === null)
    return isTracked
      ? warning(
          `${LATEST} is gone from the work tree`,
          'The next agent looks for it there.',
          `git checkout -- ${LATEST} && ${call} status`,
        )
      : null
  if (state === 'conflicted')
    return warning(
      `${LATEST} holds the marks of a merge conflict`,
      restore === null ? again : 'It is the same on every branch, so either side is right.',
      restore,
    )
  if (state === 'changed')
    return warning(
      `${LATEST} is not the pointer that handoff wrote`,
      restore === null ? again : 'This replaces the present text, which an agent would start from:',
      restore,
    )
  return !isTracked || isRight
    ? null
    : warning(
        `${LATEST} was committed with a text of its own`,
        'git should hold only the pointer there, which is the same in every commit, so that branches never conflict. Where the filter works, git reports the file as changed, and checkout, reset and stash do not help. Every command of handoff cleans it, and the next `create` commits the pointer.',
      )
}

/** The copy of the brief below the pointer, which git does not see. */
function copyProblem({ isEdited, marker, current, branch }: Latest, call: string): Problem | null {
  const isFresh = marker === null ? current === null : marker.id === current && marker.branch === branch
  if (isFresh && !isEdited) return null
  return warning(
    isEdited ? `${LATEST} was changed below its marker` : `${LATEST} holds an old copy`,
    `${current === null ? 'No brief is open here' : `The current brief here is ${current}`}. Every command of handoff writes the copy again, and keeps a text of yours aside:`,
    `${call} status`,
  )
}
