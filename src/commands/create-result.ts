import { briefToJson } from '../brief/json.ts'
import type { CommitOutcome } from '../git/commit-files.ts'
import type { Built } from './build-brief.ts'
import type { CreateRequest } from './create-request.ts'
import { ageSeconds, type Gathered } from './gather.ts'
import type { Invocation } from './table.ts'

/** The object of `create --json` (SPEC §5). */
export function createResult(
  invocation: Invocation,
  request: CreateRequest,
  gathered: Gathered,
  built: Built,
  made: { path: string; outcome: CommitOutcome | null; isRepeat: boolean },
): object {
  const { meta } = built.brief
  const { picked } = gathered
  const { outcome } = made
  return {
    ok: true,
    id: meta.id,
    path: made.path,
    commit: outcome?.state === 'parked' ? null : (outcome?.commit ?? null),
    parked: outcome?.state === 'parked' ? outcome.ref : null,
    repeat: made.isRepeat,
    branch: meta.branch,
    parent: meta.parent,
    tokens: meta.tokens,
    mode: request.mode,
    session:
      picked === null
        ? null
        : {
            agent: picked.adapter.id,
            id: picked.ref.id,
            path: picked.ref.path,
            ageSeconds: ageSeconds(invocation, picked),
            bytes: picked.ref.bytes,
          },
    warnings: invocation.out.warnings,
    errors: [],
    dropped: built.brief.dropped ?? [],
    brief: briefToJson(built.brief),
    markdown: built.text,
  }
}

/** What was kept and what was dropped, and why. */
export function previewText({ brief }: Built): string {
  const { files, commands, constraints, decisions, questions, information, dropped = [] } = brief
  const group = (name: string, lines: string[]): string[] =>
    lines.length === 0 ? [] : [`${name} (${lines.length})`, ...lines.map((line) => `  ${line}`), '']
  return [
    ...group(
      'Kept files',
      files.map((f) => `${f.path} — ${f.reason} [${f.evidence.join(', ')}]`),
    ),
    ...group(
      'Kept commands',
      commands.map((c) => `${c.command.split('\n')[0]} — ${c.outcome}, run ${c.runs}x`),
    ),
    ...group(
      'Kept constraints',
      constraints.map((c) => `"${c.text}" [${c.source}]`),
    ),
    ...group(
      'Kept decisions',
      decisions.map((d) => `${d.what} [by ${d.by}]`),
    ),
    ...group(
      'Kept context',
      information.map((i) => `${i.text} [${i.source}]`),
    ),
    ...group(
      'Kept questions',
      questions.map((q) => `${q.text} [${q.kind}]`),
    ),
    ...group(
      'Dropped',
      dropped.map((d) => `${d.kind}: ${d.text} — ${d.why}`),
    ),
    ...group(
      'Cut to fit',
      Object.entries(brief.cuts).map(([section, line]) => `${section}: ${line}`),
    ),
    `${brief.meta.tokens} tokens`,
  ].join('\n')
}
