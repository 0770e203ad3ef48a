import { usage } from '../errors/usage.ts'

/** How an option of the library is said on the command line; null: in another way. */
export type Flags<O> = { readonly [Key in keyof Required<O>]: string | null }

/**
 * Options → arguments. True is the flag alone, a list repeats it, false and undefined leave it out. Throws `usage` for an option that
 * there is none of: a mistyped one would do nothing unseen.
 */
export function argvOf<O extends object>(name: string, options: O, flags: Flags<O>): string[] {
  return Object.entries(options).flatMap(([key, value]) => {
    if (!Object.hasOwn(flags, key))
      throw usage(
        `${name} has no option ${JSON.stringify(key).slice(0, 60)}.`,
        `It has: ${Object.keys(flags).join(', ')}.`,
      )
    const flag = flags[key as keyof O]
    if (flag === null || value === undefined || value === null || value === false) return []
    return [value].flat().map((one: unknown) => (one === true ? flag : `${flag}=${String(one)}`))
  })
}

/** Options of every function, which are no arguments. */
export const SURROUNDINGS = {
  cwd: null,
  env: null,
  home: null,
  now: null,
  signal: null,
  onMessage: null,
} as const
