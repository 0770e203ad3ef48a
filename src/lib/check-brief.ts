import type { CheckResult } from '../briefs/results.ts'
import { argvOf, type Flags, SURROUNDINGS } from './argv.ts'
import { call, type Surroundings } from './call.ts'

export interface CheckOptions extends Surroundings {
  /** Briefs or folders, relative to `cwd`; without any, all of the work tree. */
  paths?: readonly string[]
  /** What the next commit would bring. */
  staged?: boolean
  /** What the commits of `a..b` bring; true: those of the pull request or branch. */
  range?: string | true
  /** `strict` unless told otherwise. */
  mode?: 'strict' | 'permissive'
  /** Let size and missing sections pass. */
  force?: boolean
  /** At which level `ok` is false; `error` unless told otherwise. */
  failOn?: 'error' | 'warning' | 'never'
}

const FLAGS: Flags<CheckOptions> = {
  ...SURROUNDINGS,
  paths: null,
  staged: '--staged',
  range: '--range',
  mode: '--mode',
  force: '--force',
  failOn: '--fail-on',
}

/** Holds briefs against all rules, as `handoff check` does. Findings are data: `ok` is false then, and nothing is thrown. */
export async function checkBrief(options: CheckOptions = {}): Promise<CheckResult> {
  const flags = argvOf('checkBrief', options, FLAGS)
  return call(['check', ...flags, '--', ...(options.paths ?? [])], options)
}
