/**
 * `node scripts/executable.mjs [--out <folder>] [--platform <name>]…`: one file with Node and handoff in it (single executable application of
 * Node 20). Without a platform for this machine, with the Node that runs this; for others (`linux-x64`, `linux-arm64`, `darwin-arm64`,
 * `win-x64`) with that of the npm package `node-<name>`. A file for macOS has to be signed on a Mac: `codesign --sign - <file>`.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { inject } from 'postject'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
/** By this mark Node knows that something was put into it. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2'
const { values } = parseArgs({
  options: {
    out: { type: 'string', default: join(ROOT, 'dist-executable') },
    platform: { type: 'string', multiple: true, default: [] },
  },
})
const out = resolve(values.out)
const scratch = mkdtempSync(join(tmpdir(), 'handoff-executable-'))
try {
  const blob = makeBlob()
  mkdirSync(out, { recursive: true })
  const platforms = values.platform.length === 0 ? [null] : values.platform
  for (const platform of platforms) {
    const isWindows = platform === null ? process.platform === 'win32' : platform.startsWith('win')
    const file = join(out, `handoff${platform === null ? '' : `-${platform}`}${isWindows ? '.exe' : ''}`)
    copyFileSync(platform === null ? process.execPath : nodeFor(platform, isWindows), file)
    chmodSync(file, 0o755)
    const isMac = platform === null ? process.platform === 'darwin' : platform.startsWith('darwin')
    await inject(file, 'NODE_SEA_BLOB', blob, {
      sentinelFuse: FUSE,
      ...(isMac ? { machoSegmentName: 'NODE_SEA' } : {}),
    })
    console.log(`${file}: ${Math.round(statSync(file).size / 1e6)} MB`)
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

/** The package as npm would pack it, and what starts it. */
function makeBlob() {
  const packed = JSON.parse(
    execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], { cwd: ROOT, encoding: 'utf8' }),
  )
  const files = Object.fromEntries(
    packed[0].files.map(({ path, mode }) => [
      path,
      { mode, base64: readFileSync(join(ROOT, path)).toString('base64') },
    ]),
  )
  const asset = gzipSync(JSON.stringify(files))
  const digest = createHash('sha256').update(asset).digest('hex').slice(0, 16)
  writeFileSync(join(scratch, 'package'), asset)
  writeFileSync(join(scratch, 'digest'), digest)
  const config = {
    main: join(ROOT, 'scripts/executable-main.cjs'),
    output: join(scratch, 'blob'),
    disableExperimentalSEAWarning: true,
    assets: { package: join(scratch, 'package'), digest: join(scratch, 'digest') },
  }
  writeFileSync(join(scratch, 'config.json'), JSON.stringify(config))
  execFileSync(process.execPath, ['--experimental-sea-config', join(scratch, 'config.json')], {
    stdio: 'pipe',
  })
  return readFileSync(config.output)
}

/** Node of the same major version for another platform. */
function nodeFor(platform, isWindows) {
  // The name without `bin` belongs to somebody else.
  const name = `node-${platform === 'darwin-arm64' ? 'bin-' : ''}${platform}`
  const spec = `${name}@${process.versions.node.split('.')[0]}`
  execFileSync(
    'npm',
    ['install', '--no-save', '--no-audit', '--no-fund', '--force', '--prefix', scratch, spec],
    {
      stdio: 'pipe',
    },
  )
  return join(scratch, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node')
}
