import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, isAbsolute } from 'node:path'
import { badConfig } from '../errors/usage.ts'
import { writeFailed } from '../errors/writing.ts'
import { keys } from './keys.ts'

/** What only the person's own configuration can say, never a repository's: it decides what is run and handed on. */
export interface OwnSettings {
  /** Load `handoff.config.js` of repositories. */
  allowExecutableConfig: boolean
  /** Names of environment variables that started agents get besides; a trailing `*` stands for any ending. */
  passEnv: string[]
  /** Alias → absolute path of a repository, for `--to`. */
  repositories: Record<string, string>
  /** Name → program and arguments of an agent that speaks ACP, for `--from acp:<name>`. */
  acp: Record<string, string[]>
  /** Absolute path of a registry of ACP agents. */
  acpRegistry: string | null
  /** Whether the agent of a session is asked for its page, in a fork, at a terminal. */
  narrative: Consent
  /** Whether `push` sends uncommitted work beside the brief; `ask`: at a terminal. */
  work: Consent
}

export type Consent = 'ask' | 'always' | 'never'
const CONSENTS: readonly unknown[] = ['ask', 'always', 'never']

export const noOwnSettings = (): OwnSettings => ({
  allowExecutableConfig: false,
  passEnv: [],
  repositories: {},
  acp: {},
  acpRegistry: null,
  narrative: 'ask',
  work: 'ask',
})

/** A key that counts only where the person says it; `name` is its whole path or an alias. */
export const isOwn = (name: string): boolean =>
  isOwnSetting(name) || keys.some((key) => key.isOwn && [key.path, ...key.aliases].includes(name))

const isOwnSetting = (name: string): boolean => Object.hasOwn(noOwnSettings(), name)

/** Takes the person's own keys out of a configuration; `rest` holds all others. Throws `badConfig`. */
export function splitOwn(
  value: Record<string, unknown>,
  where: string,
): { own: OwnSettings; rest: Record<string, unknown> } {
  const rest = Object.fromEntries(Object.entries(value).filter(([name]) => !isOwnSetting(name)))
  const fail = (name: string, expected: string): never => {
    throw badConfig(where, `\`${name}\` must be ${expected}`)
  }
  const given = value.passEnv ?? []
  const passEnv: unknown = typeof given === 'string' ? [given] : given
  if (!Array.isArray(passEnv) || passEnv.some((one) => typeof one !== 'string' || one === ''))
    return fail('passEnv', 'a list of texts')
  const paths = value.repositories ?? {}
  if (!isMapping(paths, (path) => typeof path === 'string'))
    fail('repositories', 'a mapping of alias to path')
  const { narrative = 'ask', work = 'ask', acp = {}, acpRegistry = null } = value
  const isCommand = (one: unknown): boolean =>
    Array.isArray(one) && one.length > 0 && one.every((part) => typeof part === 'string' && part !== '')
  if (!isMapping(acp, isCommand)) fail('acp', 'a mapping of name to program and arguments')
  if (acpRegistry !== null && (typeof acpRegistry !== 'string' || !isAbsolute(acpRegistry)))
    fail('acpRegistry', 'an absolute path')
  if (!CONSENTS.includes(narrative)) fail('narrative', 'ask, always or never')
  if (!CONSENTS.includes(work)) fail('work', 'ask, always or never')
  return {
    rest,
    own: {
      allowExecutableConfig: value.allowExecutableConfig === true,
      passEnv,
      repositories: paths as Record<string, string>,
      acp: acp as Record<string, string[]>,
      acpRegistry: acpRegistry as string | null,
      narrative: narrative as Consent,
      work: work as Consent,
    },
  }
}

const isMapping = (value: unknown, isSound: (one: unknown) => boolean): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(isSound)

/** Sets one key in the person's own configuration; all else in the file stays. Throws `badConfig`, `writeFailed`. */
export async function setOwn(file: string, key: string, value: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw writeFailed(file, error)
  })
  const next = file.endsWith('.json')
    ? await setJson(text, key, value)
    : await setYaml(file, text, key, value)
  try {
    await mkdir(dirname(file), { recursive: true })
    const scratch = `${file}.${process.pid}.tmp`
    await writeFile(scratch, next)
    await rename(scratch, file)
  } catch (cause) {
    throw writeFailed(file, cause)
  }
}

async function setJson(text: string, key: string, value: string): Promise<string> {
  const { applyEdits, modify } = await import('jsonc-parser')
  return applyEdits(
    text,
    modify(text, [key], value, { formattingOptions: { insertSpaces: true, tabSize: 2 } }),
  )
}

async function setYaml(file: string, text: string, key: string, value: string): Promise<string> {
  const { parseDocument } = await import('yaml')
  const document = parseDocument(text)
  const [error] = document.errors
  if (error !== undefined) throw badConfig(file, error.message)
  document.set(key, value)
  return document.toString()
}
