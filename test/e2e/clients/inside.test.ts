import { appendFile, readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { ClientId } from '../client/client.ts'
import { git, handoff, type Lab, makeLab } from '../lab.ts'
import { clientTest, GOAL, handOver, PAGE_TOLD, work } from './work.ts'

/** Makes the one transcript below `folder` the newest by far: a last record one hour ahead, in its own format. */
async function ageForward(lab: Lab, folder: string, copyOf: RegExp): Promise<string> {
  const names = (await readdir(join(lab.home, folder), { recursive: true })).filter((name) =>
    name.endsWith('.jsonl'),
  )
  const name = names[0] ?? ''
  expect(names).toEqual([name])
  const path = join(lab.home, folder, name)
  const line = (await readFile(path, 'utf8')).split('\n').find((text) => copyOf.test(text)) ?? ''
  const ahead = new Date(Date.now() + 3_600_000).toISOString()
  await appendFile(path, `${line.replace(/"timestamp":"[^"]+"/, `"timestamp":"${ahead}"`)}\n`)
  return path
}

const transcripts: Partial<Record<ClientId, [folder: string, copyOf: RegExp]>> = {
  'claude-code': [join('.claude', 'projects'), /"type":"assistant"/],
  codex: [join('.codex', 'sessions'), /"type":"event_msg"/],
}

describe('create called by the agent from its own shell tool', () => {
  for (const id of ['claude-code', 'codex'] as const) {
    clientTest(`takes the session of the ${id} that calls it, not a newer one`, [id], async () => {
      const lab = await makeLab()
      await work(lab, id)
      const other = await ageForward(lab, ...(transcripts[id] ?? ['', /./]))
      await git(lab, 'checkout', '-q', 'calc.js')

      await work(lab, id, {
        extra: [
          [{ run: `handoff create '${GOAL}' --json > ../asked.json; true` }],
          [{ run: handOver(GOAL, '--json > ../made.json') }],
        ],
      })
      const asked = JSON.parse(await readFile(join(lab.repo, '..', 'asked.json'), 'utf8'))
      expect(asked.errors[0].code).toBe('E_NOTES_WANTED')

      const made = JSON.parse(await readFile(join(lab.repo, '..', 'made.json'), 'utf8'))
      expect(made).toMatchObject({ ok: true, session: { agent: id } })
      expect(made.session.path).not.toBe(other)
      const brief = await git(lab, 'show', `HEAD:${made.path}`)
      for (const text of [GOAL, PAGE_TOLD]) expect(brief).toContain(text)
      // The call to create is no command of the work.
      expect(
        made.brief.relevantCommands.filter(({ command }: { command: string }) => command.includes('handoff')),
      ).toEqual([])
      const checked = await handoff(lab, 'check', made.path)
      expect(checked.code, checked.stderr + checked.stdout).toBe(0)
    })
  }
})
