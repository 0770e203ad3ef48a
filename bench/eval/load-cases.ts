import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type EvalCase, type Files, readCase } from './case.ts'

/** Which cases are meant. */
export interface Choice {
  id: string | undefined
  tag: string | undefined
}

/** A case and the folder it stands in. */
export interface LoadedCase {
  folder: string
  one: EvalCase
}

/**
 * The chosen cases of a folder in order of name: each subfolder with a `case.yaml`. A base of `project: <name>` stands for
 * the files of that name in `projects.yaml`. Throws an `Error` when
 * there is none, or that names the file and key that cannot be used.
 */
export async function loadCases(folder: string, choice: Choice): Promise<LoadedCase[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  const projects = await readYaml(join(folder, 'projects.yaml'))
  const loaded: LoadedCase[] = []
  for (const name of names.sort()) {
    if (choice.id !== undefined && name !== choice.id) continue
    const path = join(folder, name, 'case.yaml')
    const value = await readYaml(path)
    if (value === undefined) continue
    try {
      const one = readCase(name, withProject(value, projects))
      if (choice.tag === undefined || one.tags.includes(choice.tag))
        loaded.push({ folder: join(folder, name), one })
    } catch (error) {
      throw badCase(path, error)
    }
  }
  if (loaded.length === 0) throw new Error(`No evaluation case was found in ${folder}.`)
  return loaded
}

async function readYaml(path: string): Promise<unknown> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
    throw badCase(path, error)
  }
  try {
    return parse(text)
  } catch (error) {
    throw badCase(path, error)
  }
}

/** The case with the files of its project under its own. */
function withProject(value: unknown, projects: unknown): unknown {
  const at = value as { git?: { base?: { project?: unknown; files?: Files } } }
  const name = at?.git?.base?.project
  if (at?.git?.base === undefined || name === undefined) return value
  const known = projects as Record<string, Files> | undefined
  if (typeof name !== 'string' || known?.[name] === undefined)
    throw new Error(`git.base.project: ${String(name)} is not in projects.yaml`)
  return {
    ...at,
    git: { ...at.git, base: { ...at.git.base, files: { ...known[name], ...at.git.base.files } } },
  }
}

const badCase = (path: string, cause: unknown): Error =>
  new Error(`${path} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`, { cause })
