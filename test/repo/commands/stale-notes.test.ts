import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { byNight, sampled } from '../../sampled.ts'
import { cli, NOW } from '../cli.ts'
import type { TempRepo } from '../make-repo.ts'
import { AGENT, create, headOf, later, printed, SESSION, sectionOf, usual } from '../usual.ts'

const PLACEHOLDER = '[gap-fill not provided]'
const SLOTS = { activeHypothesis: 'the timer is cleared twice' }

/** The line that offers a page that is not used. */
const offered = (why: string) => expect.stringMatching(new RegExp(`^page of \\d\\d:00 not used: ${why}; `))

const notesFolder = (repo: TempRepo): string => join(repo.root, '.git/handoff/notes')

describe('stale notes', () => {
  let repo: TempRepo
  beforeAll(async () => {
    repo = usual()
    await cli(repo, ['note', '-'], { ...AGENT, stdin: JSON.stringify(SLOTS) })
  })
  const memory = (markdown: string) => sectionOf(markdown, 'Working Memory')

  it('a record says schema, time, session, branch and head', async () => {
    const listed = await cli(repo, ['note', '--list', '--json'])
    expect(listed.json.notes).toMatchObject([
      {
        schemaVersion: 1,
        capturedAt: NOW.toISOString(),
        capturedBySessionId: SESSION,
        branch: 'main',
        head: headOf(repo),
      },
    ])
  })

  it('same session and branch, within the hour: used, with the time in the front matter', async () => {
    const made = await printed(repo, [], { ...AGENT, now: later(59) })
    expect(memory(made.markdown)).toContain('the timer is cleared twice')
    expect(made.markdown).toMatch(new RegExp(`^ {2}notes:\\n {4}capturedAt: "?${NOW.toISOString()}"?$`, 'm'))
    expect(made.warnings).toEqual([])
  })

  it('--include-stale-notes shows them with their age', async () => {
    const made = await printed(repo, ['--include-stale-notes'], { ...AGENT, now: later(181) })
    expect(memory(made.markdown)).toContain('Recorded 3 h before this brief.')
    expect(memory(made.markdown)).toContain('the timer is cleared twice')
    expect(made.warnings).toContain('stale notes are shown: 3 h old')
  })

  it('from another session: ignored, and said', async () => {
    const own = usual()
    await cli(own, ['note', '--current-line-of-attack', 'mine alone'], {
      env: { CLAUDECODE: '1', CLAUDE_CODE_SESSION_ID: 'aaaaaaaa-2222-4333-8444-555555555555' },
    })
    const made = await printed(own, ['--session', SESSION])
    expect(memory(made.markdown)).toBe(PLACEHOLDER)
    expect(made.warnings).toContainEqual(offered('from another session'))
  })

  const broken = [
    [
      'another schema',
      '{"schemaVersion": 2, "capturedAt": "2026-11-22T10:00:00Z"}',
      'notes ignored: unreadable, this handoff knows schema 1 of notes and no other',
    ],
    ['no JSON at all', 'half a rec', 'notes ignored: unreadable, the notes must be object'],
  ] as const
  it.each(sampled(broken, 1))('%s: ignored, and said', async (_, text, warning) => {
    const own = usual()
    mkdirSync(notesFolder(own), { recursive: true })
    writeFileSync(join(notesFolder(own), '0000.json'), text)
    const made = await printed(own, [], AGENT)
    expect(memory(made.markdown)).toBe(PLACEHOLDER)
    expect(made.warnings).toContain(warning)
  })

  byNight('a blank record never shadows a real one', async () => {
    const blank = { schemaVersion: 1, capturedAt: later(5).toISOString(), branch: 'main' }
    writeFileSync(join(notesFolder(repo), '0000.json'), JSON.stringify(blank))
    const made = await printed(repo, [], { ...AGENT, now: later(10) })
    expect(memory(made.markdown)).toContain('the timer is cleared twice')
  })

  it('--require-notes fails without them and writes nothing', async () => {
    const own = usual()
    const head = headOf(own)
    const failed = await create(own, ['--require-notes'])
    expect(failed).toMatchObject({ code: 1, json: { errors: [{ code: 'E_NOTES_REQUIRED' }] } })
    expect(headOf(own)).toBe(head)
    expect(own.git(['status', '--porcelain'])).toBe('')
  })
})
