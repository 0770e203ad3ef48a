import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { type GitHookPlace, managerOf } from '../../../src/hooks/git-managers.ts'
import { KEPT } from '../../../src/hooks/plan.ts'
import { GIT_EVENTS, gitHookLine, hookLineOf, parseRunner, runnerText } from '../../../src/hooks/runner.ts'

const HOOKS = fileURLToPath(new URL('../../../hooks/', import.meta.url))
const names = GIT_EVENTS.map(({ name }) => name)
const text = (name: string): string => readFileSync(HOOKS + name, 'utf8')

const place = (files: string[], { kind = 'own' }: { kind?: GitHookPlace['kind'] } = {}): GitHookPlace => ({
  root: '/r',
  folder: kind === 'husky' ? '/r/.husky/_' : '/r/.git/hooks',
  kind,
  husky: '/r/.husky',
  has: (path) => files.includes(path),
  text,
})

describe('the manager that a repository uses', () => {
  it.each<[string, GitHookPlace]>([
    ['plain', place([])],
    ['husky', place(['.husky'])],
    ['husky', place(['lefthook.yml'], { kind: 'husky' })],
    ['lefthook', place(['lefthook.yml'])],
    ['lefthook', place(['.lefthook.yaml', '.husky'])],
    ['lefthook', place(['lefthook-local.yml'])],
    ['lefthook', place(['.config/lefthook.yml', '.pre-commit-config.yaml'])],
    ['pre-commit', place(['.pre-commit-config.yaml', '.husky'])],
    ['plain', place([], { kind: 'kept' })],
  ])('%s', (id, at) => {
    expect(managerOf(at).id).toBe(id)
    const edits = managerOf(at).edits(at, names)
    expect(edits.length).toBeGreaterThan(0)
    for (const { path } of edits) expect(path.startsWith('/r/')).toBe(true)
  })

  it('takes the settings of all before those of one person', () => {
    const at = place(['lefthook-local.yml', 'lefthook.yml'])
    expect(managerOf(at).where(at)).toBe('/r/lefthook.yml')
    const local = place(['.lefthook-local.yml'])
    expect(managerOf(local).where(local)).toBe('/r/.lefthook-local.yml')
  })

  it('asks for JSON where lefthook is told in JSON', () => {
    const at = place(['lefthook.json'])
    expect(managerOf(at).edits(at, ['pre-commit'])[0]).toMatchObject({
      type: 'json-value',
      at: ['pre-commit', 'commands', 'handoff'],
    })
  })
})

describe('hooks/', () => {
  it('has one file for each event, to be run by sh', () => {
    expect(readdirSync(HOOKS).sort()).toEqual([...names].sort())
    for (const name of names) {
      execFileSync('sh', ['-n', HOOKS + name])
      expect(statSync(HOOKS + name).mode & 0o111).toBe(0o111)
      expect(text(name).startsWith('#!/bin/sh\n')).toBe(true)
      expect(text(name)).toContain(` git ${name} "$@"`)
      expect(text(name)).toContain(`"$0${KEPT}"`)
      expect(text(name)).not.toMatch(/npx handoff|\bnode\b/)
    }
  })

  it('goes into scripts of others without its first part, and lets what stands before have its say', () => {
    const at = place(['.husky'])
    for (const edit of managerOf(at).edits(at, names)) {
      if (edit.type !== 'block') throw new Error(edit.type)
      expect(edit.text).not.toMatch(/#!|before-handoff/)
      for (const [before, status] of [
        ['true', 0],
        ['(exit 7)', 7],
        ['[ a = b ] && true', 1],
      ] as const) {
        const run = () =>
          execFileSync('sh', ['-e', '-c', `${before} || handoff=$?; (exit \${handoff:-0})\n${edit.text}`], {
            cwd: '/',
            env: { PATH: process.env.PATH ?? '' },
            input: '',
            stdio: 'pipe',
          })
        if (status === 0) run()
        else expect(run).toThrow(expect.objectContaining({ status }))
      }
    }
  })
})

describe('what git and managers call', () => {
  it('is known as ours by its shape, and is one shell word list without a path of this machine', () => {
    for (const name of names) {
      const line = gitHookLine(name, '{1}')
      expect(hookLineOf({ run: line })).toBe(`git ${name}`)
      expect(line).not.toMatch(/\/(?:home|usr|tmp|work)\//)
      expect(
        execFileSync('sh', ['-c', line], { cwd: '/', input: '', env: { PATH: '/nowhere:/usr/bin:/bin' } }),
      ).toHaveLength(0)
    }
  })

  it('is the same in every version: it is committed', () => {
    expect(gitHookLine('pre-commit', '"$@"')).toBe(
      `sh -c 'h="$(git rev-parse --git-common-dir 2>/dev/null)/handoff/hook" || exit 0; [ ! -f "$h" ] || exec sh "$h" git pre-commit "$@"; [ "$HANDOFF" = 0 ] || ! mkdir -m 700 "\${h%/hook}" 2>/dev/null || echo "handoff is not set up in this clone: npm install -g git-handoff, then git handoff init" >&2' handoff "$@"`,
    )
  })

  it('is a runner that sh can read, with paths of Windows, checked out there too', () => {
    const paths = { node: "C:\\n o'de\\node.exe", program: 'D:\\p' }
    const script = runnerText(paths)
    execFileSync('sh', ['-n'], { input: script })
    expect(parseRunner(script)).toEqual(paths)
    expect(script).not.toContain('\r')
    const cwd = fileURLToPath(new URL('../../../', import.meta.url))
    const check = ['check-attr', 'text', 'bin/hook.sh', 'hooks/pre-commit']
    const git = execFileSync('git', check, { cwd, encoding: 'utf8' })
    expect(git).toBe('bin/hook.sh: text: unset\nhooks/pre-commit: text: unset\n')
  })
})
