'use strict'
/**
 * Loads the program with the code that V8 compiled in an earlier run, which saves a quarter of a short run. The cache
 * is one file in the user's own cache folder; whatever is wrong with it, the program is compiled as ever.
 */
const { createHash } = require('node:crypto')
const fs = require('node:fs')
const { createRequire } = require('node:module')
const { dirname, isAbsolute, join } = require('node:path')
const { Script } = require('node:vm')

// V8 optimises on other threads whatever runs for a few milliseconds, which costs a short run more than it saves: with
// fifteen times the patience a session of 44 MB takes 30 % less processor time, and none takes more. Measured in Node 20;
// later ones have one more compiler in between.
if (process.version.startsWith('v20.')) require('node:v8').setFlagsFromString('--interrupt-budget=1000000')

/** Files kept: a few versions of Node or of handoff used side by side. */
const KEPT = 4
/** Bytes at the end of a file: the SHA-1 of the rest. */
const DIGEST = 20

/**
 * Exports of the CommonJS file at `path`, and `keep`, which saves the code compiled until now for the next run when
 * there was none to use. `HANDOFF_NO_CACHE=1` reads and writes nothing.
 */
exports.loadCached = (path, env) => {
  const source = fs.readFileSync(path, 'utf8')
  const file = env.HANDOFF_NO_CACHE === '1' ? null : cacheFile(path, source, env)
  const cachedData = file === null ? undefined : readOwn(file)
  const script = new Script(`(function (exports, require, module, __filename, __dirname) {${source}\n})`, {
    filename: path,
    cachedData,
  })
  const module = { exports: {} }
  script
    .runInThisContext()
    .call(module.exports, module.exports, createRequire(path), module, path, dirname(path))
  const isUsed = cachedData !== undefined && script.cachedDataRejected === false
  return { exports: module.exports, keep: () => isUsed || file === null || save(file, script) }
}

/** V8 itself compares only its version, its flags and the length of the source, so the name holds the rest. */
function cacheFile(path, source, env) {
  const { XDG_CACHE_HOME: cache, HOME: home } = env
  const folder = cache && isAbsolute(cache) ? cache : home && isAbsolute(home) ? join(home, '.cache') : null
  if (folder === null) return null
  const key = sha1(`${process.version} ${process.arch} ${path}\0${source}`).toString('hex')
  return join(folder, 'git-handoff', `code-${key}`)
}

const sha1 = (data) => createHash('sha1').update(data).digest()

/** The bytes of a file that is ours alone to write; code of somebody else is not run. */
function readOwn(file) {
  let fd
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
    const { uid, mode } = fs.fstatSync(fd)
    const isOurs = process.geteuid === undefined || (uid === process.geteuid() && (mode & 0o022) === 0)
    if (!isOurs) return undefined
    const bytes = fs.readFileSync(fd)
    const code = bytes.subarray(0, -DIGEST)
    // V8 does not look whether its code is whole, and damaged code ends the process.
    return sha1(code).equals(bytes.subarray(-DIGEST)) ? code : undefined
  } catch {
    return undefined // None yet, or not readable.
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

function save(file, script) {
  const aside = `${file}.${process.pid}`
  try {
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const code = script.createCachedData()
    fs.writeFileSync(aside, Buffer.concat([code, sha1(code)]), { flag: 'wx', mode: 0o600 })
    fs.renameSync(aside, file)
    forgetOld(dirname(file))
  } catch {
    // A full disk or a folder that is not ours: the next run compiles again.
    try {
      fs.unlinkSync(aside)
    } catch {
      // It was never made.
    }
  }
}

function forgetOld(folder) {
  const held = fs
    .readdirSync(folder)
    .filter((name) => name.startsWith('code-'))
    .map((name) => ({ path: join(folder, name), at: fs.statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.at - a.at)
  for (const { path } of held.slice(KEPT)) fs.rmSync(path, { force: true })
}
