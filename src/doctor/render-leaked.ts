import type { LeakGuide } from './leaked.ts'
import { wrap } from './wrap.ts'

/** The guide as a screen. */
export function renderLeaked({ steps, providers }: LeakGuide): string {
  const told = steps.flatMap(({ title, detail, run }, at) => [
    `${at + 1}. ${title}`,
    ...wrap(detail, '   '),
    ...run.map((command) => `   $ ${command}`),
    '',
  ])
  const pages = providers.flatMap(({ who, where, rules }) => [
    who,
    ...wrap(`${where} [${rules.join(', ')}]`, '  '),
  ])
  return ['A secret is in a commit. In this order:', '', ...told, 'Where to revoke it', ...pages].join('\n')
}
