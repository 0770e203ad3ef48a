import type { Command } from 'commander'
import { idOfPath } from '../brief/id.ts'
import { estimateTokens, measured } from '../brief/tokens.ts'
import { usage } from '../errors.ts'
import type { Repo } from '../git/open-repo.ts'
import type { Config, Finding } from '../types.ts'
import { validateBrief } from '../validate/validate-brief.ts'
import { type Subject, subjectsOf } from './check-subjects.ts'
import { warnFullLatest } from './full-latest.ts'
import { openScanner } from './input-secrets.ts'
import { knownBriefs, people } from './judge.ts'
import type { CommandModule, Invocation } from './table.ts'
import { openWorkspace } from './workspace.ts'

export function define(command: Command): void {
  command
    .argument('[paths...]', 'briefs to check; without any, all of the work tree')
    .option('--staged', 'what the next commit would bring')
    .option('--range <a..b>', 'what the commits of a range bring')
    .option('--mode <mode>', 'strict or permissive', 'strict')
    .option('--force', 'let size and missing sections pass')
    .addHelpText('after', '\nExample:\n  handoff check --range origin/main..HEAD')
}

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const { out } = invocation
  const ways = [args.length > 0, options.staged === true, options.range !== undefined].filter(Boolean)
  if (ways.length > 1) throw usage('Paths, --staged and --range exclude each other.', 'Choose one.')
  const { mode } = options
  if (mode !== 'strict' && mode !== 'permissive')
    throw usage(`--mode takes strict or permissive, not ${String(mode)}.`, 'handoff check --mode permissive')
  const { repo, loaded } = await openWorkspace(invocation)
  const subjects = await subjectsOf(repo, {
    paths: args,
    cwd: invocation.place.root,
    staged: options.staged === true,
    range: typeof options.range === 'string' ? options.range : null,
  })
  await warnFullLatest(invocation, repo, loaded.config)
  const findings =
    subjects.length === 0
      ? []
      : await judgeAll(invocation, repo, loaded.config, subjects, { mode, force: options.force === true })
  const errors = findings.filter((finding) => finding.level === 'error').length
  const lines = findings.map((f) => `${f.path}:${f.line}: ${f.level}: ${f.message} [${f.rule}]`)
  const end = `${subjects.length} brief(s) checked, ${errors} error(s), ${findings.length - errors} warning(s)`
  out.result(lines.length === 0 ? end : `${lines.join('\n')}\n${end}`, {
    ok: errors === 0,
    checked: subjects.map(({ path }) => path),
    findings,
    warnings: out.warnings,
    errors: [],
  })
  return errors === 0 ? 0 : 1
}

async function judgeAll(
  invocation: Invocation,
  repo: Repo,
  config: Config,
  subjects: Subject[],
  options: { mode: 'strict' | 'permissive'; force: boolean },
): Promise<Finding[]> {
  const scanner = await openScanner(invocation.place, repo.root, config)
  const [known, name] = await Promise.all([
    knownBriefs(repo),
    repo.git(['config', '--get', 'user.name'], { answers: [1] }),
  ])
  const findings: Finding[] = []
  for (const { path, text, problem } of subjects) {
    if (text === null) {
      findings.push({
        rule: 'id-and-path',
        level: 'error',
        path,
        line: 1,
        message: problem ?? 'cannot be read',
      })
      continue
    }
    const facts = {
      path,
      briefs: withOwn(known, path, text),
      // What this clone cannot know (ignored files, other machines) is no reason to refuse a brief.
      knownFiles: null,
      ...people(invocation, name.trim()),
      secrets: await scanner.find(text),
      tokens: estimateTokens(measured(text)),
      config,
    }
    findings.push(...validateBrief(text, facts, options))
  }
  return findings
}

/** The briefs of history and this one, which may not be committed yet. */
function withOwn(known: Awaited<ReturnType<typeof knownBriefs>>, path: string, text: string): typeof known {
  const id = idOfPath(path)
  const parent = /^parent: ["']?(\d{8}T\d{6}-[0-9a-f]{8})["']?$/m.exec(text)?.[1] ?? null
  return id === null || known.has(id) ? known : new Map([...known, [id, { parent, path }]])
}
