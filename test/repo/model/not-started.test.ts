import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { describe, expect, it } from 'vitest'
import { piLaunch } from '../../../src/agents/pi/index.ts'
import { agentModel } from '../../../src/model/agent.ts'
import { runProgram } from '../../../src/model/program.ts'
import type { Ask } from '../../../src/types/agent.ts'
import { makeFolder } from '../make-repo.ts'

const ask = piLaunch.ask as Ask
const failedOf = (asking: Promise<unknown>): Promise<{ code: string; message: string }> =>
  asking.then(
    () => Promise.reject(new Error('it answered')),
    (error) => error,
  )
const agent = (program: string, PATH: string) =>
  failedOf(agentModel({ label: 'Pi', program, ask, model: null, env: { PATH } }).ask({ prompt: 'q' }))
const program = (file: string) => failedOf(runProgram({ file, args: ['-p'], stdin: 'q' }))

/** A program of this text in a folder of its own; its path. */
function planted(name: string, text: string, mode = 0o755): { bin: string; path: string } {
  const bin = join(makeFolder(), 'bin')
  mkdirSync(bin)
  const path = join(bin, name)
  writeFileSync(path, text)
  chmodSync(path, mode)
  return { bin, path }
}

describe('a program that cannot be started', () => {
  it('is not on PATH', async () => {
    const said = { code: 'E_MODEL', message: 'The model Pi gave no answer: `pi` is not on PATH' }
    expect(await agent('pi', '/nowhere:/usr/bin')).toMatchObject(said)
    expect((await program('no-such-program')).message).toBe('`no-such-program` is not on PATH')
  })

  it('has a path and is not there', async () => {
    expect((await program('/nowhere/pi')).message).toBe('`/nowhere/pi` is not there')
  })

  it('is on PATH, and what its first line names is missing', async () => {
    const { bin, path } = planted('pi', '#!/nope/node --flag\n')
    const said = `\`${path}\` cannot be started: \`/nope/node\`, which its first line names, is not there`
    expect((await agent('pi', `/nowhere:${bin}`)).message).toBe(`The model Pi gave no answer: ${said}`)
    expect((await program(path)).message).toBe(said)
  })

  it('has a first line that ends as on Windows', async () => {
    const { bin } = planted('pi', '#!/bin/sh\r\necho\r\n')
    expect((await agent('pi', bin)).message).toContain(
      '`/bin/sh\\r`, which its first line names, is not there',
    )
  })

  it('may not be executed', async () => {
    const { bin } = planted('pi', '#!/bin/sh\n', 0o644)
    expect((await agent('pi', bin)).message).toContain('EACCES')
  })

  it('finds no free file descriptor: the model failed, and the process goes on', async () => {
    const folder = makeFolder()
    const outfile = join(folder, 'ask.mjs')
    const at = (path: string): string =>
      JSON.stringify(fileURLToPath(new URL(`../../../src/${path}`, import.meta.url)))
    await build({
      stdin: {
        contents: `
          import { closeSync, openSync, readdirSync } from 'node:fs'
          import { agentModel } from ${at('model/agent.ts')}
          import { piLaunch } from ${at('agents/pi/index.ts')}
          const env = { PATH: '/usr/bin:/bin' }
          const ask = { ...piLaunch.ask, args: () => [] }
          const model = agentModel({ label: 'Pi', program: 'cat', ask, model: null, env })
          const said = []
          for (const free of [0, 1, 3, 5]) {
            const held = []
            try { for (;;) held.push(openSync('/dev/null', 'r')) } catch {}
            for (const one of held.splice(0, free)) closeSync(one)
            const failure = await model.ask({ prompt: 'q' }).then(() => null, (error) => error)
            for (const one of held) closeSync(one)
            said.push(failure === null ? null : { code: failure.code, message: failure.message })
          }
          console.log(JSON.stringify({ said, left: readdirSync(process.env.TMPDIR) }))
        `,
        resolveDir: folder,
      },
      bundle: true,
      platform: 'node',
      format: 'esm',
      outfile,
    })
    const TMPDIR = join(folder, 'tmp')
    mkdirSync(TMPDIR)
    const { status, stdout, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -n 128 && exec "$0" "$1"', process.execPath, outfile],
      { encoding: 'utf8', env: { PATH: '/usr/bin:/bin', TMPDIR } },
    )
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    const { said, left } = JSON.parse(stdout)
    expect(said).toHaveLength(4)
    for (const one of said) {
      expect(one.code).toBe('E_MODEL')
      expect(one.message).toContain('`cat` cannot be started: no file descriptor is free (EMFILE)')
    }
    expect(left).toEqual([])
  })
})
