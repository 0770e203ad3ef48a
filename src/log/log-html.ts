import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import type { ChainNode } from '../brief/chain.ts'
import { readParsed } from '../briefs/read-metas.ts'
import type { ExitCode, Invocation } from '../command.ts'
import { orNull } from '../errors/handoff-error.ts'
import { usage } from '../errors/usage.ts'
import { badOutput } from '../errors/writing.ts'
import type { Repo } from '../git/open-repo.ts'
import { type HtmlPage, type HtmlTemplates, MOST_BRIEFS, renderHtml } from '../report/html.ts'
import type { Scanner } from '../secrets/scanner.ts'
import { replacePlain } from '../store/plain-file.ts'
import { plural } from '../text/count.ts'
import { packageFolder } from '../workspace/find-program.ts'

interface HtmlRequest {
  /** Where to, as it was given; `-` for standard output. */
  file: string
  /** What `log` was called with. */
  options: Readonly<Record<string, unknown>>
  /** What is not as it should be, one line each. */
  notices: readonly string[]
  chain: readonly ChainNode[]
  shown: readonly ChainNode[]
  current: string | null
  parked: ReadonlySet<string>
  /** The page is there to be passed on: no secret of a brief goes with it. */
  scanner: Scanner
}

/** `log --html`: writes the chain as one HTML file, in one step, and says what is in it. Throws `badOutput`, `writeFailed`, `usage`. */
export async function logHtml(invocation: Invocation, repo: Repo, request: HtmlRequest): Promise<ExitCode> {
  const { out } = invocation
  if (request.file === '-' && out.json)
    throw usage(
      '--html - and --json exclude each other.',
      'Both are the one thing on standard output; name a file.',
    )
  const target = request.file === '-' ? null : targetOf(invocation.place.root, request.file)
  const { text: page, shown, total } = await pageOf(repo, request)
  if (target === null) out.raw(page)
  else await replacePlain(target.folder, target.name, page)
  const bytes = Buffer.byteLength(page)
  const cut = shown < total ? ` of ${total}; a page holds no more` : ''
  const text = `${plural(shown, 'brief')}${cut}, ${Math.ceil(bytes / 1024)} KB`
  if (target === null) {
    out.say(text)
    return 0
  }
  const path = join(target.folder, target.name)
  const result = { ok: true, html: path, shown, total, bytes, warnings: out.warnings }
  out.prose(`Wrote ${relative(invocation.place.root, path) || path}: ${text}`, result)
  return 0
}

async function pageOf(
  repo: Repo,
  { options, notices, chain, shown, current, parked, scanner }: HtmlRequest,
): Promise<HtmlPage> {
  const byId = new Map(chain.map((node) => [node.id, node]))
  const wanted = shown
    .slice(0, MOST_BRIEFS)
    .flatMap((node) => [node, ...node.parents.flatMap((id) => byId.get(id) ?? [])])
  const read = await readParsed(repo, wanted)
  const name = basename(basename(repo.commonDir) === '.git' ? dirname(repo.commonDir) : repo.root)
  const texts = { name, scope: scopeOf(options), notices, chain, shown, read }
  const { value: clean } = await scanner.redact(texts)
  return renderHtml({ ...clean, current, parked }, htmlTemplates())
}

/** Which part of the chain was asked for, in words. */
function scopeOf(options: HtmlRequest['options']): string {
  const part =
    options.chain === true
      ? 'the line that leads to the current brief'
      : options.all === true
        ? 'all branches, remotes and worktrees'
        : 'the current branch'
  const chosen = ['branch', 'agent', 'by', 'persona', 'since', 'limit'].flatMap((name) =>
    options[name] === undefined ? [] : [`${name} ${String(options[name])}`],
  )
  return [part, ...chosen].join(', ')
}

/** The files of `templates/html/`, with the line ends that a browser hashes. */
export function htmlTemplates(): HtmlTemplates {
  const read = (name: string): string =>
    readFileSync(join(packageFolder(), 'templates', 'html', name), 'utf8').replaceAll('\r\n', '\n')
  return { page: read('page.html'), style: read('page.css'), script: read('page.js') }
}

/** The folder, real and there already, and the name in it, which is free or that of a plain file. */
function targetOf(root: string, file: string): { folder: string; name: string } {
  const path = resolve(root, file)
  const isFolder = orNull(() => statSync(dirname(path)))?.isDirectory() === true
  const stat = orNull(() => lstatSync(path))
  if (file === '' || file.endsWith('/') || file.endsWith('\\') || stat?.isDirectory())
    throw badOutput(file, 'the name of a folder')
  if (stat !== null && !stat.isFile()) throw badOutput(file, 'no plain file')
  if (!isFolder) throw badOutput(file, 'in a folder that is not there')
  return { folder: realpathSync(dirname(path)), name: basename(path) }
}
