import { check, type Problem, warning } from '../check.ts'
import type { Installed } from '../facts.ts'

export const PACKAGE = 'git-handoff'

/** What stands for `handoff` on PATH is this program, in this version. */
export const program = check({
  id: 'program',
  about: 'handoff on PATH is this program',
  fine: ({ onPath, call }) =>
    onPath.handoff?.path ??
    onPath.gitHandoff?.path ??
    `It is not on PATH, which no hook needs; \`${call}\` runs it.`,
  look: ({ onPath, version }) => {
    const { handoff, gitHandoff } = onPath
    const strange: Problem[] =
      handoff === null || isOurs(handoff)
        ? []
        : [
            warning(
              '`handoff` is another program here',
              `${handoff.path} belongs to ${handoff.name === null ? 'no package that is known' : `the package ${handoff.name}`}, not to ${PACKAGE}. \`git-handoff\` and \`git handoff\` always mean this one.`,
              handoff.name === null
                ? `npm install --global ${PACKAGE}`
                : `npm uninstall --global ${handoff.name} && npm install --global ${PACKAGE}`,
            ),
          ]
    const found = [handoff, gitHandoff].find((one) => one !== null && isOurs(one) && one.version !== version)
    if (!found) return strange
    return [
      ...strange,
      warning(
        `handoff ${found.version ?? 'of another version'} is on PATH, ${version} runs`,
        `${found.path} is what you and your agents call; two versions may not agree.`,
        `npm install --global ${PACKAGE}@${version}`,
      ),
    ]
  },
})

/** A program of which nobody can tell whose it is, is not called a stranger's when it lies in a package of ours. */
export const isOurs = ({ name }: Installed): boolean => name === PACKAGE
