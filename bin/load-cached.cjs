'use strict'
/**
 * Loads the program with the code that V8 compiled in an earlier run, which saves a quarter of a short run. The cache
 * is one file in the user's own cache folder; whatever is wrong with it, the program is compiled as ever.
 */
const fs = require('node:fs')
const { dirname, isAbsolute, join } = require('node:path')
const { Script } = require('node:vm')

/**
 * What V8 is told once the program is loaded, and the same as Node has it: compiled code is written down for the flags of that moment.
 * The space for new objects does not grow: else V8 doubles it to 32 MB, and a session of 44 MB takes 120 MB instead of 97, at 3 % less time.
 * V8 optimises on other threads whatever runs for a few milliseconds, which costs a short run more than it saves: with four times the
 * patience a session of 4 MB takes 20 % less processor time, one of 44 MB some. Node 20 compiles regular expressions to
 * bytecode first; without its polish a session of 4 MB takes 18 million instructions less of 740. Later ones take 42 ms for 300 expressions
 * that way, and 16 for machine code at once. Node 20 also marks ahead of time what is alive, in many small steps, though a session of 44 MB
 * is over before the heap is full: 5 % of its time. V8 prints an error at a flag that it does not know; Node 20, 22, 24 and 26 know these.
 */
const [FLAGS, USUAL] = process.version.startsWith('v20.')
  ? [
      '--interrupt-budget=1000000 --no-regexp-peephole-optimization --no-incremental-marking --semi-space-growth-factor=1',
      '--interrupt-budget=67584 --regexp-peephole-optimization --incremental-marking --semi-space-growth-factor=2',
    ]
  : [
      '--invocation-count-for-maglev=4000 --invocation-count-for-turbofan=12000 --no-regexp-tier-up --semi-space-growth-factor=1',
      '--invocation-count-for-maglev=400 --invocation-count-for-turbofan=3000 --regexp-tier-up --semi-space-growth-factor=2',
    ]

/** Files kept: a few versions of Node or of handoff used side by side, two programs each. */
const KEPT = 8
/** What Node puts around a CommonJS file. */
const [HEAD, TAIL] = ['(function (exports, require, module, __filename, __dirname) {', '\n})']
/** First bytes of the program: the digest of the rest, which the build put there. */
const STAMP = /^\/\*([0-9a-f]{16})\*\//
/** Bytes at the end of a cache: how long the names before them are, and the code before those, which stands there twice. */
const SEAL = 8

/**
 * Exports of the CommonJS file at `path`, and `keep`, which saves the code compiled until now for the next run: when
 * there was none to use, or none of a run that did `what`, which another run has to compile anew each time (without the
 * reader of its sessions a brief of 4 MB takes 60 ms longer). `HANDOFF_NO_CACHE=1` reads and writes nothing.
 */
exports.loadCached = (path, env) => {
  const { source, stat, memory } = readProgram(path)
  const start = source.slice(HEAD.length, HEAD.length + 24)
  const file = env.HANDOFF_NO_CACHE === '1' ? null : cacheFile(start, stat, env)
  const cache = file === null ? undefined : readOwn(file, memory)
  const cachedData = cache?.code
  const script = new Script(source, { filename: path, cachedData })
  const folder = dirname(path)
  const module = { exports: {} }
  const load = (id) => require(id.startsWith('./') ? join(folder, id) : id)
  script.runInThisContext().call(module.exports, module.exports, load, module, path, folder)
  const isUsed = cachedData !== undefined && script.cachedDataRejected === false
  // Compiled code holds for the same flags only, that of Node's own modules too: they took 9 ms longer to load with the
  // flags set first, and what is kept with them set nobody could use.
  if (isUsed || file === null) setImmediate(() => require('node:v8').setFlagsFromString(FLAGS))
  // The code itself, which V8 has copied, is not kept in memory.
  const done = isUsed ? cache.done : []
  const keep = (what = null) => {
    const isNew = what !== null && !done.includes(what)
    if (file === null || (isUsed && !isNew)) return
    if (isUsed) require('node:v8').setFlagsFromString(USUAL)
    save(file, script, isNew ? [...done, what] : done)
  }
  return { exports: module.exports, keep }
}

/**
 * V8 itself compares only its version, its flags and the length of the source, so the name tells the build; its time
 * too, for whoever changes the built file by hand. Without a stamp nothing is kept.
 */
function cacheFile(head, { mtimeMs }, env) {
  const build = STAMP.exec(head)?.[1]
  const { XDG_CACHE_HOME: cache, HOME: home } = env
  const folder = cache && isAbsolute(cache) ? cache : home && isAbsolute(home) ? join(home, '.cache') : null
  if (folder === null || build === undefined) return null
  const at = Math.round(mtimeMs).toString(36)
  return join(folder, 'git-handoff', `code-${build}-${at}-${process.version}-${process.arch}`)
}

/** The text of the program; `memory` that was used for it has room for its compiled code, too: pages never used before cost as much as the reading. */
function readProgram(path) {
  const fd = fs.openSync(path, fs.constants.O_RDONLY)
  try {
    const stat = fs.fstatSync(fd)
    // Memory of its own: V8 copies code that does not begin at a whole word.
    const memory = Buffer.allocUnsafeSlow(2 * stat.size + HEAD.length + TAIL.length)
    // In one piece: a text that is put together V8 copies, which takes half a millisecond.
    memory.latin1Write(HEAD)
    const end = HEAD.length + fs.readSync(fd, memory, HEAD.length, stat.size, 0)
    memory.latin1Write(TAIL, end)
    // The build writes ASCII only.
    return { source: memory.latin1Slice(0, end + TAIL.length), stat, memory }
  } finally {
    fs.closeSync(fd)
  }
}

/** The code in a file that is ours alone to write; that of somebody else is not run. */
function readOwn(file, memory) {
  let fd
  try {
    fd = fs.openSync(file, fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0))
    const stat = fs.fstatSync(fd)
    const isOurs =
      process.geteuid === undefined || (stat.uid === process.geteuid() && (stat.mode & 0o022) === 0)
    return isOurs ? wholeCode(fd, stat.size, memory) : undefined
  } catch {
    return undefined // None yet, or not readable.
  } finally {
    if (fd !== undefined) fs.closeSync(fd)
  }
}

/** Bytes of the second copy that are compared at once. */
const PIECE = 1 << 16

/**
 * V8 does not look whether its code is whole, and damaged code ends the process or does something else. To compare two
 * copies takes a third of the time of a digest, and no module.
 */
function wholeCode(fd, size, memory) {
  const read = (bytes, at) => bytes.subarray(0, fs.readSync(fd, bytes, 0, bytes.length, at))
  const piece = Buffer.allocUnsafe(PIECE)
  const seal = read(piece.subarray(0, SEAL), size - SEAL)
  const [names, length] = [seal.readUInt32LE(0), seal.readUInt32LE(4)]
  if (length === 0 || 2 * length + names + SEAL !== size) return undefined
  const code = read(length > memory.length ? Buffer.allocUnsafeSlow(length) : memory.subarray(0, length), 0)
  for (let at = 0; at < length; at += PIECE) {
    const same = code.subarray(at, at + PIECE)
    if (!read(piece.subarray(0, same.length), length + at).equals(same)) return undefined
  }
  return {
    code,
    done: read(piece.subarray(0, names), 2 * length)
      .latin1Slice()
      .split(' '),
  }
}

function save(file, script, done) {
  const aside = `${file}.${process.pid}`
  try {
    fs.mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    const code = script.createCachedData()
    const names = Buffer.from(done.join(' '))
    const seal = Buffer.alloc(SEAL)
    seal.writeUInt32LE(names.length)
    seal.writeUInt32LE(code.length, 4)
    write(aside, Buffer.concat([code, code, names, seal]))
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

/** On the disk before it has its name: a power cut must not leave a name without its bytes. */
function write(path, bytes) {
  const fd = fs.openSync(path, 'wx', 0o600)
  try {
    fs.writeFileSync(fd, bytes)
    fs.fsyncSync(fd)
  } finally {
    fs.closeSync(fd)
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
