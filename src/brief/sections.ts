export type SectionId =
  | 'preamble'
  | 'status'
  | 'memory'
  | 'closing'
  | 'trail'
  | 'information'
  | 'constraints'
  | 'decisions'
  | 'progress'
  | 'files'
  | 'commands'
  | 'questions'
  | 'steps'
  | 'previous'
  | 'goal'

export interface Section {
  id: SectionId
  /** The heading line without its `#` marks. */
  heading: string
  level: 1 | 2
  required: boolean
  /** Who built it, most trusted first. */
  zone: readonly ('tool' | 'git' | 'transcript' | 'chain' | 'model' | 'agent' | 'user')[]
}

/** The sections of a brief in their order, once: rendering, parsing, checks and docs walk this table. */
export const sections: readonly Section[] = [
  { id: 'preamble', heading: 'Handoff Context', level: 1, required: true, zone: ['tool'] },
  { id: 'status', heading: 'Status', level: 2, required: true, zone: ['git', 'transcript'] },
  { id: 'memory', heading: 'Working Memory', level: 2, required: true, zone: ['agent'] },
  { id: 'closing', heading: 'Where it stands', level: 2, required: false, zone: ['agent', 'transcript'] },
  {
    id: 'trail',
    heading: 'How it got here',
    level: 2,
    required: false,
    zone: ['user', 'agent', 'transcript'],
  },
  {
    id: 'information',
    heading: 'Context (from previous thread)',
    level: 2,
    required: false,
    zone: ['model', 'agent'],
  },
  {
    id: 'constraints',
    heading: 'Constraints & Preferences',
    level: 2,
    required: false,
    zone: ['transcript', 'user'],
  },
  {
    id: 'decisions',
    heading: 'Key Decisions',
    level: 2,
    required: false,
    zone: ['transcript', 'agent', 'model', 'git'],
  },
  { id: 'progress', heading: 'Progress', level: 2, required: false, zone: ['git', 'transcript'] },
  {
    id: 'files',
    heading: 'Relevant Files',
    level: 2,
    required: false,
    zone: ['git', 'transcript', 'model', 'user'],
  },
  { id: 'commands', heading: 'Relevant Commands', level: 2, required: false, zone: ['transcript'] },
  {
    id: 'questions',
    heading: 'Open Questions / Risks',
    level: 2,
    required: false,
    zone: ['transcript', 'agent', 'model'],
  },
  { id: 'steps', heading: 'Next Steps', level: 2, required: false, zone: ['agent', 'user'] },
  { id: 'previous', heading: 'Previous handoff', level: 2, required: false, zone: ['chain'] },
  { id: 'goal', heading: 'Next Goal (verbatim)', level: 2, required: true, zone: ['user'] },
]

/** Sections of briefs that were made before: read, in that order, and no longer written. */
export const formerSections: readonly string[] = [
  'Handoff Context',
  'Status',
  'Mission',
  'Constraints & Preferences',
  'Context (from previous thread)',
  'Key Decisions',
  'Progress',
  'Relevant Files',
  'Relevant Commands',
  'Open Questions / Risks',
  'Working Memory',
  'Next Steps',
  'Previous handoff',
  'Session Metadata',
  'Next Goal (verbatim)',
]
