import * as z from 'zod/mini'
import { metaSchema } from '../src/brief/meta-schema.ts'

/** JSON Schema (draft 2020-12) of the front matter, as published in `docs/brief.v1.schema.json`. */
export function frontMatterJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(metaSchema, { io: 'input' }) as Record<string, unknown>
  describe(rest)
  return {
    $schema,
    $id: 'https://unpkg.com/git-handoff/docs/brief.v1.schema.json',
    title: 'Front matter of a handoff brief, schema version 1',
    description: 'Unknown keys are kept and ignored. Ids and commit hashes are always strings.',
    ...rest,
  }
}

/** Gives each property of a schema, and of the groups in it, its meaning. */
function describe(schema: Record<string, unknown>, prefix = ''): void {
  // One that may be null as well.
  for (const one of (schema.anyOf ?? []) as Record<string, unknown>[]) describe(one, prefix)
  for (const [key, inner] of Object.entries(schema.properties ?? {}) as [string, Record<string, unknown>][]) {
    Object.assign(inner, { description: metaAbout[prefix + key] })
    describe(inner, `${prefix}${key}.`)
  }
}

/** What each key of the front matter means, for the published schema and the table in `docs/brief-v1.md`. */
const metaAbout: Readonly<Record<string, string>> = {
  schemaVersion: 'version of this table',
  id: 'the same as in the file name',
  kind: '`done` marks a closing record; absent means `handoff`',
  goal: "what the next session must achieve, in the user's words, byte for byte; at most 4,096 bytes",
  vague: 'true when the goal was short or vague and `--allow-vague` let it pass',
  focus: 'what to look at first',
  reason: '`manual`, `context_limit`, `shift_end`, `task_boundary`, or any short text',
  createdAt: 'ISO 8601',
  branch: 'branch the work is on; null when HEAD is detached or there is no repository',
  head: 'commit of the facts; null before the first commit',
  base: 'where the branch grew from, `<ref>@<hash>`',
  dirty: 'there were uncommitted changes outside `.handoff/`',
  agent: 'who hands over',
  'agent.id': 'an agent as `handoff sessions --from` names it, or `git` without a session',
  'agent.label': 'its name for people',
  'agent.version': 'version of the client',
  'agent.model': 'model',
  'agent.thinking': 'thinking level',
  'agent.tools': 'names of its tools',
  'agent.session': 'id of the session; the transcript itself is never committed',
  skills: 'skills used, the last one last; inherited along the chain',
  persona: 'name of the role; inherited along the chain',
  parent: 'the brief before this one; null for the first of a chain',
  resumedFrom: 'the brief that `handoff resume` made this one from; it is the `parent` as well',
  'resumedFrom.id': 'its id',
  'resumedFrom.createdAt': 'its time',
  notes: 'there are notes in this brief; absent or null without any',
  'notes.capturedAt': 'when the agent wrote them',
  extraction: 'how facts were taken from the session',
  'extraction.mode':
    '`none`: by rules alone; `agent`, `model`: with what the agent of the session or the model of a service added',
  'extraction.model': 'model that was asked, also if it failed and the mode is `none`',
  'extraction.attempts': 'attempts of that model; 0 without one',
  tokens: 'tokens of the whole file, measured with `tokens: 0`',
  limits: 'limits and budgets that were not the default ones (`files`, `tokens.soft` …)',
  dropped: 'how much was omitted for lack of evidence',
  'dropped.files': 'files',
  'dropped.commands': 'commands',
  'dropped.other': 'everything else',
}
