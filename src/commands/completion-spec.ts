import { adapters } from '../agents/table.ts'
import { GIT } from '../log/log-options.ts'
import { PROVIDERS } from '../model/provider.ts'
import type { Adapter } from '../types/agent.ts'
import { commands } from './table.ts'

/**
 * What can stand in one place: words, what the shell completes itself, ids of briefs, or nothing that is known. A word that ends in `/`
 * waits for more.
 */
export type Values = readonly string[] | 'files' | 'folders' | 'briefs' | null

export interface OptionSpec {
  flag: string
  about: string
  /** Values of an option that takes one; absent for a flag alone. */
  values?: Values
  /** Its value may be left out, or several stand in it behind commas, or it may stand there twice. */
  isLoose?: true
  isList?: true
  repeats?: true
}

export interface CompletionSpec {
  commands: { name: string; about: string; options: OptionSpec[]; args: Values[]; isOpen: boolean }[]
  topics: { name: string; about: string }[]
}

/** Everything that can be completed, read from the definitions that the parser works by. */
export async function completionSpec(): Promise<CompletionSpec> {
  const [{ Command }, { topics }] = await Promise.all([import('commander'), import('./help-topics.ts')])
  const specs = commands.map(async ({ name, summary, load }) => {
    const command = new Command(name)
    ;(await load()).define(command)
    const options = command.options.flatMap((option): OptionSpec[] => {
      const { long, description, argChoices, defaultValue, required, optional, flags, hidden } = option
      if (hidden || long === undefined || long === null) return []
      const place = placeOf(flags)
      return [
        {
          flag: long,
          about: description,
          ...(required || optional ? { values: argChoices ?? valuesOf(name, long, place) } : {}),
          ...(optional ? { isLoose: true as const } : {}),
          ...(place.includes(',') ? { isList: true as const } : {}),
          ...(Array.isArray(defaultValue) ? { repeats: true as const } : {}),
        },
      ]
    })
    const given = command.registeredArguments
    return {
      name,
      about: summary,
      options,
      args: given.map((one) => one.argChoices ?? BY_PLACE[one.name()] ?? null),
      isOpen: given.at(-1)?.variadic === true,
    }
  })
  return {
    commands: await Promise.all(specs),
    topics: topics.map(({ name, about }) => ({ name, about })),
  }
}

/** `agent` of `--from <agent>`. */
const placeOf = (flags: string): string => /[<[]([^>\]]*)[>\]]$/.exec(flags)?.[1] ?? ''

const ids = (of: readonly Adapter[]): string[] => of.map(({ id }) => id)
const REASONS = ['manual', 'context_limit', 'shift_end', 'task_boundary']

/** What is no closed choice, by the name of its place on the command line. */
const BY_PLACE: Readonly<Record<string, Values>> = {
  file: 'files',
  'id|file': 'files',
  paths: 'files',
  folder: 'folders',
  dir: 'folders',
  id: 'briefs',
  where: 'briefs',
  a: 'briefs',
  b: 'briefs',
  who: ids(adapters.filter(({ launch }) => launch !== undefined)),
}

function valuesOf(command: string, flag: string, place: string): Values {
  if (flag === '--agent') {
    if (command === 'init') return [...ids(adapters.filter(({ setup }) => setup !== undefined)), 'all']
    return command === 'log' ? [...ids(adapters), GIT] : ids(adapters)
  }
  if (flag === '--reason') return REASONS
  // The names of models are the services' to know.
  if (flag === '--extract') return ['none', 'agent', ...PROVIDERS.map((name) => `${name}/`)]
  // Ids of sessions, requests and cases are no ids of briefs.
  return place === 'id' ? null : (BY_PLACE[place] ?? null)
}
