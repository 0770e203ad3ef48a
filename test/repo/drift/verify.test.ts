import { describe, expect, it } from 'vitest'
import { byNight, describeByNight } from '../../sampled.ts'
import { sampleNotes } from '../../unit/brief/sample.ts'
import { writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { fakeAgent } from '../fake-agent.ts'
import { makeRepo } from '../make-repo.ts'
import { later, made, succeeded, usual, withBrief } from '../usual.ts'
import { file, hand, ID, told, verify } from './place.ts'

describe('verify', () => {
  it('right after the handoff nothing contradicts it', async () => {
    const { repo } = await withBrief()
    const { code, stdout, json } = await verify(repo)
    expect(
      json.items.map((item: { code: string }) => item.code),
      stdout,
    ).toEqual(['own-commits'])
    expect(code).toBe(0)
  })

  byNight(
    'right after a handoff of a session of another repository it says what was never here, and contradicts nothing',
    async () => {
      const repo = usual()
      const other = makeRepo()
      const path = writeClaudeSession(other, [
        { user: 'Fix the queue of the other program.' },
        { edit: 'lib/elsewhere.ts' },
        { edit: 'lib/too.ts' },
        { says: 'Done.' },
      ])
      const brief = await made(repo, ['--session', path])
      expect(brief.brief.relevantFiles.map(({ path }: { path: string }) => path)).toContain(
        'lib/elsewhere.ts',
      )
      const { code, json, stdout } = await verify(repo)
      expect(code, stdout).toBe(0)
      expect(json.items).toContainEqual({
        code: 'file-never',
        level: 'note',
        message:
          '2 files it names are not here and were not here when it was made: `lib/too.ts`, `lib/elsewhere.ts`. The session may belong to another repository.',
      })
      // Nor is that a reason to make it anew for whoever goes on.
      const { env } = fakeAgent(repo, 'codex')
      const argv = ['resume', '--to', 'codex', '--headless', '--json']
      expect(succeeded(await cli(repo, argv, { env, now: later(60) })).id).toBe(brief.id)
    },
  )

  it('tells what became of the files it names', async () => {
    const repo = makeRepo()
    const long = Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join('')
    repo.commit('files', {
      'same.ts': 's\n',
      'changed.ts': 'a\nb\n',
      'old.ts': long,
      'gone.ts': 'g\n',
      'dirty.ts': 'd\n',
    })
    repo.write('local.ts', 'l\n')
    hand(repo, {
      files: [
        ...['same.ts', 'changed.ts', 'old.ts', 'gone.ts', 'dirty.ts', 'local.ts', 'lost.ts'].map((path) =>
          file(path),
        ),
        file('made.ts', { mark: 'planned' }),
        file('later.ts', { mark: 'planned' }),
        file('back.ts', { mark: 'gone' }),
        file('away.ts', { mark: 'gone' }),
        file('other/never.ts', { mark: 'unverified' }),
      ],
    })
    repo.git(['mv', 'old.ts', 'new.ts'])
    repo.git(['rm', '-q', 'gone.ts'])
    repo.write('new.ts', `${long}more\n`)
    repo.write('changed.ts', 'a\nB\nc\n')
    repo.write('made.ts', 'm\n')
    repo.write('back.ts', 'b\n')
    repo.git(['add', 'new.ts', 'changed.ts', 'made.ts', 'back.ts'])
    repo.git(['commit', '-q', '-m', 'go on'])
    repo.write('dirty.ts', 'dd\n')
    const { code, json } = await verify(repo)
    expect(code).toBe(1)
    expect(json.stillTrue).toBe(false)
    expect(await told(repo)).toEqual([
      'file-renamed old.ts new.ts',
      'file-gone gone.ts',
      'file-missing lost.ts',
      'file-back back.ts',
      'file-changed changed.ts',
      'file-dirty dirty.ts',
      'file-dirty local.ts',
      'file-made made.ts',
      'file-never other/never.ts',
    ])
    const text = (await cli(repo, ['verify'])).stdout
    expect(text).toContain('`old.ts` is `new.ts` now, +1 −0 lines.')
    expect(text).toContain('`changed.ts` changed since, +2 −1 lines.')
    expect(text).toContain('1 commit since: ')
    expect(text).toContain('1 commit since with changes in .handoff/ only.')
    expect(text.split('\n')[0]).toBe(`${ID}: 4 contradictions found.`)
  })

  byNight('tells what became of files that only the page of the agent names', async () => {
    const repo = makeRepo()
    repo.commit('files', { 'src/same.ts': 's\n', 'src/changed.ts': 'a\n', 'src/gone.ts': 'g\n' })
    const page =
      '## Where it stands\nDone: `src/same.ts`, `src/changed.ts`; drop `src/gone.ts:1-2`. Not `src/never.ts`, `make/all`.'
    hand(repo, { notes: { ...sampleNotes(), page }, files: [file('src/changed.ts')] })
    repo.git(['rm', '-q', 'src/gone.ts'])
    repo.write('src/changed.ts', 'b\n')
    repo.git(['commit', '-q', '-a', '-m', 'go on'])
    expect(await told(repo)).toEqual(['file-gone src/gone.ts', 'file-changed src/changed.ts'])
  })
})

describeByNight('the line of drift', () => {
  const line = async (repo: Parameters<typeof cli>[0]) =>
    (await cli(repo, ['show', '--prompt'])).stdout
      .split('\n')
      .find((text) => /^(?:Since then|Nothing was|The commit it was)/.test(text))

  byNight('a renamed file is not gone', async () => {
    const repo = makeRepo()
    const long = Array.from({ length: 30 }, (_, at) => `line ${at}\n`).join('')
    repo.commit('files', { 'old.ts': long, 'gone.ts': 'g\n', 'b.ts': 'b\n' })
    hand(repo, { files: [file('old.ts'), file('gone.ts'), file('b.ts')] })
    expect(await line(repo)).toBe('Nothing was committed since.')
    repo.git(['mv', 'old.ts', 'new.ts'])
    repo.git(['rm', '-q', 'gone.ts'])
    repo.commit('go on', { 'new.ts': `${long}more\n`, 'b.ts': 'bb\n' })
    expect(await line(repo)).toBe(
      'Since then: 1 commit, 1 of the files it names changed, 1 of the files it names renamed, 1 of the files it names gone.',
    )
  })
})
