/** A scratch person: a home and a repository that nothing else uses. Absolute real paths. */
export interface Bench {
  home: string
  repo: string
}

/** Everything the harness knows about one real client. */
export interface Client {
  id: ClientId
  /** npm package and the version its formats were read from. */
  package: string
  version: string
  /** What its package needs and does not bring, as npm takes it. */
  besides?: string[]
  /** Name of its program in `node_modules/.bin`. */
  bin: string
  /** Answers beforehand whatever it would ask or fetch at its first run, and points it at the scripted model. */
  prepare(bench: Bench, url: string, model: string | null): Promise<void>
  /** Its environment besides PATH, HOME and LANG; the keys in it are dummies. */
  env(bench: Bench, url: string): Record<string, string>
  /** Arguments of one headless turn. */
  turn(prompt: string): string[]
  /** Arguments with which a person starts it on a screen, and what stands there when it waits for input. */
  screen?: { args: string[]; ready: RegExp }
}

export type ClientId =
  | 'claude-code'
  | 'cline'
  | 'codex'
  | 'continue'
  | 'copilot-cli'
  | 'gemini-cli'
  | 'oh-my-pi'
  | 'opencode'
  | 'pi'
  | 'qwen-code'

export const DUMMY_KEY = 'dummy-key-for-the-scripted-model'
