/** Variables with which agents that talk to any provider of models log in (Pi 1.5, OpenCode 1.18); a trailing `*` as in `Launch.passEnv`. */
export const PROVIDER_LOGINS: readonly string[] = [
  'ANTHROPIC_*',
  'OPENAI_*',
  'GEMINI_API_KEY',
  'GOOGLE_*',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'XAI_API_KEY',
  'AWS_*',
]
