import { relative, resolve } from 'node:path'
import type { Command } from 'commander'
import { idOfPath } from '../brief/id.ts'
import { isPointer } from '../brief/latest.ts'
import { estimateTokens, measured } from '../brief/tokens.ts'
import { usage } from '../errors.ts'
import { changedBlobs, stagedBlobs } from '../git/changed-blobs.ts'
import { readBlobs } from '../git/objects.ts'
import type { Repo } from '../git/open-repo.ts'
import { listBriefFiles } from '../store/briefs.ts'
import { BRIEFS, HANDOFF, LATEST } from '../store/folder.ts'
import { readPlain } from '../store/plain-file.ts'
import type { Config, Finding } from '../types.ts'
import { validateBrief } from '../validate/validate-brief.ts'
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

/** A brief to judge; `text` null when it cannot be judged as a text. */
interface Subject {
  path: string
  text: string | null
  problem: string | null
}

export const run: CommandModule['run'] = async (invocation, args, options) => {
  const { out } = invocation
  const ways = [args.length > 0, options.staged === true, options.range !== undefined].filter(Boolean)
  if (ways.length > 1) throw usage('Paths, --staged and --range exclude each other.', 'Choose one.')
  const { mode } = options
  if (mode !== 'strict' && mode !== 'permissive')
    throw usage(`--mode takes strict or permissive, not ${String(mode)}.`, 'handoff check --mode permissive')
  const { repo, loaded } = await openWorkspace(invocation)
  const subjects = await subjectsOf(invocation, repo, args, options)
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

async function subjectsOf(
  invocation: Invocation,
  repo: Repo,
  args: string[],
  options: Record<string, unknown>,
): Promise<Subject[]> {
  if (options.staged === true || typeof options.range === 'string') {
    const changed =
      typeof options.range === 'string'
        ? await changedBlobs(repo, options.range, HANDOFF)
        : await stagedBlobs(repo, HANDOFF)
    return blobSubjects(repo, changed)
  }
  const paths =
    args.length > 0
      ? args.map((arg) => relative(repo.root, resolve(invocation.place.root, arg)))
      : (await listBriefFiles(repo.root)).map(({ path }) => path)
  return Promise.all(
    paths.map(async (path) => {
      const text = await readPlain(repo.root, path)
      return { path, text, problem: text === null ? 'there is no such file' : null }
    }),
  )
}

async function blobSubjects(
  repo: Repo,
  changed: readonly { path: string; oid: string | null; mode: string }[],
): Promise<Subject[]> {
  const present = changed.flatMap(({ path, oid, mode }) => (oid === null ? [] : [{ path, oid, mode }]))
  const briefs = present.filter(({ path }) => path.startsWith(`${BRIEFS}/`))
  const latest = present.find(({ path }) => path === LATEST)
  const contents = await readBlobs(
    repo,
    [...briefs, ...(latest === undefined ? [] : [latest])].map(({ oid }) => oid),
  )
  const subjects = briefs.map(({ path, oid, mode }): Subject => {
    const text = contents.get(oid)?.toString('utf8')
    if (mode !== '100644') return { path, text: null, problem: `mode ${mode}: a brief is a plain file` }
    return { path, text: text ?? null, problem: text === undefined ? 'larger than 256 KB' : null }
  })
  const pointer = latest === undefined ? undefined : contents.get(latest.oid)?.toString('utf8')
  if (
    latest !== undefined &&
    (pointer === undefined || !isPointer(pointer) || pointer.includes('<!-- handoff:begin'))
  )
    subjects.push({
      path: LATEST,
      text: null,
      problem:
        'is not the pointer that git should keep; `handoff trust` sets the filter that keeps the copy out, then `git add .handoff/latest.md`',
    })
  return subjects
}
