import { exactLine } from '../text/safe-text.ts'
import { visible } from '../text/visible.ts'
import type { Finding } from '../types/checks.ts'

/** Longer messages are cut; the whole finding stands in the other formats. */
const MOST = 1000

/**
 * Findings as workflow commands of GitHub Actions, errors first, since a step shows ten of each level: `::error
 * file=…,line=…,title=…::message`. Escaped as `ActionCommand.cs` of the runner (2.3) takes it back: `%`, CR and LF
 * everywhere, `:` and `,` in properties too. Nothing of a finding can end the line or begin another command.
 */
export function githubAnnotations(findings: readonly Finding[]): string {
  const ranked = [...findings].sort((a, b) => Number(b.level === 'error') - Number(a.level === 'error'))
  return ranked
    .map(
      ({ rule, level, path, line, message }) =>
        `::${level} file=${property(path)},line=${line},title=${property(`handoff ${rule}`)}::${data(clip(exactLine(message)))}\n`,
    )
    .join('')
}

/** One message without a place. */
export const githubNotice = (level: 'error' | 'warning' | 'notice', text: string): string =>
  `::${level} title=handoff::${data(clip(exactLine(text)))}\n`

// Escaped before it is made visible, so that a path with a line break still names its file.
const data = (text: string): string =>
  visible(text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A'))

const property = (text: string): string =>
  visible(
    text
      .replace(/%/g, '%25')
      .replace(/\r/g, '%0D')
      .replace(/\n/g, '%0A')
      .replace(/:/g, '%3A')
      .replace(/,/g, '%2C'),
  )

const clip = (text: string): string =>
  text.length <= MOST ? text : `${text.slice(0, MOST).replace(/[\ud800-\udbff]$/, '')}…`
