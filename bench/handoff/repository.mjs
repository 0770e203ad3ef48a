/** Makes a git repository of a played world, with a bare remote beside it, and asks git what is true there. */
import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { firstText } from './language/projects.mjs'

const START = Date.parse('2026-03-02T08:00:00Z') / 1000
const APART = 7 * 60

/** Git without the settings of this machine, and with a fixed author and time. */
export const gitEnv = (home) => ({
  PATH: process.env.PATH,
  HOME: home,
  LANG: 'C.UTF-8',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: join(home, '.gitconfig'),
  GIT_AUTHOR_DATE: '2026-03-20T08:00:00Z',
  GIT_COMMITTER_DATE: '2026-03-20T08:00:00Z',
})

function git(place, args, { input, env } = {}) {
  const done = spawnSync('git', args, {
    cwd: place.repo,
    env: { ...gitEnv(place.home), ...env },
    input,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  })
  if (done.status !== 0) throw new Error(`git ${args.join(' ')}: ${done.stderr}`)
  return done.stdout
}

/** An empty repository with a bare remote; the branch of the work is checked out and follows that of the remote. */
export function makeRepository(folder, world) {
  const place = {
    repo: join(folder, world.project.name),
    home: join(folder, 'home'),
    ids: [],
    done: 0,
  }
  for (const path of [place.repo, place.home]) mkdirSync(path, { recursive: true })
  writeFileSync(join(place.home, '.gitconfig'), '[user]\n\tname = Robin\n\temail = robin@example.invalid\n')
  git(place, ['init', '-q', '-b', world.branch, '--template='])
  git(place, ['init', '-q', '-b', 'main', '--template=', '--bare', '../origin.git'])
  appendFileSync(
    join(place.repo, '.git/config'),
    `[remote "origin"]\n\turl = ../origin.git\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n[branch "${world.branch}"]\n\tremote = origin\n\tmerge = refs/heads/${world.branch}\n`,
  )
  return place
}

/** Brings the repository to where the world is: its new commits, what of them is pushed, and the work tree. */
export function catchUp(place, world) {
  const ref = `refs/heads/${world.branch}`
  const marks = join(place.home, 'marks')
  const parts = []
  let from = place.base ? git(place, ['rev-parse', ref]).trim() : null
  if (!place.base) {
    parts.push(
      commitHead('refs/heads/main', 'Start', 0, null, 1),
      ...world.project.files.map((path) => fileLine(path, firstText(world.project, path))),
      `reset ${ref}\nfrom :1\n\n`,
    )
    from = ':1'
  }
  for (const [n, { subject, changed, gone }] of world.commits.slice(place.done).entries())
    parts.push(
      commitHead(ref, subject, place.done + n + 1, n === 0 ? from : null, n + 2),
      ...changed.map(([path, text]) => fileLine(path, text)),
      ...gone.map((path) => `D ${path}\n`),
    )
  git(place, ['fast-import', '--quiet', '--force', `--export-marks=${marks}`], { input: parts.join('') })
  const byMark = readFileSync(marks, 'utf8').trim().split('\n').filter(Boolean)
  const sorted = byMark.map((line) => line.slice(1).split(' ')).sort(([a], [b]) => Number(a) - Number(b))
  place.base ??= sorted[0][1]
  place.ids.push(...sorted.filter(([mark]) => mark !== '1').map(([, id]) => id))
  place.done = world.commits.length
  if (world.pushed > 0) git(place, ['push', '-q', 'origin', 'main', `${place.ids[world.pushed - 1]}:${ref}`])
  writeTree(place, world)
  git(place, ['reset', '-q'])
  return place.ids
}

function writeTree(place, world) {
  for (const name of readdirSync(place.repo))
    if (name !== '.git' && name !== '.handoff') rmSync(join(place.repo, name), { recursive: true })
  for (const [path, text] of [...world.files, ...world.outside]) {
    mkdirSync(dirname(join(place.repo, path)), { recursive: true })
    writeFileSync(join(place.repo, path), text)
  }
}

/** What git says of the work: paths by kind since the start of the line of work, what is not committed and what is not pushed. */
export function truthOf(place) {
  const env = { GIT_INDEX_FILE: join(place.home, 'index') }
  git(place, ['add', '-A'], { env })
  const changes = rows(git(place, ['diff', '--cached', '--name-status', '-M', place.base], { env }))
  const dirty = rows(git(place, ['diff', '--cached', '--name-status', '-M', 'HEAD'], { env }))
  const unpushed = rows(git(place, ['log', '--format=%h%x09%s', '@{upstream}..HEAD']))
  return {
    files: changes
      .filter(isWork)
      .map(([code, path, to]) => ({ kind: KINDS[code[0]], path: to ?? path, from: to ? path : null })),
    uncommitted: dirty.filter(isWork).flatMap(([, path, to]) => (to ? [path, to] : [path])),
    // A commit that a tool made to hand over counts or not, as the tool likes.
    unpushed: unpushed.filter(([, subject]) => !subject.includes('handoff')),
    allUnpushed: unpushed.length,
  }
}

const KINDS = { A: 'created', M: 'changed', D: 'deleted', R: 'renamed' }
const rows = (text) =>
  text
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split('\t'))
const isWork = ([, path]) => !path.startsWith('.handoff/')

const commitHead = (ref, subject, number, from, mark) =>
  `commit ${ref}\nmark :${mark}\ncommitter Robin <robin@example.invalid> ${START + number * APART} +0000\n${data(subject)}${from ? `from ${from}\n` : ''}`
const fileLine = (path, text) => `M 100644 inline ${path}\n${data(text)}`
const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`
