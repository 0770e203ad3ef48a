import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Beginnings of files, in the order in which they run: those that take minutes first, then one project after the other. */
const ORDER = [
  'torture/ruin',
  'torture/secrets',
  'e2e/git-hooks',
  'e2e/switch',
  'e2e/ci/action',
  'e2e/',
  'torture/',
  'alone',
  'repo/life/open-landed-closed',
  'repo/commands/init.',
  'repo/',
]

/**
 * So no one worker goes on alone at the end, and each keeps what it has loaded: it takes over a next file of the same project alone. The
 * others come as vitest has them.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId, project }: TestSpecification): number => {
      const name = project.name === 'alone' ? project.name : moduleId.split('/test/').at(-1)
      const at = ORDER.findIndex((beginning) => name?.startsWith(beginning))
      return at === -1 ? ORDER.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
