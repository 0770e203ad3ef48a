/** The maintained rule set: secretlint's recommended preset, 12.0.0. */
import { isStandIn } from './public-value.ts'

export interface PresetMatch {
  rule: string
  start: number
  end: number
  value: string
}

/**
 * True when a text may hold something that one of the preset's rules reports: each alternative is the beginning of one
 * of their patterns, weakened. A text without any needs neither the package nor its run.
 */
export const mayMatchPreset = (text: string): boolean => CANDIDATE.test(text)
const CANDIDATE = new RegExp(
  [
    '-----BEGIN[ A-Z]{0,20}PRIVATE KEY',
    '(?:npm|gh[pousr]|gsk|hf|ntn|lin_api|glc|glsa|vc[piark]|shp(?:pa|ca|at|ss))_[A-Za-z0-9_+/]{20}',
    'github_pat_[A-Za-z0-9_]{82}',
    '(?:sk|glpat)-[A-Za-z0-9_-]{20}',
    'xox[bpaor]-|xapp-',
    '[hH][oO][oO][kK][sS]\\.[sS][lL][aA][cC][kK]',
    'SG\\.\\w{1,128}\\.\\w',
    'ops_ey[A-Za-z0-9+/=]{100}',
    'hv[sbr]\\.[A-Za-z0-9_-]{90}',
    'dapi[A-Fa-f0-9]{32}',
    'dckr_pat_',
    'figd_[A-Za-z0-9_-]{40}',
    '://[^\\s/:]{1,256}:[^\\s/@]{1,256}@',
  ].join('|'),
)

/**
 * With `filter-comments` the words `secretlint-disable` in a text would switch the scan off; the ranges of `aws` begin
 * at the key word and so end within the value, our own rule finds the same.
 */
const LEFT_OUT = ['-filter-comments', '-rule-aws']

/**
 * Runs the preset over a text; offsets in UTF-16 units, the value narrowed to the password where a whole address
 * matched. The rules are called directly: `lintSource` of @secretlint/core marks every step on the performance timeline
 * for good, and a process that scans a few thousand texts comes to a halt.
 */
export async function findPresetSecrets(text: string): Promise<PresetMatch[]> {
  const { rules } = await import('@secretlint/secretlint-rule-preset-recommend')
  const ranges: { rule: string; range: readonly [number, number] }[] = []
  // The name decides which rules run: this one leaves out those for npmrc and JSON files only, which ours cover.
  const source = { content: text, filePath: 'brief.md', ext: '.md', contentType: 'text', hasBOM: false }
  for (const rule of rules) {
    if (LEFT_OUT.some((name) => rule.meta.id.endsWith(name))) continue
    const context = {
      sharedOptions: {},
      createTranslator: () => (messageId: string) => ({ message: messageId, messageId }),
      report: ({ range }: { range: readonly [number, number] }) => {
        ranges.push({ rule: rule.meta.id.replace(/^.*secretlint-rule-/, ''), range })
      },
      ignore: () => undefined,
    }
    // Only what the rules use of a context and a source is there; their types ask for the whole of secretlint's.
    const handlers = rule.create(context as unknown as Parameters<typeof rule.create>[0], {})
    await handlers.file?.(source as unknown as Parameters<NonNullable<typeof handlers.file>>[0])
  }
  return ranges.flatMap(({ rule, range: [from, to] }) => {
    const whole = text.slice(from, to)
    const password = /^[a-z0-9+.:-]+:\/\/[^\s/:@]*:([^\s/@]+)@/i.exec(whole)?.[1]
    const value = password ?? whole
    // Their npm rule takes any 36 letters and underscores: also `npm_` before the name of a function.
    if (isStandIn(value) || /^[a-z_]+$/.test(value)) return []
    const start = from + (password === undefined ? 0 : whole.indexOf(`:${password}@`) + 1)
    return [{ rule, start, end: start + value.length, value }]
  })
}
