import type { AtifStep, SessionEvent, SessionRef } from '../../types/session.ts'
import { OWN } from './read.ts'

type Step = AtifStep & { step_id: number }

export interface Trajectory {
  schema_version: 'ATIF-v1.7'
  session_id: string
  agent: { name: string; version: string; model_name?: string; extra?: object }
  steps: Step[]
}

/** Takes the events of a session in their order; `end` gives the document of them. What the format has no field for stands in `extra`. */
export function createTrajectory({ id, agent, cwd }: Pick<SessionRef, 'id' | 'agent' | 'cwd'>): {
  add(event: SessionEvent): void
  end(): Trajectory
} {
  const steps: Step[] = []
  /** The format wants a result in the step of its call. */
  const calls = new Map<string, Step>()
  let [model, version] = ['', '']

  const push = (event: SessionEvent, step: Omit<AtifStep, 'timestamp' | 'extra'>, own = {}): Step => {
    const place = {
      ...(event.sub === null ? {} : { sub: event.sub }),
      ...(event.cwd === null || event.cwd === cwd ? {} : { cwd: event.cwd }),
    }
    const extra = { ...own, ...place }
    const made: Step = {
      step_id: steps.length + 1,
      ...(event.at === null ? {} : { timestamp: event.at }),
      ...step,
      ...(Object.keys(extra).length === 0 ? {} : { extra: { [OWN]: extra } }),
    }
    steps.push(made)
    return made
  }

  function add(event: SessionEvent): void {
    switch (event.kind) {
      case 'prompt':
        // The task of a subagent is not the person's.
        if (event.sub === null) push(event, { source: 'user', message: event.text })
        else push(event, { source: 'system', message: event.text }, { kind: event.kind })
        return
      case 'reply':
        push(event, { source: 'agent', message: event.text })
        return
      case 'call': {
        const { type, ...input } = event.action
        const call = {
          tool_call_id: event.id,
          function_name: event.tool,
          arguments: input,
          extra: { [OWN]: { type, by: event.by } },
        }
        calls.set(event.id, push(event, { source: 'agent', message: '', tool_calls: [call] }))
        return
      }
      case 'result': {
        const { kind: _, id: source_call_id, text: content, sub, cwd: __, ...own } = event
        const step = calls.get(source_call_id)
        if (step === undefined) return
        step.observation ??= { results: [] }
        step.observation.results.push({ source_call_id, content, extra: { [OWN]: own } })
        return
      }
      case 'usage': {
        const { inputTokens, outputTokens, contextTokens, contextWindow } = event
        const metrics = { prompt_tokens: inputTokens, completion_tokens: outputTokens }
        push(event, { source: 'agent', message: '', metrics }, { contextTokens, contextWindow })
        return
      }
      default: {
        if (event.kind === 'setting') {
          model = event.model ?? model
          version = event.version ?? version
        }
        const { at: _, sub: __, cwd: ___, ...rest } = event
        const [message, own] = wordsOf(rest)
        push(event, { source: 'system', message }, own)
      }
    }
  }

  return {
    add,
    end: () => ({
      schema_version: 'ATIF-v1.7',
      session_id: id,
      agent: {
        name: agent,
        version: version || 'unknown',
        ...(model && { model_name: model }),
        ...(cwd === null ? {} : { extra: { cwd } }),
      },
      steps,
    }),
  }
}

function wordsOf(event: { kind: string; text?: string; summary?: string; name?: string }): [string, object] {
  const { text, summary, name, ...rest } = event
  return [text ?? summary ?? name ?? '', rest]
}
