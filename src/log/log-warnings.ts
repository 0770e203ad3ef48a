import type { Chain, ChainNode } from '../brief/chain.ts'
import type { WholeChain } from '../briefs/read-chain.ts'
import { shortSha } from '../text/count.ts'
import { exactLine } from '../text/safe-text.ts'

/** Of one kind so many are told one by one. */
const MOST = 5

/** What a person should know of a chain that is not as it should be. None of it is an error: history is what it is. */
export function chainWarnings(
  { nodes, unreadable, broken }: WholeChain,
  { missing, cycles }: Chain<ChainNode>,
  isShallow: boolean,
): string[] {
  const cut = isShallow ? '; this clone is shallow, `git fetch --unshallow` brings the rest' : ''
  return [
    ...(broken === null
      ? []
      : [
          `git could not walk all of history, so briefs that stand in no tree any more may be missing: ${broken}`,
        ]),
    ...some(cycles, (cycle) => `these briefs are their own ancestors: ${circle(cycle)}`, 'circles'),
    ...some(
      missing,
      ({ id, parent }) => `the parent ${parent} of ${id} is not in the history that is here${cut}`,
      'parents that are not here',
    ),
    ...some(
      nodes.filter(({ duplicate }) => duplicate),
      (node) =>
        `several files have the id ${node.id}: told is ${node.path}, the others are ${others(node, false)}`,
      'ids of several files',
    ),
    ...some(
      nodes.filter(({ edited }) => edited),
      (node) =>
        `${node.id} was changed after it was committed: told is the version of ${shortSha(node.commit)}, changed by ${others(node, true)}`,
      'changed briefs',
    ),
    ...some(
      unreadable,
      ({ path, commit, why }) =>
        `${exactLine(path)} (commit ${shortSha(commit)}) is no brief: ${exactLine(why)}`,
      'files that are no briefs',
    ),
  ]
}

const some = <T>(all: readonly T[], line: (one: T) => string, what: string): string[] => [
  ...all.slice(0, MOST).map(line),
  ...(all.length > MOST ? [`${all.length - MOST} more ${what}`] : []),
]

const circle = (ids: readonly string[]): string =>
  ids.length > MOST ? `${ids.slice(0, MOST).join(' → ')} → … (${ids.length})` : ids.join(' → ')

/** The other files of the id, or the commits with another content of the same file. */
function others({ path, others: all = [] }: ChainNode, isSameFile: boolean): string {
  const found = isSameFile
    ? all.filter((other) => other.path === path).map(({ commit }) => shortSha(commit))
    : all.filter((other) => other.path !== path).map((other) => exactLine(other.path))
  return [...new Set(found)].slice(0, MOST).join(', ')
}
