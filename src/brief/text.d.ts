/** A template's text, put into the code by vitest and esbuild alike: one copy, and no disk at run time. */
declare module '*.txt?raw' {
  const text: string
  export default text
}

declare module '*.sh?raw' {
  const text: string
  export default text
}
