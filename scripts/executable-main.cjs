'use strict'
/**
 * What scripts/executable.mjs puts into a Node of its own. The package is in it as one asset; it is unpacked once, into the person's own
 * cache, where it is found by its digest. Started with a program of handoff in place of a command, it runs that as Node does: so hooks call it.
 */
const fs = require('node:fs')
const { createRequire } = require('node:module')
const { homedir, tmpdir } = require('node:os')
const { basename, dirname, isAbsolute, join } = require('node:path')
const { getAsset } = require('node:sea')
const { gunzipSync } = require('node:zlib')

const PROGRAM = /^(?:handoff|cli|hook|complete)\.cjs$/
const [, , first = ''] = process.argv

if (isAbsolute(first) && PROGRAM.test(basename(first)) && fs.existsSync(first)) {
  process.argv.splice(1, 1)
  createRequire(first)(first)
} else {
  const entry = join(unpacked(), 'bin', 'handoff.cjs')
  process.argv[1] = entry
  createRequire(entry)(entry)
}

function unpacked() {
  const name = `program-${getAsset('digest', 'utf8')}`
  const cache = process.env.XDG_CACHE_HOME
  const homes = [cache && isAbsolute(cache) ? cache : join(homedir(), '.cache'), tmpdir()]
  for (const home of homes) {
    // In a folder that everybody may write to, a name that somebody can foresee is not for us.
    const parent = home === tmpdir() ? fs.mkdtempSync(join(home, 'git-handoff-')) : join(home, 'git-handoff')
    const folder = join(parent, name)
    // Nobody finds it again there.
    if (home === tmpdir()) process.on('exit', () => fs.rmSync(parent, { recursive: true, force: true }))
    try {
      if (fs.existsSync(folder)) return folder
      fs.mkdirSync(parent, { recursive: true, mode: 0o700 })
      const scratch = fs.mkdtempSync(join(parent, '.unpacking-'))
      const files = JSON.parse(gunzipSync(Buffer.from(getAsset('package'))).toString('utf8'))
      for (const [path, { mode, base64 }] of Object.entries(files)) {
        fs.mkdirSync(dirname(join(scratch, path)), { recursive: true })
        fs.writeFileSync(join(scratch, path), Buffer.from(base64, 'base64'), { mode })
      }
      try {
        fs.renameSync(scratch, folder)
      } catch (error) {
        // Another run was faster.
        fs.rmSync(scratch, { recursive: true, force: true })
        if (!fs.existsSync(folder)) throw error
      }
      return folder
    } catch (error) {
      if (home === homes.at(-1)) throw error
    }
  }
}
