/** What a successor is given of the session before. Each view is a contestant of part A, or a few lines here. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { continues } from '../contestants/continues.mjs'
import { handoff, handoffWith } from '../contestants/handoff.mjs'
import { shown } from '../contestants/last-turns.mjs'
import { skillPage } from '../contestants/skill-page.mjs'

export const VIEWS = {
  repository: () => '',
  trail: (input) => trailOf(input.events, countTokens(VIEWS.quoted(input))),
  continues: (input) => continues.make(input).markdown,
  skill: (input) => skillPage('page', 'page').make(input).markdown,
  quoted: (input) => handoff.make(input).markdown,
  page: (input) => handoffWith('page', 'page').make(input).markdown,
}
export const PILOT = ['repository', 'trail', 'quoted', 'page']

/** The end of the session, as long as the quoted brief. */
export function trailOf(events, tokens) {
  const lines = events.map(shown).join('\n\n').split('\n')
  let from = lines.length
  while (from > 0 && countTokens(lines.slice(from - 1).join('\n')) <= tokens) from -= 1
  return `${lines.slice(from).join('\n')}\n`
}

/** The document of a view, without the folder of this run. */
export function documentOf(view, task, input) {
  const page = join(input.home, 'page.md')
  mkdirSync(input.home, { recursive: true })
  writeFileSync(page, task.page)
  const text = VIEWS[view]({ ...input, pages: { page } })
  const place = input.repo
  return text.replaceAll(`${place}/`, '').replaceAll(place, '.').replaceAll(input.home, '~')
}
