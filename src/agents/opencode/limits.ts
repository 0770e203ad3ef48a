/** Most tokens that OpenCode keeps free for a reply, and for a request where the model limits those. */
const FOR_REPLY = 32_000
const FOR_REQUEST = 20_000

/** Where OpenCode 1.18 compacts by itself (`session/compaction.ts`). */
export function openCodeCompactsAt(context: number, input: number | null, output: number | null): number {
  const reply = Math.min(output || FOR_REPLY, FOR_REPLY)
  return input === null ? context - reply : input - Math.min(reply, FOR_REQUEST)
}
