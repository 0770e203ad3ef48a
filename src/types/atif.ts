/** A text, or the parts of one; a part without text, such as a picture, says nothing. */
type Content = string | { type: string; text?: string }[]

/** What was said or done at one moment of a conversation, as the Agent Trajectory Interchange Format has it (1.0 to 1.8). */
export interface AtifStep {
  source: 'user' | 'agent' | 'system'
  message: Content
  /** ISO 8601. */
  timestamp?: string
  /** Names that common agents give their tools are known: `Edit`, `read_file`, `Bash`. */
  tool_calls?: { tool_call_id: string; function_name: string; arguments: object; extra?: object }[]
  /** What came of the calls. */
  observation?: { results: { source_call_id?: string; content?: Content; extra?: object }[] }
  metrics?: { prompt_tokens?: number; completion_tokens?: number }
  extra?: object
}
