import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { badConfig } from '../errors/usage.ts'
import { writeFailed } from '../errors/writing.ts'
import { keys, type OwnKind } from './keys.ts'
import { convert } from './merge.ts'

/** What only the person's own configuration can say, never a repository's: it decides what is run and handed on. */
export interface OwnSettings {
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
const CONSENT: OwnKind = { is: 'choice', of: ['ask', 'always', 'never'] }

const KINDS: Readonly<Record<keyof OwnSettings, OwnKind>> = {
  passEnv: { is: 'list' },
  repositories: { is: 'texts' },
  acp: { is: 'commands' },
  acpRegistry: { is: 'path' },
  narrative: CONSENT,
  work: CONSENT,
}

export const noOwnSettings = (): OwnSettings => ({
  passEnv: [],
  repositories: {},
  acp: {},
  acpRegistry: null,
  narrative: 'ask',
  work: 'ask',
})

/** A key that counts only where the person says it; `name` is its whole path or an alias. */
export const isOwn = (name: string): boolean =>
  Object.hasOwn(KINDS, name) || keys.some((key) => key.isOwn && [key.path, ...key.aliases].includes(name))

/** Takes the person's own keys out of a configuration; `rest` holds all others. Throws `badConfig`. */
export function splitOwn(
  value: Record<string, unknown>,
  where: string,
): { own: OwnSettings; rest: Record<string, unknown> } {
  const read = ([name, one]: [string, unknown]) =>
    [name, convert(KINDS[name as keyof OwnSettings], one, name, { where, whose: 'person' })] as const
  const isSetting = ([name]: [string, unknown]): boolean => Object.hasOwn(KINDS, name)
  const entries = Object.entries(value)
  return {
    own: { ...noOwnSettings(), ...Object.fromEntries(entries.filter(isSetting).map(read)) },
    rest: Object.fromEntries(entries.filter((entry) => !isSetting(entry))),
  }
}

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
