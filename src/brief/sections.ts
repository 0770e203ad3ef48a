import type { Budget } from '../types.ts'

export type SectionId =
  | 'preamble'
  | 'status'
  | 'mission'
  | 'constraints'
  | 'information'
  | 'decisions'
  | 'progress'
  | 'files'
  | 'commands'
  | 'questions'
  | 'memory'
  | 'steps'
  | 'previous'
  | 'metadata'
  | 'goal'

export interface Section {
  id: SectionId
  /** The heading line without its `#` marks. */
  heading: string
  level: 1 | 2
  required: boolean
  /** Who built it, most trusted first. */
  zone: readonly ('tool' | 'git' | 'transcript' | 'chain' | 'model' | 'agent' | 'user')[]
  /** The token budget that holds it. */
  budget?: Exclude<keyof Budget, 'soft' | 'hard'>
}

/** The sections of a brief in their order (SPEC §4), once: rendering, parsing, checks and docs walk this table. */
export const sections: readonly Section[] = [
  { id: 'preamble', heading: 'Handoff Context', level: 1, required: true, zone: ['tool'] },
  {
    id: 'status',
    heading: 'Status',
    level: 2,
    required: true,
    zone: ['git', 'transcript'],
    budget: 'status',
  },
  {
    id: 'mission',
    heading: 'Mission',
    level: 2,
    required: false,
    zone: ['chain', 'user'],
    budget: 'mission',
  },
  {
    id: 'constraints',
    heading: 'Constraints & Preferences',
    level: 2,
    required: false,
    zone: ['transcript', 'user'],
  },
  {
    id: 'information',
    heading: 'Context (from previous thread)',
    level: 2,
    required: false,
    zone: ['transcript', 'model', 'agent'],
  },
  {
    id: 'decisions',
    heading: 'Key Decisions',
    level: 2,
    required: false,
    zone: ['git', 'transcript', 'agent', 'model'],
    budget: 'decisions',
  },
  {
    id: 'progress',
    heading: 'Progress',
    level: 2,
    required: false,
    zone: ['git', 'transcript'],
    budget: 'progress',
  },
  {
    id: 'files',
    heading: 'Relevant Files',
    level: 2,
    required: false,
    zone: ['git', 'transcript', 'model', 'agent', 'user'],
    budget: 'files',
  },
  { id: 'commands', heading: 'Relevant Commands', level: 2, required: false, zone: ['transcript'] },
  {
    id: 'questions',
    heading: 'Open Questions / Risks',
    level: 2,
    required: false,
    zone: ['transcript', 'agent', 'model'],
  },
  { id: 'memory', heading: 'Working Memory', level: 2, required: true, zone: ['agent'], budget: 'memory' },
  { id: 'steps', heading: 'Next Steps', level: 2, required: false, zone: ['agent', 'user'] },
  { id: 'previous', heading: 'Previous handoff', level: 2, required: false, zone: ['chain'] },
  {
    id: 'metadata',
    heading: 'Session Metadata',
    level: 2,
    required: false,
    zone: ['transcript', 'git'],
  },
  { id: 'goal', heading: 'Next Goal (verbatim)', level: 2, required: true, zone: ['user'] },
]
