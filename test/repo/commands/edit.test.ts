import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { byNight, describeByNight, sampled } from '../../sampled.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { create, GOAL, headOf, usual } from '../usual.ts'

const cancel = Symbol('cancel')
const asked = vi.fn<(question: { message: string; options: { value: string }[] }) => unknown>()
const typed = vi.fn<(question: { message: string }) => unknown>(() => cancel)
vi.mock('@clack/prompts', () => ({
  text: (question: { message: string }) => typed(question),
  select: (question: { message: string; options: { value: string }[] }) => asked(question),
  isCancel: (answer: unknown) => answer === cancel,
}))
afterAll(() => vi.doUnmock('@clack/prompts'))
beforeEach(() => void asked.mockReset())
beforeEach(() => void typed.mockClear())

/** An editor that does one of these scripts at each call, in turn; the file is `$1`. */
function editor(repo: TempRepo, ...scripts: string[]): Record<string, string> {
  const path = join(repo.base, 'editor.sh')
  const cases = scripts.map((script, i) => `${i + 1}) ${script};;`).join('\n')
  writeFileSync(
    path,
    `echo >>"$0.calls"\ncase $(wc -l <"$0.calls" | tr -d ' ') in\n${cases}\n*) exit 9;; esac\n`,
  )
  return { GIT_EDITOR: `sh '${path}'` }
}

const VAGUE = `sed -i 's/^${GOAL}.*/continue the work/' "$1"`
const HEADING = `printf '\\n## My own heading\\n\\nsome words\\n' >>"$1"`
const NO_STATUS = `sed -i '/^## Status$/,/^## /{/^## Status$/d;/^- /d}' "$1"`
const SECRET = `sed -i "s/Do NOT touch/The key is $TYPED, do NOT touch/" "$1"`
const key = (): string => `ghp_${'aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z5A'}`

const draftOf = (text: string): string => /kept in\s+(\/\S+\.md)[.,]/.exec(text)?.[1] ?? 'no draft was named'
const drafts = ({ root }: TempRepo): string[] => {
  const folder = join(root, '.git/handoff/drafts')
  return existsSync(folder) ? readdirSync(folder) : []
}
const onTerminal = (repo: TempRepo, env: Record<string, string>, ...argv: string[]) =>
  cli(repo, ['create', GOAL, '--edit', ...argv], { isTTY: true, env })

describe('a goal that was not given, at a terminal', () => {
  const request = { user: 'Document the limits of the retry queue.' }
  const questionAfter = async (...steps: Parameters<typeof writeClaudeSession>[1]) => {
    const repo = makeRepo()
    writeClaudeSession(repo, [request, ...steps, { says: 'They are documented.' }])
    await cli(repo, ['create'], { isTTY: true })
    return typed.mock.calls[0]?.[0].message ?? ''
  }

  it('is proposed from the last request, with one line on what the keys do', async () => {
    const lines = (await questionAfter()).split('\n').map((line) => line.trim())
    expect(lines.slice(-2)).toEqual([`Proposed: ${request.user}`, 'Enter accepts it. Esc cancels.'])
    expect(lines.filter((line) => line.includes('Enter'))).toHaveLength(1)
  })

  it('is not proposed from a request that ended in a commit', async () => {
    const commit = { bash: 'git commit -am limits', exit: 0, output: '[main 0123abc] limits' }
    expect(await questionAfter(commit)).not.toContain('Proposed')
  })

  it('is proposed without steps of a plan that nobody ticked off: a file that was made, a commit, a test that passed (U-M8)', async () => {
    const open = [
      'Write src/window.js',
      'Fix the stale timer entries',
      'Test it',
      'Document the window in README.md',
    ]
    const todo = open.map((content) => ({ content, status: 'pending' as const }))
    const commit = { bash: 'git commit -am x', exit: 0, output: '[main 0123abc] fix stale timer entries' }
    const question = await questionAfter({ todo }, { write: 'src/window.js' }, commit, {
      bash: 'node --test',
      exit: 0,
      output: 'ok',
    })
    expect(question).toContain('Proposed: Document the window in README.md\n')
  })

  it('is proposed from the session that was chosen, which is told first (U-M8)', async () => {
    const repo = makeRepo()
    const chosen = '22222222-2222-4333-8444-555555555555'
    writeClaudeSession(repo, [request, { says: 'They are documented.' }])
    writeClaudeSession(repo, [{ user: 'Fix the window of the scheduler.' }, { says: 'I begin.' }], {
      id: chosen,
      end: new Date('2026-11-22T07:00:00.000Z'),
    })
    const { stderr } = await cli(repo, ['create', '--session', chosen], { isTTY: true })
    expect(typed.mock.calls[0]?.[0].message).toContain('Proposed: Fix the window of the scheduler.\n')
    expect(stderr).toContain(`Session: Claude Code ${chosen}`)
  })
})

describeByNight('an edit that cannot be handed over, at a terminal', () => {
  byNight('is told what is wrong: a section nobody knows, a secret, a rule', async () => {
    for (const [script, words, argv] of [
      [HEADING, 'no section of a brief holds the line "## My own heading"', []],
      [SECRET, 'A secret is in the edited brief (github-token, line ', []],
      [NO_STATUS, 'sections', ['--mode', 'strict']],
    ] as const) {
      const repo = usual()
      const secret = key()
      const head = headOf(repo)
      const { stderr } = await onTerminal(repo, { ...editor(repo, script), TYPED: secret }, ...argv)
      expect(stderr.replace(/\s+/g, ' ')).toContain(words)
      expect(stderr).not.toContain(secret)
      expect(readFileSync(draftOf(stderr), 'utf8')).not.toContain(secret)
      expect([headOf(repo), repo.git(['status', '--porcelain'])]).toEqual([head, ''])
      expect(asked).not.toHaveBeenCalled()
    }
  })
})

describe('a secret in an edit', () => {
  /** It was typed into a demand and into the quotation of it. */
  const linesOf = (draft: string): number[] =>
    draft.split('\n').flatMap((line, at) => (line.includes('[REDACTED:github-token]') ? [at + 1] : []))

  it('does not stay in the draft when the editor fails', async () => {
    const repo = usual()
    const secret = key()
    const env = { ...editor(repo, `${SECRET}; exit 3`), TYPED: secret }
    const { json } = await create(repo, ['--edit'], { env })
    expect(json.errors[0].code).toBe('E_EDITOR')
    const draft = readFileSync(json.errors[0].draft, 'utf8')
    expect(linesOf(draft)).toHaveLength(2)
    expect(draft).not.toContain(secret)
  })

  byNight('is told the same to a program', async () => {
    const repo = usual()
    const { json } = await create(repo, ['--edit'], { env: { ...editor(repo, SECRET), TYPED: key() } })
    const [error] = json.errors
    const lines = linesOf(readFileSync(error.draft, 'utf8'))
    expect(lines).toHaveLength(2)
    const [fingerprint] = error.fingerprints
    expect(error.places).toEqual(lines.map((line) => ({ rule: 'github-token', fingerprint, line })))
    expect(error.hint).toContain('with [REDACTED:github-token] in place of what was secret')
  })
})

byNight(
  'an editor that is not there: what is read is named in its order, and the way on without one',
  async () => {
    const repo = usual()
    const { code, json } = await create(repo, ['--edit'], { env: { GIT_EDITOR: '', VISUAL: 'ed-missing' } })
    const [{ message, hint, draft }] = json.errors
    expect([code, message]).toEqual([130, 'Handoff cancelled: the editor ed-missing was not found.'])
    expect(hint).toMatch(/GIT_EDITOR, .*core\.editor`, VISUAL and EDITOR, else vi/)
    expect(hint).toContain('`export GIT_EDITOR=nano; git handoff create "<goal>" --edit`')
    expect(hint).toContain('--no-edit')
    expect(existsSync(draft)).toBe(true)
    const doctor = await cli(repo, ['doctor'])
    expect(doctor.stdout).toContain('the edit of a brief was cancelled, refused or stopped')
    expect(doctor.stdout).not.toContain('a handoff was stopped')
  },
)

describe('without a terminal', () => {
  it.each(
    sampled<[string, string, string[], number, string]>(
      [
        ['a vague goal', VAGUE, [], 2, 'E_GOAL'],
        ['a section nobody knows', HEADING, [], 130, 'E_EDITOR'],
        ['no brief', 'echo hello >"$1"', [], 130, 'E_EDITOR'],
        ['an emptied file', ': >"$1"', [], 130, 'E_EDITOR'],
        ['an editor that fails', 'exit 3', [], 130, 'E_EDITOR'],
        ['an editor that is killed', 'kill -9 $$', [], 130, 'E_EDITOR'],
        ['a rule that is broken', NO_STATUS, ['--mode', 'strict'], 1, 'E_REFUSED'],
      ],
      2,
    ),
  )('%s: nothing is written, and the draft is named', async (_, script, argv, exit, name) => {
    const repo = usual()
    const head = headOf(repo)
    const { code, json } = await create(repo, ['--edit', ...argv], { env: editor(repo, script) })
    expect([code, json.errors[0].code, headOf(repo), repo.git(['status', '--porcelain'])]).toEqual([
      exit,
      name,
      head,
      '',
    ])
    expect(json.errors[0].hint).toContain(json.errors[0].draft)
    expect(existsSync(json.errors[0].draft)).toBe(true)
    expect(asked).not.toHaveBeenCalled()
  })
})

byNight('an edit that changes nothing gives the brief that was shown, and keeps no draft', async () => {
  const repo = usual()
  const { json } = await create(repo, ['--edit'], { env: editor(repo, 'cp "$1" "$0.seen"') })
  expect(json.markdown).toBe(readFileSync(join(repo.base, 'editor.sh.seen'), 'utf8'))
  expect(drafts(repo)).toEqual([])
})

byNight(
  'changed facts are the user’s in the brief that is committed, the others are what they were',
  async () => {
    const repo = usual()
    const script = `sed -i 's/^\\(- .src\\/queue.ts. — \\)[^[]*/\\1where the limit goes /' "$1"`
    repo.write('src/other.ts', 'x\n')
    const { json: shown } = await create(repo, ['--dry-run'])
    const { json } = await create(repo, ['--edit'], { env: editor(repo, script) })
    const sources = ({ relevantFiles }: { relevantFiles: { path: string; source: string }[] }) =>
      Object.fromEntries(relevantFiles.map(({ path, source }) => [path, source]))
    const before = sources(shown.brief)
    expect(Object.keys(before).length).toBeGreaterThan(1)
    expect(sources(json.brief)).toEqual({ ...before, 'src/queue.ts': 'user' })
    expect(await cli(repo, ['check', '--json', json.path])).toMatchObject({ code: 0 })
  },
)
