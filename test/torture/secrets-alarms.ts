import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { identifyFile } from '../../src/agents/find.ts'
import { isHandoffError } from '../../src/errors/handoff-error.ts'
import { createScanner } from '../../src/secrets/scanner.ts'
import { createFakes } from '../unit/secrets/fake.ts'
import type { Context } from './part.ts'
import { sample } from './random.ts'
import { CALLER, GOAL } from './secrets-gathered.ts'
import { prepareHanded } from './secrets-handed.ts'
import { makeWorld } from './secrets-world.ts'

/** What is often written down and is no secret; assembled here, so that no scanner of sources stops at it. */
const LOOKALIKES: Readonly<Record<string, readonly string[]>> = {
  'lock file': [
    '"integrity": "sha512-{A-Za-z0-9+/:86}=="',
    'resolved "https://registry.example.org/left-pad/-/left-pad-1.3.0.tgz#{0-9a-f:40}"',
    'checksum = "{0-9a-f:64}"',
    'golang.org/x/text v0.3.7 h1:{A-Za-z0-9+/:43}=',
  ],
  hashes: [
    'commit {0-9a-f:40}',
    'the token cache broke in {0-9a-f:12}',
    'sha256:{0-9a-f:64}',
    'etag: {0-9a-f:32}',
  ],
  UUIDs: ['session {uuid}', 'request = "{uuid}"', 'key: {uuid}'],
  'base64 image': ['![queue](data:image/png;base64,iVBORw0KGgo{A-Za-z0-9+/:600})'],
  placeholders: [
    `${'s'}k-…`,
    'api_key: <your-key>',
    `gh${'p'}_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx`,
    'password=changeme',
    'Authorization: Bearer $TOKEN',
    'postgres://user:password@localhost/db',
  ],
  'minified code': [
    '!function(e,t){e.token=t.key||n(3).secretOf(e),t.passwordField="input2"}(this,r);var a={b:"{A-Za-z0-9:6}",k1:function(){return x9.token}}',
  ],
  names: ['`rotateApiKeyOfTokenStore2` in src/auth/token-store2.ts', 'secret_name: prod-db-credentials-2024'],
}

/** At most one text in so many may be stopped. */
const MOST = 200

/** What is no secret passes, and what is stopped all the same is let through in one step that the message names. */
export async function alarms(context: Context): Promise<void> {
  await lookalikes(context)
  await wayOut(context)
  await corpus(context)
}

async function lookalikes({ program, seed, long, row }: Context): Promise<void> {
  const { make } = createFakes(seed)
  for (const [name, shapes] of Object.entries(LOOKALIKES)) {
    const texts = Array.from({ length: long ? 2000 : 200 }, (_, at) => make(shapes[at % shapes.length] ?? ''))
    let stopped = 0
    for (const text of texts)
      if ((await createScanner().find(`Mind ${text} in the queue.`)).length > 0) stopped++
    row(
      `no secret: ${name}`,
      'text handed in',
      texts.length,
      stopped * MOST <= texts.length,
      `${stopped} stopped`,
    )
  }
  const world = makeWorld(program)
  prepareHanded(world)
  const information = Object.values(LOOKALIKES)
    .flat()
    .map((shape) => make(shape))
  const ran = await world.run(['create', GOAL, '--notes', '-', '--json'], {
    stdin: JSON.stringify({ information }),
    env: CALLER,
  })
  const isWhole = ran.code === 0 && !ran.stdout.includes('[REDACTED:')
  row(
    'no secret: all of them',
    'create --notes',
    information.length,
    isWhole,
    isWhole ? '' : ran.stdout.slice(0, 200),
  )
}

async function wayOut({ program, seed, row }: Context): Promise<void> {
  const world = makeWorld(program)
  prepareHanded(world)
  const goal = `explain the sample key ${createFakes(seed).make('glpat-{A-Za-z0-9_-:20}')} in the docs`
  const refused = await world.run(['create', goal, '--no-notes'], { env: CALLER })
  // Nothing but what the message says: the variable once, or the line in the file for good.
  const once = /HANDOFF_SECRETS_ALLOW=(\S+)/.exec(refused.stderr)?.[1] ?? ''
  const line = /`(secrets: \{.*?\})`/.exec(refused.stderr)?.[1] ?? ''
  const tried = await world.run(['create', goal, '--print'], {
    env: { ...CALLER, HANDOFF_SECRETS_ALLOW: once },
  })
  const own = join(world.repo.home, '.config/handoff')
  mkdirSync(own, { recursive: true })
  writeFileSync(join(own, 'config.yaml'), line)
  const kept = await world.run(['create', goal, '--no-notes'], { env: CALLER })
  const other = goal.replace(/glpat-\S+/, createFakes(seed + 1).make('glpat-{A-Za-z0-9_-:20}'))
  const still = await world.run(['create', other, '--no-notes'], { env: CALLER })
  const codes = [refused.code, tried.code, kept.code, still.code].join(' ')
  row(
    'false alarm',
    'the way out that its message names',
    4,
    codes === '1 0 0 1',
    codes === '1 0 0 1' ? '' : `exits ${codes}`,
  )
}

/** Recorded sessions, read where they lie: what their people and agents wrote, as if it were handed in. */
async function corpus({ scratch, random, row, case: tell }: Context): Promise<void> {
  const folder = process.env.TORTURE_CORPUS ?? ''
  const fault = 'no secret: recorded sessions'
  if (!existsSync(folder)) {
    row(fault, 'text handed in', 0, 'not run', 'TORTURE_CORPUS names no folder of sessions')
    return
  }
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.jsonl?\.gz$/.test(name),
  )
  const work = scratch('corpus')
  mkdirSync(work, { recursive: true })
  const sums = { sessions: 0, texts: 0, stopped: 0, briefs: 0, briefsStopped: 0 }
  for (const name of sample(files.sort(), 60, random)) {
    const path = join(work, 'session.jsonl')
    writeFileSync(path, gunzipSync(readFileSync(join(folder, name))))
    const scanner = createScanner()
    const texts: { kind: string; text: string }[] = []
    try {
      const { adapter, ref } = await identifyFile(path)
      for await (const batch of adapter.read(ref, { onRaw: scanner.onRaw }))
        for (const event of batch)
          if ((event.kind === 'prompt' || event.kind === 'reply') && event.sub === null)
            texts.push({ kind: event.kind, text: event.text.slice(0, 4000) })
    } catch (error) {
      if (!isHandoffError(error)) throw error
      continue
    }
    sums.sessions++
    for (const [at, { kind, text }] of texts.entries()) {
      const hits = await scanner.find(text)
      sums.texts++
      if (hits.length > 0) sums.stopped++
      if (kind !== 'prompt') continue
      // A handoff here would have this prompt for its goal and the last words of the agent for notes.
      const before = texts.slice(0, at).findLast((one) => one.kind === 'reply')
      const notes = before === undefined ? [] : await scanner.find(before.text)
      sums.briefs++
      if (hits.length + notes.length > 0) sums.briefsStopped++
      for (const { rule, fingerprint } of [...hits, ...notes])
        tell({ fault, session: sums.sessions, rule, fingerprint })
    }
  }
  row(
    fault,
    'goal and notes of a brief',
    sums.briefs,
    sums.briefsStopped * MOST <= sums.briefs,
    `${sums.briefsStopped} stopped; of all ${sums.texts} texts in ${sums.sessions} sessions ${sums.stopped}`,
  )
}
