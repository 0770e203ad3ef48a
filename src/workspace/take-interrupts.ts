/** Ctrl-C does nothing here but what `heard` does, until what is given back is called. */
export function takeInterrupts(heard: () => void = () => {}): () => void {
  const held = process.rawListeners('SIGINT') as NodeJS.SignalsListener[]
  process.removeAllListeners('SIGINT').on('SIGINT', heard)
  return () => {
    process.off('SIGINT', heard)
    for (const listener of held) process.on('SIGINT', listener)
  }
}
