/** Tokens a model takes, as the client itself counts on it (core/tokenLimits.js of 0.61.0); null for models of others. */
export function geminiWindow(model: string): number | null {
  if (model.startsWith('gemma-4')) return 256_000
  return model.startsWith('gemini-') ? 1_048_576 : null
}
