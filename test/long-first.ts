import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take minutes, those that wait between those that work. */
const LONG = [
  'torture/ruin',
  'e2e/switch',
  'e2e/ci/action',
  'e2e/git-hooks',
  'repo/life/open-landed-closed',
  'repo/commands/review',
  'repo/commands/doctor',
  'repo/merges/matrix',
]

/** Begins with the files that take longest, so that no one worker goes on alone at the end; the others as vitest has them. */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = LONG.findIndex((name) => moduleId.endsWith(`test/${name}.test.ts`))
      return at === -1 ? LONG.length : at
    }
    return (await super.sort(files)).sort((a, b) => rank(a) - rank(b))
  }
}
