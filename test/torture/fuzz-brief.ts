import { fromMarkdown } from 'mdast-util-from-markdown'
import { commitMessage } from '../../src/brief/goal.ts'
import { parseBrief } from '../../src/brief/parse.ts'
import { briefToJson, renderBrief } from '../../src/brief/render.ts'
import { type SectionId, sections } from '../../src/brief/sections.ts'
import type { CurrentBrief } from '../../src/briefs/current.ts'
import { defaultConfig } from '../../src/config/keys.ts'
import { compose } from '../../src/create/compose.ts'
import { readRequest } from '../../src/create/create-request.ts'
import { factsOf } from '../../src/create/facts.ts'
import { handsDown, type Input, withoutSecrets } from '../../src/create/gather.ts'
import { judge } from '../../src/create/judge.ts'
import { isHandoffError } from '../../src/errors/handoff-error.ts'
import { openOutput } from '../../src/output/output.ts'
import { createScanner, hideHomes } from '../../src/secrets/scanner.ts'
import { readSession, watchWork } from '../../src/session/read-session.ts'
import { hiddenIn } from '../../src/text/safe-text.ts'
import type { Adapter } from '../../src/types/agent.ts'
import type { Notes } from '../../src/types/brief.ts'
import type { GitState } from '../../src/types/git.ts'
import type { SessionRef } from '../../src/types/session.ts'
import { privateNames } from '../../src/workspace/input-secrets.ts'
import { gitState, ROOT } from '../unit/facts/session.ts'
import { FAKE_KEY } from './fuzz-texts.ts'

type Nodes = ReturnType<typeof fromMarkdown> | ReturnType<typeof fromMarkdown>['children'][number]

const NOW = new Date('2026-11-22T10:00:00.000Z')
const ID = '20261122T100000-000abc00'
export const GOAL = 'finish the retry queue and document its limits in docs/queue.md'
const FILES = [
  'src/queue.ts',
  'src/a.ts',
  'src/b.ts',
  'test/queue.test.ts',
  'README.md',
  'docs/queue.md',
  'calc.py',
]

/** What a brief is made of, as far as a subject says it. */
export interface Material {
  session?: { adapter: Adapter; ref: SessionRef }
  git?: Partial<GitState>
  notes?: Notes
  parent?: CurrentBrief
  goal?: string
  env?: Record<string, string>
}

/**
 * Makes a brief as `create` does, git and disk apart, and holds it against every rule as `check` does. Returns `brief`, or the code of
 * the clear error; throws when what came out is neither.
 */
export async function makeSound(material: Material): Promise<string> {
  try {
    await makeBrief(material)
    return 'brief'
  } catch (error) {
    return codeOf(error)
  }
}

/** The brief of that material, which is sound. Throws errors of handoff as they are. */
async function makeBrief({ session, git, notes, parent, goal = GOAL, env = {} }: Material): Promise<string> {
  const config = defaultConfig()
  const quiet = { write: () => true }
  const out = openOutput({ stdout: quiet, stderr: quiet, json: true, color: false, interactive: false })
  const place = { root: ROOT, home: '/home/dev', env, now: () => NOW, newId: () => ID }
  const invocation = { place, out, stderr: quiet, readStdin: async () => '', version: '0' }
  const scanner = createScanner()
  const picked = session === undefined ? null : { ...session, isOurs: true }
  const request = { ...readRequest(goal, { mode: 'strict', print: true }), wantsNotes: false }
  const told = gitState(FILES, git)
  const hidden = privateNames(invocation, told.identity.name)
  const input: Input = {
    request,
    vague: false,
    workspace: {
      repo: null,
      root: ROOT,
      roots: [ROOT],
      loaded: {
        config,
        origins: new Map(),
        own: never(),
        warnings: [],
        unknown: [],
        ownFile: '',
        templateOf: () => null,
      },
      reading: null,
    },
    reading: null,
    work: watchWork([ROOT], '/home/dev'),
    config,
    resumes: null,
    git: told,
    told: await withoutSecrets(told, scanner),
    picked,
    session: await readSession(picked, place, scanner),
    behind:
      picked === null ? null : (await scanner.redact({ id: picked.ref.id, path: picked.ref.path })).value,
    scanner,
    current: parent ?? null,
    newest: parent ?? null,
    follows: parent === undefined ? [] : [parent.id],
    inherited: parent === undefined ? null : (await scanner.redact(handsDown([parent]))).value,
    isOwn: true,
    isOfTrunk: false,
    leftOut: 0,
    typedGoal: null,
    notes: { notes: notes === undefined ? null : (await scanner.redact(notes)).value, age: null },
    preamble: null,
    missionFile: null,
    resumed: null,
    hide: (value) => hideHomes(value, hidden.home ?? '', hidden.userNames),
  }
  const built = await compose(input, await factsOf(invocation, input), ID, NOW)
  const refused = (await judge(invocation, input, built)).filter(({ level }) => level === 'error')
  if (refused.length > 0)
    throw new Error(
      `check refuses the brief: ${refused.map((one) => `${one.rule}, line ${one.line}: ${one.message}; ${built.text.split('\n')[one.line - 1]?.slice(0, 300)}`).join(' | ')}`,
    )
  isSound(built.text, goal)
  JSON.stringify(briefToJson(built.brief))
  noControls(commitMessage(built.brief.meta), 'the commit message')
  return built.text
}

/** Throws unless the text reads back as what it says and nothing else stands in it, by another reader of markdown than ours. */
function isSound(text: string, goal: string): void {
  const parsed = parseBrief(text)
  if (parsed.goal?.text !== goal) throw new Error(`the goal reads back as ${parsed.goal?.text}`)
  noControls(text, 'the brief')
  if (text.includes(FAKE_KEY)) throw new Error('a key stands in the brief')
  const anew = renderBrief(parsed.brief).split('\n')
  const other = text.split('\n').findIndex((line, at) => line !== anew[at])
  if (other !== -1)
    throw new Error(`rendered anew it is another brief: ${text.split('\n')[other]} became ${anew[other]}`)
  let last = -1
  for (const node of fromMarkdown(parsed.body).children) {
    const here = sections[last]?.id ?? 'preamble'
    const isOfNotes = here === 'memory' && node.type === 'heading' && node.depth > 2
    if (node.type !== 'heading' || isOfNotes) {
      if (![...USUAL, ...(MORE[here] ?? [])].includes(node.type))
        throw new Error(`a forged ${node.type} in ${here}`)
      noForgery('children' in node ? node.children : [], here)
      continue
    }
    const heading = toText(node)
    const at = sections.findIndex((section) => section.heading === heading && section.level === node.depth)
    if (at <= last) throw new Error(`a forged section: ${heading}`)
    last = at
  }
}

/** What stands in each section, and what besides in those that keep the markdown of an agent. */
const USUAL = ['paragraph', 'list', 'code']
const MORE: Readonly<Partial<Record<SectionId, readonly string[]>>> = {
  memory: ['heading', 'blockquote', 'thematicBreak'],
  closing: ['blockquote'],
}

function noForgery(nodes: readonly Nodes[], here: SectionId): void {
  for (const node of nodes) {
    if (
      /^(?:html|image|imageReference|definition)$/.test(node.type) ||
      (node.type === 'heading' && node.depth < 3 && here !== 'closing')
    )
      throw new Error(`a forged ${node.type} inside of ${here}`)
    if ('children' in node) noForgery(node.children, here)
  }
}

const toText = (node: Nodes): string =>
  'children' in node ? node.children.map(toText).join('') : 'value' in node ? node.value : ''

export function noControls(text: string, what: string): void {
  const [first] = hiddenIn(text)
  if (first !== undefined) throw new Error(`U+${first.code.toString(16)} in ${what}`)
}

/** The code of an error on purpose; every other is thrown on. */
export function codeOf(error: unknown): string {
  if (!isHandoffError(error)) throw error
  if (error.code === 'E_UNEXPECTED' || error.message === '') throw error
  if (error.message.includes(FAKE_KEY)) throw new Error(`a key stands in the message of ${error.code}`)
  return error.code
}

const never = (): never => ({}) as never
