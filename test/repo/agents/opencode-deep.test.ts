import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { opencode } from '../../../src/agents/opencode/index.ts'
import { sessionPath } from '../../../src/agents/sqlite.ts'
import { makeFolder } from '../make-repo.ts'

it('a row that is nested deeper than it can be written is told, not died of', async () => {
  const home = makeFolder()
  const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
  const rows = [
    {
      session: {
        id: 'ses_x',
        directory: '/home/dev/repo',
        title: 'x',
        version: '1.18.33',
        time: { created: 1 },
      },
    },
    { message: 'msg_x', of: 'ses_x', data: { role: 'user', time: { created: 2 } } },
  ].map((row) => JSON.stringify(row))
  const lines = [
    'line',
    ...rows,
    `{"part":"prt_x","of":"msg_x","data":{"type":"text","text":"hi","x":${deep}}}`,
  ]
  writeFileSync(join(home, 'rows.tsv'), `${lines.join('\n')}\n`)
  for (const folder of ['bin', '.local/share/opencode']) mkdirSync(join(home, folder), { recursive: true })
  writeFileSync(join(home, 'bin/opencode'), `#!/bin/sh\nexec cat '${home}/rows.tsv'\n`)
  chmodSync(join(home, 'bin/opencode'), 0o755)
  const database = join(home, '.local/share/opencode/opencode.db')
  writeFileSync(database, 'no database')
  const ref = {
    ...{ agent: 'opencode' as const, id: 'ses_x', cwd: '/home/dev/repo', startedAt: null, bytes: 1 },
    ...{ updatedAt: '2026-11-22T09:00:00.000Z', path: sessionPath(database, 'ses_x') },
  }
  const place = { home, env: { PATH: `${home}/bin:/usr/bin:/bin` } }
  await expect(opencode.text?.(ref, { place })).rejects.toMatchObject({ code: 'E_SESSION_UNREADABLE' })
  const events = []
  for await (const batch of opencode.read(ref, { place })) events.push(...batch)
  expect(events.map(({ kind }) => kind)).toContain('prompt')
})
