import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { gitEnvironment } from '../git/environment.ts'
import { gitText } from '../git/git.ts'
import type { Place } from '../types/config.ts'
import { packageFolder } from '../workspace/find-program.ts'

/** A small repository in which an agent has worked, in a temporary folder with a home and a git configuration of its own. */
export interface Demo {
  place: Place
  /** Runs git there. Resolves to what it prints. */
  git(args: readonly string[]): Promise<string>
  writeCode(code: string): void
  close(): void
}

const BRANCH = 'fix/calc'
/** Where the session says that it worked. */
const RECORDED_IN = '/home/dev/calc'
const SESSION = '5f0c7f6e-1d5b-4f0e-9a44-0c1f2b7d9e10.jsonl'
/** Ms since the last event of the session. */
const SILENT = 4 * 60_000

export const CODE = {
  broken: 'export const add = (a, b) => a - b\nexport const sub = (a, b) => a + b\n',
  half: 'export const add = (a, b) => a + b\nexport const sub = (a, b) => a + b\n',
  fixed: 'export const add = (a, b) => a + b\nexport const sub = (a, b) => a - b\n',
}

const FILES = {
  'package.json': '{ "name": "calc", "type": "module", "private": true }\n',
  'calc.test.js': `import assert from 'node:assert/strict'
import test from 'node:test'
import { add, sub } from './calc.js'

test('add', () => assert.equal(add(2, 3), 5))
test('sub', () => assert.equal(sub(5, 3), 2))
`,
}

const GIT_CONFIG = '[user]\n\tname = Robin\n\temail = robin@example.com\n'

/** Of the person's environment: what programs need to run. No home, no setting of git and no mark of an agent. */
const PASSED = new Set(
  'PATH PATHEXT SYSTEMROOT WINDIR COMSPEC TMPDIR TEMP TMP TERM TZ LANG LD_LIBRARY_PATH DYLD_LIBRARY_PATH'.split(
    ' ',
  ),
)

const isPassed = (name: string): boolean =>
  PASSED.has(name) || name.startsWith('LC_') || name.startsWith('NIX_')

/** Makes the repository and the session. Throws what git and the disk throw; then nothing is left of it. */
export async function openDemo({ env, ...place }: Place): Promise<Demo> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'handoff-demo-')))
  const remove = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  // A second Ctrl-C waits for nobody.
  process.once('exit', remove)
  const close = (): void => {
    remove()
    // What was cancelled may write until the process ends.
    if (place.signal?.aborted !== true) process.off('exit', remove)
  }
  try {
    const [root, home] = [join(folder, 'calc'), join(folder, 'home')]
    mkdirSync(root)
    mkdirSync(home)
    const own = environmentIn(home, env)
    const git = (args: readonly string[]): Promise<string> =>
      gitText(args, { cwd: root, env: gitEnvironment(own), signal: place.signal })
    const writeCode = (code: string): void => writeFileSync(join(root, 'calc.js'), code)
    writeFileSync(join(home, '.gitconfig'), GIT_CONFIG)
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text)
    writeCode(CODE.broken)
    await git(['init', '-q', '-b', 'main', '--template='])
    await git(['add', '.'])
    await git(['commit', '-q', '-m', 'Add the calculator'])
    await git(['switch', '-q', '-c', BRANCH])
    writeCode(CODE.half)
    writeSession(home, root, place.now())
    return { place: { ...place, root, home, env: own }, git, writeCode, close }
  } catch (error) {
    close()
    throw error
  }
}

const environmentIn = (home: string, env: Place['env']): Place['env'] => ({
  ...Object.fromEntries(Object.entries(env).filter(([name]) => isPassed(name.toUpperCase()))),
  HOME: home,
  GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
  GIT_CONFIG_NOSYSTEM: '1',
})

/** The session that comes with the package, as if Claude Code had recorded it in `root` some minutes ago. */
function writeSession(home: string, root: string, now: Date): void {
  const recorded = readFileSync(join(packageFolder(), 'templates', 'demo', 'session.jsonl'), 'utf8')
  const times = [...recorded.matchAll(TIME)].map(([time]) => Date.parse(time))
  const later = now.getTime() - SILENT - Math.max(...times)
  const path = join(home, '.claude', 'projects', root.replace(/[^A-Za-z0-9]/g, '-'), SESSION)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(
    path,
    recorded
      .replaceAll(RECORDED_IN, () => JSON.stringify(root).slice(1, -1))
      .replace(TIME, (time) => new Date(Date.parse(time) + later).toISOString()),
  )
}

const TIME = /(?<="timestamp":")[^"]+/g
