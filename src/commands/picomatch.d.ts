/** The part of picomatch 4 that is used; it brings no types of its own. */
declare module 'picomatch' {
  export default function picomatch(
    globs: readonly string[],
    options?: { dot?: boolean },
  ): (path: string) => boolean
}
