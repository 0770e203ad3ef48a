import { readFileSync } from 'node:fs'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { parse } from 'yaml'
import { define } from '../../src/commands/check.ts'

const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
const hooks: Record<string, unknown>[] = parse(read('.pre-commit-hooks.yaml'))

/** Keys of `MANIFEST_HOOK_DICT` in `clientlib.py` of pre-commit 4.6.2; it takes others without a word. */
const REQUIRED = ['id', 'name', 'entry', 'language']
const TEXTS = [...REQUIRED, 'files', 'description', 'exclude', 'alias', 'language_version', 'log_file']
const FLAGS = ['always_run', 'fail_fast', 'pass_filenames', 'require_serial', 'verbose']

it('is a list of hooks as pre-commit reads them', () => {
  expect(hooks.map(({ id }) => id)).toEqual(['handoff-check'])
  for (const hook of hooks) {
    expect(Object.keys(hook)).toEqual(expect.arrayContaining(REQUIRED))
    for (const [key, value] of Object.entries(hook)) {
      expect([...TEXTS, ...FLAGS]).toContain(key)
      expect(typeof value, key).toBe(FLAGS.includes(key) ? 'boolean' : 'string')
    }
    expect(hook.language).toBe('node')
  }
})

it('calls a program of the package with options that it has', () => {
  const [program = '', verb, ...options] = String(hooks[0]?.entry).split(' ')
  expect(Object.keys(JSON.parse(read('package.json')).bin)).toContain(program)
  expect(verb).toBe('check')
  const command = new Command()
  define(command)
  expect(command.options.map(({ long }) => long)).toEqual(expect.arrayContaining(options))
})

it('takes the files that `check` judges, and no others', () => {
  const files = new RegExp(String(hooks[0]?.files))
  const of = (paths: string[]) => paths.filter((path) => files.test(path))
  const judged = [
    '.handoff/briefs/20261122T101500-1f3a9c07-cap-the-backoff.md',
    '.handoff/briefs/bad.md',
    '.handoff/latest.md',
    '.handoff/.gitattributes',
  ]
  expect(of(judged)).toEqual(judged)
  expect(
    of([
      '.handoff/README.md',
      '.handoff/config.yaml',
      '.handoff/templates/preamble.txt',
      'docs/.handoff/briefs/x.md',
      'x.handoff/latest.md',
    ]),
  ).toEqual([])
})
