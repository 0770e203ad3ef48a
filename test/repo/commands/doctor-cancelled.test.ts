import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cancelled } from '../../../src/errors.ts'
import { doctor, healthy } from '../doctor-world.ts'

it('is cancelled while any of its questions to git hangs: that is no finding', async () => {
  const repo = await healthy()
  const bin = join(repo.base, 'odd')
  mkdirSync(bin)
  const env = { PATH: `${bin}:${repo.env.PATH}` }
  /** The folder in which its calls are counted. */
  const hangAt = (at: number): string => {
    const calls = join(repo.base, `calls-${at}`)
    mkdirSync(calls)
    const script = `#!/bin/sh
n=1; while ! mkdir '${calls}/'$n 2>/dev/null; do n=$((n+1)); done
[ $n -eq ${at} ] && exec sleep 300
PATH='${repo.env.PATH}' exec git "$@"
`
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
    return calls
  }
  const counted = hangAt(0)
  expect((await doctor(repo, { env })).code).toBe(0)
  const count = readdirSync(counted).length
  expect(count).toBeGreaterThan(5)
  const codes: [number, number][] = []
  for (let at = 1; at <= count; at++) {
    const calls = hangAt(at)
    const controller = new AbortController()
    const running = doctor(repo, { env, signal: controller.signal })
    await expect.poll(() => existsSync(join(calls, String(at))), { timeout: 10_000, interval: 5 }).toBe(true)
    controller.abort(cancelled())
    codes.push([at, (await running).code])
  }
  expect(codes.filter(([, code]) => code !== 130)).toEqual([])
})
