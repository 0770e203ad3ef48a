/** What every command understands, and the words that are left. */
export interface Globals {
  json: boolean
  color: boolean
  cwd: string | null
  rest: string[]
}

/** `--json`, `--cwd`, `--no-color` may stand anywhere before `--`. */
export function readGlobals(argv: readonly string[]): Globals {
  const globals: Globals = { json: false, color: true, cwd: null, rest: [] }
  for (let i = 0; i < argv.length; i++) {
    const arg = argv[i] as string
    if (arg === '--') {
      globals.rest.push(...argv.slice(i))
      break
    }
    if (arg === '--json') globals.json = true
    else if (arg === '--no-color') globals.color = false
    else if (arg === '--cwd') globals.cwd = argv[++i] ?? ''
    else if (arg.startsWith('--cwd=')) globals.cwd = arg.slice('--cwd='.length)
    else globals.rest.push(arg)
  }
  return globals
}
