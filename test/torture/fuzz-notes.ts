import fc from 'fast-check'
import { notesFrom, notesState, parseSlots } from '../../src/brief/notes.ts'
import type { Notes } from '../../src/types/brief.ts'
import { codeOf, makeSound, noControls } from './fuzz-brief.ts'
import { type Cut, cuts, cutUp, damage, damagedText } from './fuzz-bytes.ts'
import type { Subject } from './fuzz-hunt.ts'
import { oddText } from './fuzz-texts.ts'
import { edit, edited, jsonOf } from './fuzz-values.ts'

/** Notes however they come, and the words of git. */
export const noteSubjects = (): Subject[] => [notes, answers, storedNotes, facts] as Subject[]

/** Notes that say something in every slot. */
const NOTES = {
  currentLineOfAttack: 'bisecting the queue',
  activeHypothesis: 'the timer is cleared twice',
  abandonedApproaches: ['a lock file'],
  openQuestions: ['is jitter wanted?'],
  decisions: [{ what: 'cap at 30 s', why: 'the gateway drops them', alternatives: ['none'] }],
  blockers: ['no access to staging'],
  nextSteps: ['write the test'],
  information: ['the clock is fake in tests'],
  files: [{ path: 'src/queue.ts', reason: 'the cap lives here' }],
  progress: ['half done'],
  other: 'more\n\n- words',
}
const CAPTURE = {
  capturedAt: '2026-11-22T09:30:00.000Z',
  capturedBySessionId: null,
  branch: 'main',
  head: 'a'.repeat(40),
}
const edits = fc.array(edit, { maxLength: 5 })

const notes: Subject<{ edits: Parameters<typeof edited>[1]; cuts: Cut[] }> = {
  kind: 'notes as JSON',
  operation: 'read, fold into a brief',
  counts: [80, 2000],
  inputs: fc.record({
    edits,
    cuts: fc.oneof({ weight: 4, arbitrary: fc.constant<Cut[]>([]) }, { weight: 1, arbitrary: cuts }),
  }),
  meets: ({ edits: all, cuts: some }) =>
    folded(() =>
      notesFrom(parseSlots(cutUp(Buffer.from(jsonOf(edited(NOTES, all))), some).toString('utf8')), CAPTURE),
    ),
}

const storedNotes: Subject<{ edits: Parameters<typeof edited>[1] }> = {
  kind: 'stored notes',
  operation: 'judge, fold into a brief',
  counts: [60, 1200],
  inputs: fc.record({ edits }),
  async meets({ edits: all }) {
    const value = parsedJson(jsonOf(edited({ ...NOTES, schemaVersion: 1, ...CAPTURE }, all)))
    const state = notesState(value, {
      now: Date.parse('2026-11-22T10:00:00Z'),
      session: null,
      branch: 'main',
      maxAge: 3_600_000,
    })
    const kept = state.usable ? state.notes : (state.stale?.notes ?? null)
    if (!state.usable) noControls(state.why, 'the reason')
    return kept === null ? 'left out' : folded(() => kept)
  },
}

/** The document a request asks for, as an agent fills it in. */
const ANSWER = `# Progress\n\nHalf done.\n\n# Current state\n\nbisecting\n\n# Decisions\n\n- cap at 30 s — why: gateway\n- no lock\n\n# Blockers\n\n- none\n\n# Next steps\n\n1. write the test\n2. document it\n\n# Open questions\n\n- is jitter wanted?\n\n# Files\n\n- src/queue.ts: the cap\n\n# Something else\n\nmore\n`

const answers: Subject<{ damage: Parameters<typeof damagedText>[2] }> = {
  kind: 'requested documents',
  operation: 'read, fold into a brief',
  counts: [80, 2000],
  inputs: fc.record({ damage }),
  meets: ({ damage: done }) =>
    folded(() =>
      notesFrom(parseSlots(damagedText(ANSWER, ANSWER.split('\n'), done).toString('utf8')), CAPTURE),
    ),
}

/** What git may say: names and subjects hold whatever somebody typed. */
const facts: Subject<{ branch: string; base: string; subjects: string[]; paths: string[]; name: string }> = {
  kind: 'names and subjects of git',
  operation: 'make a brief',
  counts: [60, 1500],
  inputs: fc.record({
    branch: oddText,
    base: oddText,
    name: oddText,
    subjects: fc.array(oddText, { maxLength: 8 }),
    paths: fc.array(oddText, { maxLength: 8 }),
  }),
  async meets({ branch, base, subjects, paths, name }) {
    const at = '2026-11-22T08:00:00+00:00'
    // Git holds no path out of its tree, and no system opens one of more than 4096 bytes; one that reads like somebody's home is hidden,
    // which is said.
    const legal = paths
      .map((path) => path.replaceAll('\0', ''))
      .filter((path) => !/^$|^[/~]|\.\.|^[A-Z]:/.test(path) && Buffer.byteLength(path) <= 4096)
    return makeSound({
      git: {
        // No ref is empty, holds a control character or is longer than a file name.
        branch: refOf(branch),
        upstream: refOf(base),
        base: { ref: refOf(base), sha: 'b'.repeat(40) },
        identity: { name, email: name },
        setUp: new Set(),
        changes: legal.map((path) => ({ path, staged: true, unstaged: true, state: 'modified' as const })),
        commits: subjects.map((subject, n) => ({
          sha: `${n}`.repeat(40),
          subject: subject.split('\n')[0] ?? '',
          at,
          trailers: [subject],
          files: legal,
        })),
        commitCount: subjects.length,
        files: new Set([...legal, 'src/queue.ts']),
      },
    })
  },
}

const refOf = (text: string): string => text.replace(/[\p{Cc} ~^:?*[\\]/gu, '-').slice(0, 200) || 'main'

async function folded(read: () => Notes): Promise<string> {
  let read1: Notes
  try {
    read1 = read()
  } catch (error) {
    return codeOf(error)
  }
  return makeSound({ notes: read1 })
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
