import { delimiter } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** What npm 11 sets for the programs that it starts, besides `npm_*`. */
const SET_BY_NPM: ReadonlySet<string> = new Set(['INIT_CWD', 'NODE', 'COLOR'])
/** What npm sets where a setting says so, which the `.npmrc` of a checkout can. */
const SET_BY_SETTING: Readonly<Record<string, string>> = {
  NODE_OPTIONS: 'npm_config_node_options',
  EDITOR: 'npm_config_editor',
}
/** Folders that npm puts before PATH: the programs of the checkout's packages, and its own. */
const OF_NPM = /[\\/]node_modules[\\/](?:\.bin|@npmcli[\\/]run-script[\\/].*)$/

/**
 * The environment as it was in the shell that called `npx`, `npm`, `pnpm` or `yarn`: without their variables, and without the programs of
 * the checkout on PATH. Unchanged where none of them started this process.
 */
export function withoutNpm<E extends Env>(env: E): E {
  if (env.npm_execpath === undefined && env.npm_config_user_agent === undefined) return env
  const isTheirs = (name: string, value: string | undefined): boolean =>
    name.startsWith('npm_') ||
    SET_BY_NPM.has(name) ||
    (Object.hasOwn(SET_BY_SETTING, name) && value === env[SET_BY_SETTING[name] ?? ''])
  const entries = Object.entries(env).filter(([name, value]) => !isTheirs(name, value))
  return Object.fromEntries(
    entries.map(([name, value]) => [
      name,
      name.toUpperCase() === 'PATH'
        ? value
            ?.split(delimiter)
            .filter((one) => !OF_NPM.test(one))
            .join(delimiter)
        : value,
    ]),
  ) as E
}
