import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take minutes, those that wait between those that work. */
const LONG = [
  'torture/ruin',
  'e2e/git-hooks',
  'torture/secrets',
  'e2e/switch',
  'repo/life/open-landed-closed',
  'e2e/ci/action',
  'repo/commands/init',
  'e2e/committed-hooks',
  'repo/commands/review',
  'torture/words',
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
