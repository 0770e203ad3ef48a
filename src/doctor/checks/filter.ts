import { shellWord } from '../../text/shell-word.ts'
import { error, repositoryCheck, warning } from '../check.ts'

const KEY = 'filter.handoff.clean'

/** The filter that hides the copy of the brief in `latest.md` from git. */
export const filter = repositoryCheck({
  id: 'filter',
  about: 'git hides the copy of the brief in latest.md',
  look({ filter: { local, final, wanted }, latest }) {
    // Without a `latest.md` of ours there is nothing to hide.
    if (latest.state !== 'ours') return null
    // Another attribute is told by its own check.
    if (final === wanted && (latest.isHidden || latest.attribute !== 'handoff')) return []
    if (final === wanted)
      return [
        warning(
          'the filter of latest.md does not work here',
          'git cannot run it, mostly because `sed` is not on PATH, so latest.md stays the pointer alone and the brief is not written below it.',
          null,
        ),
      ]
    const set = `git config ${KEY} ${shellWord(wanted)}`
    const isSeen = latest.marker !== null
    const told = isSeen ? error : warning
    const means = isSeen
      ? 'git takes the copy of the brief in .handoff/latest.md for a change of yours and would commit it.'
      : 'latest.md stays the pointer alone; the brief is not written below it. A fresh clone has no filter yet.'
    if (final === null) return [told(`${KEY} is not set`, means, set)]
    return [
      told(
        `${KEY} is not what handoff sets`,
        means,
        // A setting of this worktree alone comes last.
        local === wanted ? `git config --worktree --unset-all ${KEY}` : set,
      ),
    ]
  },
})
