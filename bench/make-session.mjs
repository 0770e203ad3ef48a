/**
 * Makes a Claude Code session (records as of 2.1.330) of a wanted size: the mix of prompts, reads, edits, commands,
 * failures, plans, images, compactions and vendor records of long real sessions, about 180 lines a megabyte. The same
 * options give the same bytes.
 *
 *   node bench/make-session.mjs --mb 4 --out <file> [--cwd <repo>] [--branch <name>] [--seed <n>] [--torn]
 */
import { closeSync, mkdirSync, openSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { argv } from 'node:process'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { makeDice } from './dice.mjs'

/** Paths the session works on, relative to its repository. */
export const sessionFiles = Array.from(
  { length: 240 },
  (_, n) =>
    `${['src/auth', 'src/api', 'src/store', 'src/ui', 'test'][n % 5]}/${['token', 'route', 'cache', 'panel'][n % 4]}-${n}.ts`,
)

/** What the person demands at the start of every session. */
const DEMAND = 'Keep the public API and never touch src/store/panel-7.ts.'

const COMMANDS = [
  'npm test',
  'npx tsc --noEmit',
  'npm run build',
  'git status --short',
  'rg -n token src',
  'npx vitest run test/token-4.ts',
]
/**
 * Writes the session file and returns `{sessionId, bytes, lines, longest}`, sizes in bytes.
 * @param {{out: string, bytes: number, cwd?: string, branch?: string, seed?: number, torn?: boolean}} options
 */
export function makeSession({
  out,
  bytes,
  cwd = '/home/dev/repo',
  branch = 'feature/guard',
  seed = 1,
  torn = false,
}) {
  const dice = makeDice(seed)
  const sessionId = dice.uuid()
  mkdirSync(dirname(out), { recursive: true })
  const file = openSync(out, 'w')
  const size = { sessionId, bytes: 0, lines: 0, longest: 0 }
  let held = []
  let heldBytes = 0
  let clock = Date.UTC(2026, 9, 1, 8)
  let parentUuid = null

  const flush = () => {
    writeSync(file, Buffer.concat(held))
    held = []
    heldBytes = 0
  }
  const put = (record) => {
    const line = Buffer.from(`${JSON.stringify(record)}\n`)
    held.push(line)
    heldBytes += line.length
    size.bytes += line.length
    size.lines += 1
    size.longest = Math.max(size.longest, line.length)
    if (heldBytes > 4e6) flush()
  }
  const record = (type, rest) => {
    clock += dice.between(200, 30_000)
    const uuid = dice.uuid()
    const place = {
      userType: 'external',
      entrypoint: 'cli',
      cwd,
      sessionId,
      version: '2.1.330',
      gitBranch: branch,
    }
    put({
      parentUuid,
      isSidechain: false,
      type,
      ...rest,
      uuid,
      timestamp: new Date(clock).toISOString(),
      ...place,
    })
    parentUuid = uuid
  }
  const prompt = (content) =>
    record('user', { message: { role: 'user', content }, origin: { kind: 'human' }, promptSource: 'typed' })
  const reply = (id, block) => {
    const usage = {
      input_tokens: 4,
      cache_creation_input_tokens: 900,
      cache_read_input_tokens: 90_000,
      output_tokens: dice.between(20, 3000),
    }
    const message = {
      id,
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [block],
      stop_reason: null,
      usage,
    }
    record('assistant', { message })
  }
  const result = (id, content, toolUseResult, failed = false) => {
    const block = { tool_use_id: id, type: 'tool_result', content, ...(failed && { is_error: true }) }
    record('user', { message: { role: 'user', content: [block] }, toolUseResult })
  }

  put({ type: 'queue-operation', operation: 'enqueue', timestamp: new Date(clock).toISOString(), sessionId })
  prompt(`Make the login survive a token refresh. ${DEMAND}`)
  // What a client keeps for itself: tool schemas and prompts, 115 KB in a real session; left out of tiny ones.
  if (bytes > 1e6)
    put({ type: 'api-request-shape', sessionId, shapeHash: dice.hex(16), shape: dice.code(115_000) })
  for (let turn = 1; size.bytes < bytes; turn++) {
    if (turn > 1)
      prompt(
        dice.chance(0.15)
          ? `No, not like that. Do not use a global for ${dice.prose(60)}`
          : dice.prose(dice.size(140, 6000)),
      )
    for (let step = dice.between(2, 24); step > 0 && size.bytes < bytes; step--)
      call(dice, { cwd, reply, result, record })
    if (turn % 400 === 0) {
      record('system', {
        subtype: 'compact_boundary',
        content: 'Conversation compacted',
        compactMetadata: { trigger: 'auto', preTokens: 155_000 },
      })
      const summary = `This session is being continued from a previous conversation that ran out of context. ${dice.prose(6000)}`
      record('user', {
        isCompactSummary: true,
        isVisibleInTranscriptOnly: true,
        message: { role: 'user', content: summary },
      })
    }
  }
  prompt('Wrap up now. The guard works, the logout test still fails.')
  reply(`msg_${dice.hex(20)}`, {
    type: 'text',
    text: 'The guard is in src/auth/token-0.ts; the logout test fails with ECONNRESET.',
  })
  if (torn) held.push(Buffer.from('{"parentUuid":"'))
  flush()
  closeSync(file)
  return size
}

/** One step of a turn: thoughts, a sentence, one tool call and its result. */
function call(dice, { cwd, reply, result, record }) {
  const message = `msg_${dice.hex(20)}`
  if (dice.chance(0.35))
    reply(message, {
      type: 'thinking',
      thinking: dice.prose(dice.size(700, 12_000)),
      signature: dice.hex(400),
    })
  if (dice.chance(0.45)) reply(message, { type: 'text', text: dice.prose(dice.size(220, 4000)) })
  const id = `toolu_${dice.hex(20)}`
  const path = `${cwd}/${dice.pick(sessionFiles)}`
  const use = (name, input) => reply(message, { type: 'tool_use', id, name, input })
  const kind = dice.between(1, 1000)
  if (kind <= 350) {
    use('Bash', { command: dice.pick(COMMANDS), description: dice.prose(40) })
    const output = dice.chance(0.5) ? dice.code(dice.size(1500, 30_000)) : dice.prose(dice.size(1500, 30_000))
    if (dice.chance(0.12)) result(id, `Exit code 1\n${output}`, `Error: Exit code 1\n${output}`, true)
    else result(id, output, { stdout: output, stderr: '', interrupted: false, isImage: false })
  } else if (kind <= 650) {
    use('Read', { file_path: path })
    const content = dice.code(dice.size(5000, 90_000))
    const numbered = content.split('\n').map((line, n) => `${n + 1}\t${line}`)
    result(id, numbered.join('\n'), {
      type: 'text',
      file: { filePath: path, content, numLines: numbered.length },
    })
  } else if (kind <= 850) {
    const [oldString, newString] = [dice.code(dice.size(300, 8000)), dice.code(dice.size(380, 8000))]
    use('Edit', { file_path: path, old_string: oldString, new_string: newString, replace_all: false })
    const lines = newString.split('\n').map((line) => `+${line}`)
    result(id, `The file ${path} has been updated successfully.`, {
      filePath: path,
      oldString,
      newString,
      originalFile: dice.code(dice.size(6000, 90_000)),
      structuredPatch: [{ oldStart: 1, oldLines: 6, newStart: 1, newLines: lines.length, lines }],
      userModified: false,
      replaceAll: false,
    })
  } else if (kind <= 920) {
    const subject = dice.prose(50)
    use('TaskCreate', { subject, description: subject, activeForm: subject })
    result(id, `Task #${kind} created successfully: ${subject}`, { task: { id: String(kind), subject } })
  } else if (kind <= 925) {
    use('Read', { file_path: path.replace('.ts', '.png') })
    const data = dice.hex(dice.between(50, 900) * 1000)
    const image = { type: 'image', source: { type: 'base64', data, media_type: 'image/png' } }
    const block = { tool_use_id: id, type: 'tool_result', content: [image] }
    record('user', {
      message: { role: 'user', content: [block] },
      toolUseResult: { type: 'image', file: { base64: data } },
    })
  } else {
    use('Grep', { pattern: dice.word(), path: cwd })
    result(id, dice.prose(dice.size(900, 20_000)), { mode: 'content', numFiles: dice.between(0, 40) })
  }
}

if (argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      mb: { type: 'string', default: '4' },
      out: { type: 'string' },
      cwd: { type: 'string' },
      branch: { type: 'string' },
      seed: { type: 'string', default: '1' },
      torn: { type: 'boolean', default: false },
    },
  })
  const { mb, out, seed, ...rest } = values
  if (!out) throw new Error('Usage: node bench/make-session.mjs --mb 4 --out <file>')
  console.log(JSON.stringify(makeSession({ ...rest, out, bytes: Number(mb) * 1e6, seed: Number(seed) })))
}
