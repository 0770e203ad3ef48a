/** Standard input; `process.stdin` fits. */
export type Input = AsyncIterable<Uint8Array | string> & {
  isTTY?: boolean
  destroy?: (error?: Error) => unknown
}

/** Standard input to its end, which nobody waits for once the signal has come. */
export async function readAll(stream: Input, signal: AbortSignal | undefined): Promise<string> {
  const leave = (): void => {
    stream.destroy?.(signal?.reason)
  }
  signal?.throwIfAborted()
  signal?.addEventListener('abort', leave, { once: true })
  try {
    const chunks: Uint8Array[] = []
    for await (const chunk of stream) chunks.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk)
    return Buffer.concat(chunks).toString('utf8')
  } finally {
    signal?.removeEventListener('abort', leave)
  }
}
