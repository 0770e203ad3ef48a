import { wrapText } from '../text/rows.ts'
import type { LeakGuide } from './leaked.ts'

/** The guide as a screen of `width` columns. */
export function renderLeaked({ steps, providers }: LeakGuide, width: number): string {
  const told = steps.flatMap(({ title, detail, run }, at) => [
    `${at + 1}. ${title}`,
    ...wrapText(detail, width, '   '),
    ...run.map((command) => `   $ ${command}`),
    '',
  ])
  const pages = providers.flatMap(({ who, where, rules }) => [
    who,
    ...wrapText(`${where} [${rules.join(', ')}]`, width, '  '),
  ])
  return ['A secret is in a commit. In this order:', '', ...told, 'Where to revoke it', ...pages].join('\n')
}
