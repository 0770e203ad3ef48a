import { githubAnnotations, githubNotice } from '../output/annotations.ts'
import { codeQuality } from '../output/code-quality.ts'
import { sarifLog } from '../output/sarif.ts'
import type { Finding } from '../types/checks.ts'
import { rules } from '../validate/validate-brief.ts'

interface Report {
  findings: readonly Finding[]
  version: string
  /** What else is to be known, as that findings were left out. */
  notes: readonly string[]
}

/** What `check` prints for other programs, by the name of the format. */
export const formats = {
  github: ({ findings, notes }: Report): string =>
    githubAnnotations(findings) + notes.map((note) => githubNotice('notice', note)).join(''),
  gitlab: ({ findings }: Report): string => codeQuality(findings),
  sarif: ({ findings, version, notes }: Report): string => sarifLog({ findings, rules, version, notes }),
} as const

export type Format = 'text' | keyof typeof formats

export const FORMATS = ['text', ...Object.keys(formats)] as readonly Format[]
