import type { Action } from '../../types/session.ts'

type Said =
  | { kind: 'prompt'; text: string }
  | { kind: 'skill'; name: string }
  | { kind: 'call'; id: string; tool: string; action: Action; by: 'user' }
  | { kind: 'result'; id: string; ok: boolean; exitCode: null; text: string }

/** A file given as `pi @file`, put before the prompt (cli/file-processor.js of 0.74.2). */
const ATTACHED = /^<file name="([^"\n]+)">(?:\n[\s\S]*?\n|[^\n]*?)<\/file>\n?/
/** A skill as Pi expands it (agent-session.js of 0.74.2 and 1.5.2). */
const EXPANDED = /^<skill name="([^"]+)" location="[^"]*">\n[\s\S]*?\n<\/skill>(?:\n\n([\s\S]+))?$/
/** A skill as it was typed, kept that way when Pi did not find it. */
const TYPED = /^\/skill:(\S+)(?:\s+([\s\S]*))?$/

/**
 * Takes a user row apart: attached files and skill texts were put there by Pi, the rest are the person's words.
 * A call of our own skill stays as it was typed: what follows belongs to the handoff, which is told apart later.
 */
export function piPrompt(row: string, id: string): Said[] {
  const said: Said[] = []
  let rest = row
  for (let file = ATTACHED.exec(rest); file; file = ATTACHED.exec(rest)) {
    const call = `${id}:${said.length / 2}`
    said.push({
      kind: 'call',
      id: call,
      tool: '@',
      action: { type: 'read', paths: [file[1] ?? ''] },
      by: 'user',
    })
    said.push({ kind: 'result', id: call, ok: true, exitCode: null, text: '' })
    rest = rest.slice(file[0].length)
  }
  const skill = EXPANDED.exec(rest) ?? TYPED.exec(rest)
  const name = skill?.[1] ?? ''
  if (name === 'handoff') rest = `/skill:handoff ${skill?.[2] ?? ''}`.trim()
  else if (skill) {
    said.push({ kind: 'skill', name })
    rest = skill[2] ?? ''
  }
  if (rest.trim() !== '') said.push({ kind: 'prompt', text: rest })
  return said
}
