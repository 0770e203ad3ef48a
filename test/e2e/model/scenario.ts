/**
 * What the scripted model does, in words that every client's tools can carry out. The script holds no state: which
 * step comes next follows from the request alone, so resumed, forked and restarted sessions work.
 */

/** One thing of a reply: a sentence, or a call of whichever tool the client offers for it. */
export type Block =
  | { say: string }
  | { read: string }
  | { edit: string; old: string; new: string }
  | { write: string; content: string }
  | { run: string }
  /** A tool of a server, by the end of its name; with `mcp__` before it also where the client does not list it. */
  | { use: string; with: Record<string, unknown> }

/** The blocks of one reply. */
export type Step = Block[]

/** `on`: regular expression, without flags, for the person's latest prompt. `{{name}}` in a step is what its group of that name found there. */
export interface Turn {
  on: string
  steps: Step[]
}

export interface Scenario {
  turns: Turn[]
  /** What is said to a request without tools whose prompt fits; any other of those gets one word. */
  sides?: { on: string; say: string }[]
  /** What the model says that each request used. */
  usage?: Usage
}

/** Tokens of one request. */
export interface Usage {
  input: number
  output: number
}

/** A tool as a request offers it. `nested`: reached by JavaScript given to the tool `exec` (Codex code mode). */
export interface Tool {
  name: string
  freeform: boolean
  nested: boolean
  /** What Codex groups the tools of a server by; a call has to name it. */
  namespace?: string
  /** Names of its arguments, where they tell apart tools of one name. */
  takes?: string[]
}

/** What the script needs of a request, the same for every wire format. */
export interface View {
  prompt: string
  /** How many scripted steps follow that prompt already. */
  done: number
  tools: Tool[]
  /** Working directory as the client tells its model, or null. */
  cwd: string | null
}

/** Marks the ids of our own tool calls with their step. */
const STEP_ID = /mock_s(\d+)_/

// A client that goes on with a session takes a call whose id it knows for the old one.
let serial = process.pid * 1000

/** A new call id that carries its step. */
export const callId = (step: number): string => `mock_s${step}_${(serial++).toString(36).padStart(4, '0')}`

/** The step after the last one whose call ids stand in `ids`. */
export function stepsDone(ids: readonly string[]): number {
  const steps = ids.map((id) => STEP_ID.exec(id)?.[1]).filter((step) => step !== undefined)
  return steps.length === 0 ? 0 : Math.max(...steps.map(Number)) + 1
}

/** The blocks to answer with. A request without tools is a side request (titles, summaries) and gets one word. */
export function pickStep(scenario: Scenario, view: View): Step {
  if (view.tools.length === 0)
    return [{ say: scenario.sides?.find(({ on }) => new RegExp(on).test(view.prompt))?.say ?? 'OK' }]
  const turn = scenario.turns.find(({ on }) => new RegExp(on).test(view.prompt))
  const step = turn?.steps[view.done] ?? [
    { say: `(nothing is scripted for step ${view.done} of this prompt)` },
  ]
  const found = turn && new RegExp(turn.on).exec(view.prompt)?.groups
  const filled = JSON.stringify(step).replace(/\{\{(\w+)\}\}/g, (slot, name: string) =>
    JSON.stringify(found?.[name] ?? slot).slice(1, -1),
  )
  return JSON.parse(filled) as Step
}
