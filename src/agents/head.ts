import type { FileHandle } from 'node:fs/promises'

/** Longest first record that is waited for, in bytes: a prompt may hold a log that was pasted. */
export const LONGEST_START = 256 * 1024 * 1024
/** How much more is read each time that it does not do. */
export const GROWTH = 8

/** The first `least` bytes of a file, or more until its first line is whole. */
export async function readHead(file: FileHandle, least: number): Promise<Buffer> {
  for (let size = least; ; size *= GROWTH) {
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(size), 0, size, 0)
    const head = buffer.subarray(0, bytesRead)
    // A binary file has no lines.
    if (bytesRead < size || size >= LONGEST_START || head.includes('\n') || head.includes(0)) return head
  }
}
