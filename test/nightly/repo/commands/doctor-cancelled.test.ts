import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { cancelled } from '../../../../src/errors/writing.ts'
import { isAlive } from '../../../is-alive.ts'
import { doctor, healthy } from '../../../repo/doctor-world.ts'
import { wholeLines } from '../../../whole-lines.ts'

/** Ms without another git that begins or ends: what does not wait for the one that hangs is done then. */
const QUIET = 120
/** Ms within which it must be over: less than any limit that a question has of its own. */
const SOON = 5000

const SOONER = { timeout: SOON, interval: 5 }

/** The process that a script has written down. */
async function pidIn(file: string): Promise<number> {
  await expect.poll(() => wholeLines(file), { timeout: 20_000, interval: 5 }).toHaveLength(1)
  return Number(wholeLines(file)[0])
}

it('is cancelled while any of its questions to git hangs: that is no finding, and no git is left behind', async () => {
  const repo = await healthy()
  const bin = join(repo.base, 'odd')
  mkdirSync(bin)
  const env = { PATH: `${bin}:${repo.env.PATH}` }
  /**
   * The folder in which its calls are counted: `<n>` of each that began, with its process, `over` when it ended and `stays` where it
   * answers question by question until nobody asks any more.
   */
  const hangAt = (at: number): string => {
    const calls = join(repo.base, `calls-${at}`)
    mkdirSync(calls)
    const script = `#!/bin/sh
n=1; while ! mkdir '${calls}/'$n 2>/dev/null; do n=$((n+1)); done
echo $$ > '${calls}/'$n/pid
[ $n -eq ${at} ] && exec sleep 300
case "$*" in *'cat-file --batch')
  : > '${calls}/'$n/stays; PATH='${repo.env.PATH}'; exec git "$@";;
esac
PATH='${repo.env.PATH}' git "$@"
code=$?; : > '${calls}/'$n/over; exit $code
`
    writeFileSync(join(bin, 'git'), script, { mode: 0o755 })
    return calls
  }
  /** Waits until only that one is still to answer. */
  const onlyWaitsFor = async (calls: string, at: number): Promise<void> => {
    let [seen, since] = ['', performance.now()]
    const end = since + 20_000
    for (;;) {
      const all = readdirSync(calls)
      const open = all.filter((name) =>
        ['over', 'stays'].every((mark) => !existsSync(join(calls, name, mark))),
      )
      const now = performance.now()
      if (now > end) throw new Error(`call ${at} of git: ${open.length} of ${all.length} are open`)
      const state = `${all.length} ${open.join()}`
      if (state !== seen || open.join() !== String(at)) [seen, since] = [state, now]
      if (now - since > QUIET) return
      await sleep(5)
    }
  }
  const counted = hangAt(0)
  expect((await doctor(repo, { env })).code).toBe(0)
  const count = readdirSync(counted).length
  expect(count).toBeGreaterThan(5)
  const wrong: string[] = []
  for (let at = 1; at <= count; at++) {
    const calls = hangAt(at)
    const controller = new AbortController()
    const running = doctor(repo, { env, signal: controller.signal })
    await onlyWaitsFor(calls, at)
    const pid = await pidIn(join(calls, String(at), 'pid'))
    controller.abort(cancelled())
    const timer = setTimeout(() => {
      wrong.push(`call ${at} hangs on`)
      process.kill(pid, 'SIGKILL')
    }, SOON)
    const { code } = await running
    clearTimeout(timer)
    if (code !== 130) wrong.push(`call ${at}: exit ${code}`)
    for (const name of readdirSync(calls)) {
      const left = await pidIn(join(calls, name, 'pid'))
      await expect.poll(() => isAlive(left), SOONER).toBe(false)
    }
  }
  expect(wrong).toEqual([])
})
