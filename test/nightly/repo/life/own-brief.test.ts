import { readFileSync } from 'node:fs'
import { expect } from 'vitest'
import { pointerText } from '../../../../src/brief/latest.ts'
import { cli } from '../../../repo/cli.ts'
import { copyOf, emptyRepo, handOff, told, wordOf } from '../../../repo/life/line-of-work.ts'
import { cloneOf } from '../../../repo/make-repo.ts'
import { later, succeeded } from '../../../repo/usual.ts'
import { byNight, describeByNight } from '../../../sampled.ts'

describeByNight('a brief that this person makes is theirs', () => {
  byNight(
    'in a fresh clone of a repository with briefs the copy holds it whole; the link stays, the stranger’s items do not',
    async () => {
      const theirs = emptyRepo()
      const first = await handOff(theirs, 1)
      const mine = cloneOf(theirs)
      const json = await handOff(mine, 2)
      const copy = mine.read('.handoff/latest.md')
      expect(copy).toContain(json.markdown)
      expect(copy).toContain('finish the cedar module and document its limits')
      expect(json.brief.parents).toEqual([first.id])
      expect(json.markdown).not.toContain(wordOf(1))
      expect(json.markdown).not.toContain('trust')
      const told1 = json.warnings.filter((line: string) => line.includes('not trusted'))
      expect(told1).toEqual([
        `2 rules and open items of ${first.id} left out, as it is not trusted; read it, then: \`git handoff trust ${first.id}\``,
      ])
      expect(succeeded(await cli(mine, ['trust', '--json']))).toMatchObject({ id: json.id, trusted: true })
      expect(await told(mine)).toContain(json.brief.goal)
      expect(mine.git(['status', '--porcelain'])).toBe('')
    },
  )

  byNight('takes over the items once the parent is trusted', async () => {
    const theirs = emptyRepo()
    const first = await handOff(theirs, 1)
    const mine = cloneOf(theirs)
    succeeded(await cli(mine, ['trust', first.id, '--json']))
    const json = await handOff(mine, 2)
    expect(json.markdown).toContain(`Never rename the ${wordOf(1)} table.`)
    expect(json.warnings.join('\n')).not.toContain('not trusted')
  })

  byNight('but what is resumed from a brief that nobody trusts is no more trusted than that', async () => {
    const theirs = emptyRepo()
    await handOff(theirs, 1)
    const mine = cloneOf(theirs)
    const json = succeeded(await cli(mine, ['resume', '--json'], { now: later(300) }))
    expect(json.markdown).toContain(`Never rename the ${wordOf(1)} table.`)
    expect(json.warnings.join('\n')).toContain(`git handoff trust ${json.id}`)
    expect(await told(mine)).not.toContain(wordOf(1))
    expect(await copyOf(mine)).not.toContain(wordOf(1))
  })
})

describeByNight('latest.md', () => {
  byNight('is right after a hard reset, once an agent starts or a command runs', async () => {
    const repo = emptyRepo()
    const first = await handOff(repo, 1)
    const second = await handOff(repo, 2)
    // It notes that the copy is clean; before, a reset writes the pointer anew.
    expect(repo.git(['status', '--porcelain'])).toBe('')
    repo.git(['reset', '-q', '--hard', 'HEAD~2'])
    expect(repo.read('.handoff/latest.md')).toContain(second.id)
    await told(repo)
    expect(repo.read('.handoff/latest.md')).toContain(`id=${first.id}`)
    repo.git(['reset', '-q', '--hard', 'HEAD~1'])
    expect(await copyOf({ ...repo, read: () => '' })).toBe('')
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  byNight(
    'with the text of an earlier version in git stays clean, and the next handoff brings the new one',
    async () => {
      const repo = emptyRepo()
      const first = await handOff(repo, 1)
      const former = readFileSync(
        new URL('../../../fixtures/brief/former-latest.md', import.meta.url),
        'utf8',
      )
      repo.commit('as it was', { '.handoff/latest.md': former })
      expect(await copyOf(repo)).toContain(`${former}<!-- handoff:begin branch=main id=${first.id}`)
      expect(repo.git(['status', '--porcelain'])).toBe('')
      expect((await cli(repo, ['check'])).code).toBe(0)
      expect(JSON.stringify((await cli(repo, ['doctor', '--json'])).json)).not.toContain('text of its own')
      const second = await handOff(repo, 2)
      expect(`${repo.git(['show', 'HEAD:.handoff/latest.md'])}\n`).toBe(pointerText())
      expect(repo.read('.handoff/latest.md')).toContain(
        `${pointerText()}<!-- handoff:begin branch=main id=${second.id}`,
      )
      expect(repo.git(['status', '--porcelain'])).toBe('')
    },
  )

  byNight('follows a pull, a switch and a rebase in a clone without hooks', async () => {
    const theirs = emptyRepo()
    await handOff(theirs, 1)
    const mine = cloneOf(theirs)
    succeeded(await cli(mine, ['trust', '--origin', '--json']))
    const second = await handOff(theirs, 2)
    mine.git(['pull', '-q'])
    expect(await copyOf(mine)).toContain(`id=${second.id}`)
    mine.git(['switch', '-q', '-c', 'side', 'HEAD~2'])
    const side = await handOff(mine, 3)
    expect(await copyOf(mine)).toContain(`id=${side.id}`)
    mine.git(['rebase', '-q', 'main'])
    expect(await copyOf(mine)).toContain(`branch=side id=${side.id}`)
    mine.git(['switch', '-q', 'main'])
    expect(await copyOf(mine)).toContain(`branch=main id=${second.id}`)
    expect(mine.git(['status', '--porcelain'])).toBe('')
  })
})
