import type { CommandFact } from '../types/evidence.ts'
import { parseShell, type ShellPart } from './shell.ts'

/** Programs that look around or move files about; alone or chained they tell the next agent nothing. */
const LOOK = new Set(
  `ls cat sed head tail rg grep egrep fgrep find fd wc echo printf pwd cd pushd popd true false sleep awk sort uniq tr cut less
  more nl stat file diff cmp test [ [[ which whereis type date export set unset source . read for while done fi esac case in jq
  yq xargs tee mkdir rmdir rm cp mv touch chmod chown ln ps kill pkill killall pgrep lsof tree basename dirname realpath readlink
  column seq local return exit break continue wait hash history clear env printenv whoami hostname uname id df du md5sum sha256sum
  shasum base64 xxd hexdump strings bat ack ag alias command trap ulimit umask apply_patch`.split(/\s+/),
)
const GIT_LOOK = new Set(
  `status diff log show branch rev-parse ls-files ls-tree ls-remote cat-file blame reflog describe shortlog grep remote config
  merge-base rev-list name-rev for-each-ref show-ref symbolic-ref check-ignore fetch whatchanged var version help diff-tree
  diff-index diff-files count-objects`.split(/\s+/),
)
const MULTI = new Set(
  `git gh go cargo npm pnpm yarn bun npx bunx pnpx uv uvx pip pip3 poetry docker docker-compose kubectl mise hk make just task nx
  turbo deno dotnet mvn gradle ./gradlew ./mvnw composer php artisan swift xcodebuild terraform helm brew apt apt-get systemctl
  wrangler bash sh zsh python python3 node ruby bundle rake rails rush lerna flutter dart zig nix sqlx prisma vercel fly firebase`.split(
    /\s+/,
  ),
)
/** What asks a program about itself. */
const QUESTIONS = new Set(['-v', '-V', '--version', 'version', '--help', '-h'])
const SECOND = new Set(
  'run exec tool pr issue api workflow release repo compose x dlx worktree stash remote checkpoint session'.split(
    ' ',
  ),
)
const VALUE_FLAGS = new Set(
  '-C -c --filter --git-dir -F --dir --prefix --cwd -w --workspace --manifest-path'.split(' '),
)

/**
 * The family of a simple command (`go test`, `npm run build`, `vitest`): program, subcommand, script. Null for one that only
 * looks around.
 */
export function familyOf(part: ShellPart): string | null {
  const [program] = part.words
  if (program === undefined || LOOK.has(program) || !/^[\w./@+~][\w./@+~-]*$/.test(program)) return null
  const last = part.words.at(-1) ?? ''
  if (last === '--help' || last === '--version') return null
  if (part.words.length === 2 && QUESTIONS.has(last)) return null
  const name = program.includes('/node_modules/.bin/') ? program.slice(program.lastIndexOf('/') + 1) : program
  if (!MULTI.has(name)) return name
  const rest = argumentsOf(part)
  const module = part.words[1] === '-m' ? `-m ${rest[0] ?? ''}` : rest[0]
  if (
    name === 'git' &&
    (module === undefined ||
      GIT_LOOK.has(module) ||
      (module === 'stash' && /^(?:list|show)$/.test(rest[1] ?? '')))
  )
    return null
  if (name === 'gh' && (/^(?:list|status)$/.test(rest[1] ?? '') || /^(?:auth|search)$/.test(rest[0] ?? '')))
    return null
  // What stands behind it are words for a program of the repository's own: `cargo run -- check` checks nothing known.
  if (name === 'cargo' && module === 'run') return 'cargo run'
  const family = [name]
  if (module !== undefined) family.push(module)
  if (rest[0] !== undefined && rest[1] !== undefined && SECOND.has(rest[0]) && /^[\w./:@-]+$/.test(rest[1]))
    family.push(rest[1])
  return family.join(' ')
}

export function argumentsOf(part: ShellPart): string[] {
  const rest: string[] = []
  for (let i = 1; i < part.words.length; i++) {
    const word = part.words[i] ?? ''
    if (VALUE_FLAGS.has(word) && rest.length === 0) i++
    // Cargo's `+toolchain` is an option without a hyphen.
    else if (!/^[-+]/.test(word)) rest.push(word)
  }
  return rest
}

/** What kind of work each word of a family stands for, strongest kind first. */
const KINDS = Object.entries({
  test: `test tests vitest jest pytest mocha playwright cypress rspec tox nextest ctest phpunit ginkgo ava bats unittest e2e
    spec bench`,
  lint: `biome ruff flake8 mypy pyright tsc vue-tsc clippy gofmt goimports prettier fmt format typecheck type-check check vet
    shellcheck hk pre-commit staticcheck black isort rubocop knip fix validate verify preflight audit`,
  build: `build compile make webpack rollup esbuild tsup cmake ninja bazel gradle gradlew mvn mvnw package xcodebuild bundle
    generate codegen`,
  deploy:
    'deploy publish push apply rollout upgrade release rsync scp vercel wrangler fly firebase helm terraform kubectl',
}).map(([kind, words]) => [kind as CommandFact['kind'], new Set(words.split(/\s+/))] as const)
const INSTALL = new Set('install i ci add get mod sync update tidy brew apt apt-get pip pip3'.split(' '))
const RUNS =
  /^(?:node|python3?|ruby|deno|bun|php|tsx|ts-node|docker|docker-compose|\.{0,2}\/|bash|sh)|(?:^|\s)(?:run|start|dev|serve|exec|up|preview|watch)(?:$|[\s:])/

/**
 * The kind that the words of a name stand for: `test` in `npm run test:unit`, `api/test`, `type-check.ts`. The folders that
 * a program lies in say nothing: `skills/fix-ci/show.py`.
 */
function kindOfName(name: string, kinds = KINDS): CommandFact['kind'] | undefined {
  const found = new Set<string>()
  // A word ends where the next mark stands, or at one behind it: words may hold a hyphen.
  const pieces = name.replace(/(^|\s)[^\s:]*\/(?=[^\s/])/g, '$1').split(/([\s:/_.@-])/)
  for (let from = 0; from < pieces.length; from += 2) {
    if (from > 0 && pieces[from - 1] === '.') continue
    for (let to = from; to < pieces.length && to <= from + LONGEST; to += 2)
      if (pieces[to + 1] !== '/') found.add(pieces.slice(from, to + 1).join(''))
  }
  // Most linters are called so: `eslint`, `actionlint`, `golangci-lint`.
  const isOf = (kind: CommandFact['kind'], words: ReadonlySet<string>) =>
    [...found].some((word) => words.has(word) || (kind === 'lint' && word.endsWith('lint')))
  return kinds.find(([kind, words]) => isOf(kind, words))?.[0]
}

/** Two pieces and the hyphen between them, as in `type-check`. */
const LONGEST = 2

const RUNNERS = new Set('uv uvx poetry bundle npx bunx pnpx mise yarn pnpm bun'.split(' '))

function kindOf(part: ShellPart): CommandFact['kind'] {
  const family = familyOf(part)
  if (family === null) return 'other'
  const [program = ''] = part.words
  const name = family.split(' ', 1)[0]
  if (name === 'git' || name === 'gh') return 'git'
  if (RUNNERS.has(program)) {
    const hit = kindOfName(argumentsOf(part).slice(0, 3).join(' '), KINDS.slice(0, 3))
    if (hit) return hit
  }
  if (INTERPRETERS.has(program) && part.words.some((word) => TEST_FILE.test(word))) return 'test'
  // Code on the line itself names nothing that runs.
  if (INTERPRETERS.has(program) && part.words.some((word) => INLINE.has(word))) return 'run'
  const kind = kindOfName(family)
  if (kind !== undefined) return kind
  if (family.split(/\s/).some((word) => INSTALL.has(word))) return 'install'
  return RUNS.test(family) ? 'run' : 'other'
}

/** A test runner that is an interpreter with a flag or a test file: `node --test`, `python tests/test_x.py`. */
const INTERPRETERS = new Set('node bun deno tsx ts-node python python3 ruby php'.split(' '))
const TEST_FILE =
  /^--test$|[._-](?:test|spec)\.[cm]?[jt]sx?$|(?:^|\/)test_[^/]*\.py$|_(?:test|spec)\.(?:py|rb)$/

const SHELLS = new Set('sh bash zsh dash'.split(' '))
const INLINE = new Set('-e -c -p -lc -ec --eval --print'.split(' '))

/** A program handed to an interpreter on the line itself: written for one moment. */
export function isInlineScript({ words }: ShellPart): boolean {
  const from = words.findIndex((name) => INTERPRETERS.has(name) || SHELLS.has(name))
  return words.some(
    (word, at) => from !== -1 && at > from && INLINE.has(word) && /\s/.test(words[at + 1] ?? ''),
  )
}

export interface CommandShape {
  parts: ShellPart[]
  families: string[]
  kind: CommandFact['kind']
  main: number
  /** Nothing after the main part can hide its exit status. */
  statusIsMain: boolean
  /** Indexes of all checks. */
  checks: number[]
  /** Of the main part and of other checks whose exit status nothing hides. */
  checked: number[]
}

const ORDER: CommandFact['kind'][] = ['test', 'lint', 'build', 'deploy', 'install', 'run', 'other', 'git']

/** Parses a command line and says what it is for; `families` is empty when it only looks around. */
export function shapeOf(command: string): CommandShape {
  const parts = parseShell(command)
  const families: string[] = []
  let main = -1
  let kind: CommandFact['kind'] = 'other'
  const checks: number[] = []
  parts.forEach((part, index) => {
    const family = familyOf(part)
    if (family === null) return
    if (!families.includes(family)) families.push(family)
    const own = kindOf(part)
    if (isCheck(own)) checks.push(index)
    if (main === -1 || ORDER.indexOf(own) < ORDER.indexOf(kind)) {
      main = index
      kind = own
    }
  })
  const keepsStatus = (from: number): boolean =>
    isStatusKept(parts.slice(from, -1), command.includes('pipefail'))
  return {
    parts,
    families,
    kind,
    main,
    checks,
    statusIsMain: keepsStatus(Math.max(main, 0)),
    checked: checks.filter((index) => index === main || keepsStatus(index)),
  }
}

/** What stands behind `&&` ran because the part before it passed, whatever pipes it stands in. */
function isStatusKept(after: readonly ShellPart[], pipefail: boolean): boolean {
  const handedOn = after.findIndex((part) => part.next === '&&')
  return after.every(
    ({ next }, at) => next === '&&' || (next === '|' && (pipefail || (handedOn !== -1 && at > handedOn))),
  )
}

export const isCheck = (kind: CommandFact['kind']): boolean =>
  kind === 'test' || kind === 'build' || kind === 'lint'

/**
 * The acting parts of a line as one text, with the directories it enters; empty when a setting or `||` makes it more than
 * its words.
 */
export function coreOf({ parts }: CommandShape, command: string): string {
  if (/(?:^|[\s;&|(])\w+=/.test(command)) return ''
  const acting = parts.filter(
    (part) => familyOf(part) !== null || (part.words[0] === 'cd' && !part.words[1]?.startsWith('/')),
  )
  return parts.some((part) => part.next === '||' && acting.includes(part) && part !== acting.at(-1))
    ? ''
    : acting.map((part) => part.words.join(' ')).join('\n')
}

/** The same command, whatever was done with its output and its status: `npm test 2>&1 | tail -5; exit $?` is `npm test`. */
export const withoutPlumbing = (command: string): string =>
  command
    .replace(command.includes('$') ? /; *(?:exit|echo) [^|&;\n]*\$(?:\?|\{?PIPESTATUS)[^|&;\n]*$/ : '', '')
    .replace(command.includes('|') ? /(?: *\| *(?:head|tail|cat|tee|grep)\b[^|&;\n]*)+$/ : '', '')
    .replace(/ *2>(?:&1|\/dev\/null)(?: *\| *(?:head|tail)\b[^|&;\n]*?)?(?= *(?:$|&&|;))/g, '')
    .replace(/ *&& *echo (?:"[^"]*"|'[^']*'|[\w-]+)(?= *(?:$|&&|;))/g, '')
    .trim()
