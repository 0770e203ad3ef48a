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
  skill: (input) => skillPage('skill', 'skill').make(input).markdown,
  quoted: (input) => handoff.make(input).markdown,
  page: (input) => handoffWith('page', 'page').make(input).markdown,
}
/** The programs that views are made with. */
const PROGRAMS = { trail: handoff, continues, quoted: handoff, page: handoff }
export const PILOT = ['repository', 'trail', 'quoted', 'page']

/** Before anything is played: a view that is not there, or whose program is not, ends the run. */
export function checkViews(views) {
  for (const view of views) {
    if (!VIEWS[view])
      throw new Error(`There is no view "${view}". There are: ${Object.keys(VIEWS).join(', ')}.`)
    const { id, missing } = PROGRAMS[view] ?? {}
    if (missing) throw new Error(`The view "${view}" needs ${id}: ${missing}.`)
  }
}

/** The end of the session, as long as the quoted brief. */
export function trailOf(events, tokens) {
  const lines = events.map(shown).join('\n\n').split('\n')
  let from = lines.length
  while (from > 0 && countTokens(lines.slice(from - 1).join('\n')) <= tokens) from -= 1
  return `${lines.slice(from).join('\n')}\n`
}

/** The document of a view, without the folder of this run. */
export function documentOf(view, task, input) {
  const pages = { page: join(input.home, 'page.md'), skill: join(input.home, 'skill.md') }
  mkdirSync(input.home, { recursive: true })
  for (const [kind, path] of Object.entries(pages)) writeFileSync(path, task[kind])
  const text = VIEWS[view]({ ...input, pages })
  const place = input.repo
  return text.replaceAll(`${place}/`, '').replaceAll(place, '.').replaceAll(input.home, '~')
}
