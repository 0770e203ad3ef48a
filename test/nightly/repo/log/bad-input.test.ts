import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { cli } from '../../../repo/cli.ts'
import { briefFile, commitBrief, idOf, idsOf, logOf } from '../../../repo/log/brief-file.ts'
import { atFolder, cloneOf, makeRepo, type TempRepo } from '../../../repo/make-repo.ts'
import { made, usual } from '../../../repo/usual.ts'

const text = async (repo: TempRepo, ...args: string[]) => cli(repo, ['log', ...args])

describe('a chain that is not whole', () => {
  it('missing parents are told and drawn; the rest is read', async () => {
    const repo = makeRepo()
    commitBrief(repo, { n: 3, parent: idOf(2) })
    commitBrief(repo, { n: 4, parent: idOf(2) })
    const json = await logOf(repo)
    expect(idsOf(json)).toEqual([idOf(4), idOf(3)])
    expect(json.missing).toEqual([
      { id: idOf(3), parent: idOf(2) },
      { id: idOf(4), parent: idOf(2) },
    ])
    expect(json.warnings[0]).toBe(`the parent ${idOf(2)} of ${idOf(3)} is not in the history that is here`)
    const { stdout } = await text(repo, '--graph')
    expect(stdout.split('\n').at(-2)).toBe(`? ${idOf(2)}  not in the history that is here`)
  })

  it('in a shallow clone, what would bring them is said', async () => {
    const repo = makeRepo()
    commitBrief(repo, { n: 1 })
    repo.git(['rm', '-q', '-r', '.handoff'])
    commitBrief(repo, { n: 2 })
    const json = await logOf(cloneOf(repo, { args: ['--depth', '1'] }))
    expect(idsOf(json)).toEqual([idOf(2)])
    expect(json.warnings[0]).toContain('this clone is shallow, `git fetch --unshallow` brings the rest')
  })

  it('a circle is told and drawn, and loses nothing', async () => {
    const repo = makeRepo()
    for (const n of [1, 2, 3]) commitBrief(repo, { n, parent: idOf((n % 3) + 1) })
    commitBrief(repo, { n: 4, parent: idOf(2) })
    const json = await logOf(repo, '--chain')
    expect(json.cycles).toEqual([[idOf(1), idOf(2), idOf(3)]])
    expect(json.warnings[0]).toBe(`these briefs form a circle of parents: ${[1, 2, 3].map(idOf).join(' → ')}`)
    expect(idsOf(await logOf(repo))).toEqual([4, 3, 2, 1].map(idOf))
    expect((await text(repo, '--graph')).stdout.match(/goal number/g)).toHaveLength(4)
  })
})

describe('one id, several contents', () => {
  it('two briefs with one id: both told, marked, and a finding of check', async () => {
    const repo = makeRepo()
    const a = commitBrief(repo, { n: 1 })
    const b = commitBrief(repo, { n: 1, words: 'another', goal: 'another goal with the same id' })
    const json = await logOf(repo)
    expect(json.briefs).toMatchObject([
      { id: a.id, path: a.path, duplicate: true, others: [{ path: b.path, commit: b.commit }] },
    ])
    expect(json.briefs[0].edited).toBeUndefined()
    expect(json.warnings).toEqual([
      `several files have the id ${a.id}: shown is ${a.path}; the others are ${b.path}`,
    ])
    expect((await text(repo)).stdout).toMatch(/\[.*duplicate/)
    const check = await cli(repo, ['check', '--json'])
    expect(check.code).toBe(1)
    expect(check.json.findings).toContainEqual(expect.objectContaining({ rule: 'duplicate-id' }))
  })

  it('changed after it was committed: the version as added is told, and that it was changed', async () => {
    const repo = makeRepo()
    const added = commitBrief(repo, { n: 1, goal: 'the goal as it was handed over' })
    const changed = repo.commit('rewrite the past', {
      [added.path]: briefFile({ n: 1, goal: 'another goal altogether' }).text,
    }) // prettier-ignore
    const json = await logOf(repo)
    expect(json.briefs).toMatchObject([
      {
        goal: 'the goal as it was handed over',
        commit: added.commit,
        edited: true,
        inTree: true,
        others: [{ path: added.path, commit: changed }],
      },
    ])
    expect(json.briefs[0].oid).toBe(repo.git(['rev-parse', `${added.commit}:${added.path}`]))
    expect(json.warnings).toEqual([
      `${added.id} was changed after it was committed: shown is the version of ${added.commit.slice(0, 12)}; it was changed by ${changed.slice(0, 12)}`,
    ])
    expect((await text(repo)).stdout).toMatch(/the goal as it was handed over {2}\[.*edited/)
  })

  it('changed on another line of work: what this one holds is told', async () => {
    const repo = makeRepo()
    repo.git(['switch', '-q', '-c', 'side'])
    const added = commitBrief(repo, { n: 1 })
    repo.commit('change', { [added.path]: briefFile({ n: 1, goal: 'what the squash brought to main' }).text })
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--squash', 'side'])
    repo.git(['commit', '-q', '-m', 'squashed'])
    expect((await logOf(repo, '--all')).briefs).toMatchObject([
      { goal: 'what the squash brought to main', edited: true },
    ])
    expect((await logOf(repo)).briefs[0].edited).toBeUndefined()
  })

  it('changed by a merge alone', async () => {
    const repo = makeRepo()
    const added = commitBrief(repo, { n: 1 })
    repo.git(['switch', '-q', '-c', 'side'])
    repo.commit('side', { 'side.txt': 'x' })
    repo.git(['switch', '-q', 'main'])
    repo.commit('main', { 'main.txt': 'x' })
    repo.git(['merge', '-q', '--no-commit', 'side'])
    repo.write(added.path, briefFile({ n: 1, goal: 'slipped in with the merge' }).text)
    const brought = briefFile({ n: 2 })
    repo.write(brought.path, brought.text)
    repo.git(['add', '-A'])
    repo.git(['commit', '-q', '-m', 'merge'])
    expect((await logOf(repo)).briefs).toMatchObject([
      { id: brought.id },
      { goal: 'goal number 1 of the queue', edited: true },
    ])
  })
})

describe('text that is no brief, or an odd one', () => {
  it('conflict markers in the front matter: told where they came with the file, ignored where they came later', async () => {
    const marked = (whole: string) =>
      whole.replace(/^(goal: .*)$/m, '<<<<<<< HEAD\n$1\n=======\ngoal: theirs\n>>>>>>> side')
    const repo = makeRepo()
    const later = commitBrief(repo, { n: 1 })
    repo.commit('bad merge', { [later.path]: marked(later.text) })
    const never = briefFile({ n: 2 })
    const commit = repo.commit('bad from the start', { [never.path]: marked(never.text) })
    const json = await logOf(repo)
    expect(json.briefs).toMatchObject([{ id: later.id, goal: 'goal number 1 of the queue', edited: true }])
    expect(json.unreadable).toEqual([
      { id: never.id, path: never.path, commit, why: expect.stringContaining('front matter') },
    ])
    expect(json.warnings.at(-1)).toMatch(/goal-2\.md \(commit [0-9a-f]{12}\) is not a brief: /)
    expect((await text(repo)).code).toBe(0)
  })

  it.each([
    ['CRLF', (whole: string) => whole.replaceAll('\n', '\r\n')],
    ['BOM', (whole: string) => `\ufeff${whole}`],
    ['BOM and CRLF', (whole: string) => `\ufeff${whole.replaceAll('\n', '\r\n')}`],
  ])('%s is read all the same', async (_, change) => {
    const repo = makeRepo()
    const { path, text: whole } = briefFile({ n: 1, goal: 'a goal\nof two lines' })
    repo.commit('odd ends', { [path]: change(whole) })
    const json = await logOf(repo)
    expect(json.briefs).toMatchObject([{ id: idOf(1), goal: 'a goal\nof two lines' }])
    expect(json.unreadable).toEqual([])
  })

  it('a symbolic link, a file of 300 KB and one of nothing are told, not read', async () => {
    const repo = makeRepo()
    mkdirSync(join(repo.root, '.handoff/briefs'), { recursive: true })
    const path = (n: number) => briefFile({ n }).path
    symlinkSync('/etc/passwd', join(repo.root, path(1)))
    repo.write(path(2), briefFile({ n: 2 }).text + 'x'.repeat(300 * 1024))
    repo.write(path(3), '')
    repo.write(path(4), briefFile({ n: 4 }).text)
    repo.commit('odd files')
    const json = await logOf(repo)
    expect(idsOf(json)).toEqual([idOf(4)])
    const why = new Map(json.unreadable.map((one: { id: string; why: string }) => [one.id, one.why]))
    expect(why.get(idOf(1))).toContain('mode 120000')
    expect(why.get(idOf(2))).toContain('256 KB')
    expect(why.get(idOf(3))).toContain('no front matter')
  })

  it('what a brief says cannot move a terminal', async () => {
    const repo = makeRepo()
    commitBrief(repo, { n: 1, goal: 'erase \u001b[2J all \u202egnp', branch: 'x\u001b]0;y\u0007' })
    for (const args of [[], ['--graph']]) {
      const { stdout, stderr } = await text(repo, ...args)
      expect(stdout + stderr).not.toMatch(/\p{Cc}(?<!\n)|[\u202a-\u202e]/u)
    }
  })
})

describe('history that git bends', () => {
  it('a commit without a sane date, author or time zone', async () => {
    const repo = makeRepo()
    const { path, text: whole } = briefFile({ n: 1 })
    repo.write(path, whole)
    repo.git(['add', '-A'])
    const commit = `tree ${repo.git(['write-tree'])}\nparent ${repo.git(['rev-parse', 'HEAD'])}\nauthor <> nonsense\ncommitter X <x> 99999999999999999999 +9999\n\nodd\n`
    const oid = repo.git(['hash-object', '-t', 'commit', '-w', '--literally', '--stdin'], { input: commit })
    repo.git(['update-ref', 'refs/heads/main', oid])
    expect((await logOf(repo)).briefs).toMatchObject([{ id: idOf(1), commit: oid }])
  })

  it('grafts and replaced commits shape what is walked', async () => {
    const repo = makeRepo()
    for (const n of [1, 2, 3]) commitBrief(repo, { n })
    repo.git(['rm', '-q', briefFile({ n: 1 }).path])
    repo.commit('prune')
    writeFileSync(join(repo.root, '.git/info/grafts'), `${repo.git(['rev-parse', 'HEAD~1'])}\n`)
    expect(idsOf(await logOf(repo))).toEqual([idOf(3), idOf(2), idOf(1)])
    rmSync(join(repo.root, '.git/info/grafts'))
    repo.git(['replace', '--graft', 'HEAD'])
    const json = await logOf(repo, '--all')
    expect(idsOf(json)).toEqual([idOf(3), idOf(2)])
    expect(json.missing).toEqual([{ id: idOf(2), parent: idOf(1) }])
  })

  it('a replaced blob: what was committed is told, not what stands in its place', async () => {
    const repo = makeRepo()
    const { path } = commitBrief(repo, { n: 1, goal: 'the goal that was committed' })
    const other = briefFile({ n: 1, goal: 'the goal of somebody else' }).text
    const oid = repo.git(['hash-object', '-w', '--stdin'], { input: other })
    repo.git(['replace', repo.git(['rev-parse', `HEAD:${path}`]), oid])
    for (const pack of [false, true]) {
      if (pack) repo.git(['pack-refs', '--all'])
      expect((await logOf(repo, '--all')).briefs).toMatchObject([{ goal: 'the goal that was committed' }])
      expect((await cli(repo, ['show', '--raw'])).stdout).toContain('the goal that was committed')
    }
  })

  it('a commit that is missing: what came before it and what stands at the ends is told, and why there is no more', async () => {
    const repo = makeRepo()
    for (const n of [1, 2, 3]) commitBrief(repo, { n })
    repo.git(['rm', '-q', briefFile({ n: 1 }).path])
    repo.commit('prune')
    repo.git(['branch', 'side', 'HEAD~2'])
    repo.git(['switch', '-q', 'side'])
    commitBrief(repo, { n: 5, parent: null })
    repo.git(['switch', '-q', 'main'])
    const lost = repo.git(['rev-parse', 'HEAD~2'])
    unlinkSync(join(repo.root, '.git/objects', lost.slice(0, 2), lost.slice(2)))
    for (const args of [['--all'], []]) {
      const json = await logOf(repo, ...args)
      expect(idsOf(json)).toEqual(expect.arrayContaining([idOf(3), idOf(2), idOf(5)]))
      expect(json.broken).toMatch(/^git log .* failed: /)
      expect(json.warnings[0]).toContain('could not read all of history')
    }
    const { code, stdout, stderr } = await text(repo, '--all', '--graph')
    expect(code).toBe(0)
    expect(stdout + stderr).not.toMatch(/\n\s+at /)
  })

  it('a brief that is corrupt, or that a partial clone cannot fetch, takes no other along', async () => {
    const repo = makeRepo()
    for (const n of [1, 2, 3]) commitBrief(repo, { n })
    const oid = repo.git(['rev-parse', `HEAD:${briefFile({ n: 2 }).path}`])
    const loose = join(repo.root, '.git/objects', oid.slice(0, 2), oid.slice(2))
    const kept = readFileSync(loose)
    unlinkSync(loose)
    writeFileSync(loose, 'nonsense')
    const json = await logOf(repo)
    expect(idsOf(json)).toEqual([idOf(3), idOf(1)])
    expect(json.unreadable).toMatchObject([
      { id: idOf(2), why: expect.stringContaining('git cannot give it') },
    ])
    unlinkSync(loose)
    writeFileSync(loose, kept)
    repo.git(['rm', '-q', briefFile({ n: 1 }).path])
    repo.commit('prune')
    repo.git(['config', 'uploadpack.allowFilter', 'true'])
    const partial = cloneOf(repo, { args: ['--filter=blob:none'] })
    partial.git(['remote', 'set-url', 'origin', join(repo.base, 'gone')])
    const away = await logOf(partial)
    expect(idsOf(away)).toEqual([idOf(3), idOf(2)])
    expect(away.unreadable).toMatchObject([{ id: idOf(1) }])
    partial.git(['remote', 'set-url', 'origin', `file://${repo.root}`])
    expect(idsOf(await logOf(partial))).toEqual([idOf(3), idOf(2), idOf(1)])
  })

  it("a person's taste in git log changes nothing", async () => {
    const repo = makeRepo({ initial: false })
    commitBrief(repo, { n: 1 })
    commitBrief(repo, { n: 2 })
    const plain = await logOf(repo, '--all')
    for (const [key, value] of [
      ['log.showRoot', 'false'],
      ['log.diffMerges', 'off'],
      ['log.date', 'relative'],
      ['log.decorate', 'full'],
      ['log.abbrevCommit', 'true'],
      ['format.pretty', 'oneline'],
      ['color.ui', 'always'],
      ['diff.renames', 'copies'],
      ['diff.noprefix', 'true'],
      ['core.abbrev', '4'],
    ])
      repo.git(['config', key ?? '', value ?? ''])
    expect(await logOf(repo, '--all')).toEqual(plain)
    expect(idsOf(plain)).toEqual([idOf(2), idOf(1)])
  })

  it('a side branch whose brief was removed before the merge, an octopus, and a stash', async () => {
    const repo = makeRepo()
    for (const n of [1, 2, 3]) {
      repo.git(['switch', '-q', '-c', `side-${n}`, 'main'])
      const { path } = commitBrief(repo, { n, parent: null })
      if (n === 1) {
        repo.git(['rm', '-q', path])
        repo.commit('take it back', { 'side.txt': 'x' })
      }
    }
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '-m', 'octopus', 'side-1', 'side-2', 'side-3'])
    for (const n of [1, 2, 3]) repo.git(['branch', '-q', '-D', `side-${n}`])
    const { path, text: whole } = briefFile({ n: 9 })
    repo.write(path, whole)
    repo.git(['add', '-A'])
    repo.git(['stash', '-q'])
    const json = await logOf(repo, '--all')
    expect(idsOf(json)).toEqual([idOf(3), idOf(2), idOf(1)])
    expect(json.briefs.map(({ inTree }: { inTree: boolean }) => inTree)).toEqual([true, true, false])
  })
})

describe('history that changes under the command', () => {
  /** A `git` that does something of its own when it is asked for the log: before it answers, the first time or always. */
  function shim(repo: TempRepo, script: string): Record<string, string> {
    const folder = join(repo.base, 'shim')
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    mkdirSync(folder, { recursive: true })
    writeFileSync(
      join(folder, 'git'),
      `#!/bin/sh\ncase " $* " in *' log -z '*) ;; *) exec ${real} "$@";; esac\n${script.replaceAll('GIT', real)}\n`,
      { mode: 0o755 },
    )
    return { PATH: `${folder}:${repo.env.PATH}` }
  }
  const logWith = async (repo: TempRepo, env: Record<string, string>) =>
    cli(repo, ['log', '--all', '--json'], { env })
  function twoBranches(): TempRepo {
    const repo = makeRepo()
    commitBrief(repo, { n: 1 })
    repo.git(['switch', '-q', '-c', 'side'])
    commitBrief(repo, { n: 2 })
    repo.git(['switch', '-q', 'main'])
    commitBrief(repo, { n: 3, parent: idOf(1) })
    return repo
  }
  const GONE = 'GIT branch -q -D side; GIT reflog expire --expire=now --all; GIT gc -q --prune=now'

  it('a branch is deleted and collected after git listed it: its brief is told to be gone, the others are read', async () => {
    const repo = twoBranches()
    const { code, json } = await logWith(repo, shim(repo, `GIT "$@" > "$0.out"; ${GONE}; cat "$0.out"`))
    expect(code).toBe(0)
    expect(idsOf(json)).toEqual([idOf(3), idOf(1)])
    expect(json.unreadable).toMatchObject([
      { id: idOf(2), why: expect.stringContaining('git cannot give it') },
    ])
  })

  it('git fails in the middle because a branch went away: it is asked again, and nothing is said', async () => {
    const repo = twoBranches()
    const once = `test -e "$0.once" || { : > "$0.once"; GIT "$@" | head -c 150; ${GONE}; echo 'fatal: bad object' >&2; exit 128; }; exec GIT "$@"`
    const { code, json } = await logWith(repo, shim(repo, once))
    expect(code).toBe(0)
    expect(idsOf(json)).toEqual([idOf(3), idOf(1)])
    expect(json).toMatchObject({ broken: null, warnings: [] })
  })

  it('git fails every time: what stands at the ends is read, and why there may be more is said', async () => {
    const repo = twoBranches()
    const { code, json, stderr } = await logWith(repo, shim(repo, `echo 'fatal: bad object' >&2; exit 128`))
    expect(code).toBe(0)
    expect(idsOf(json).sort()).toEqual([1, 2, 3].map(idOf))
    expect(json.broken).toContain('fatal: bad object')
    expect(stderr).toBe('')
  })

  it('git is killed: the same, with what became of it', async () => {
    const repo = twoBranches()
    const env = shim(repo, 'kill -9 $$')
    const { code, json } = await logWith(repo, env)
    expect({ code, broken: json.broken }).toEqual({ code: 0, broken: expect.stringContaining('by a signal') })
  })
})

describe('places', () => {
  it.each([[[]], [['--all']], [['--graph']], [['--all', '--graph', '--since', '7d']]])(
    'no commits: %j',
    async (args) => {
      expect(await text(makeRepo({ initial: false }), ...args)).toMatchObject({
        code: 0,
        stdout: 'No briefs yet. `git handoff create "<goal>"` makes the first.\n',
        stderr: '',
      })
    },
  )

  it('no commits on this branch, briefs on another', async () => {
    const repo = makeRepo()
    commitBrief(repo, { n: 1 })
    repo.git(['switch', '-q', '--orphan', 'fresh'])
    expect(idsOf(await logOf(repo))).toEqual([])
    expect((await logOf(repo, '--all')).briefs).toMatchObject([{ id: idOf(1), inTree: false }])
  })

  it('a renamed default branch', async () => {
    const repo = makeRepo()
    commitBrief(repo, { n: 1 })
    repo.git(['branch', '-q', '-m', 'main', 'trunk'])
    commitBrief(repo, { n: 2, branch: 'trunk' })
    expect(idsOf(await logOf(repo))).toEqual([idOf(2), idOf(1)])
    expect(idsOf(await logOf(repo, '--branch', 'main'))).toEqual([idOf(1)])
  })

  it.each(['it\'s-"quoted"', '$(touch\u{24}IFS)', 'ünï/日本', '-x', '--output=pwned', 'a;b&c|d', '`id`'])(
    'branch %s',
    async (branch) => {
      const repo = makeRepo()
      repo.git(['update-ref', `refs/heads/${branch}`, 'HEAD'])
      repo.git(['symbolic-ref', 'HEAD', `refs/heads/${branch}`])
      commitBrief(repo, { n: 1, branch })
      commitBrief(repo, { n: 2, branch: 'main' })
      for (const args of [[], ['--all']]) expect(idsOf(await logOf(repo, ...args))).toHaveLength(2)
      const json = await logOf(repo, '--all', `--branch=${branch}`)
      expect(json.briefs).toMatchObject([{ id: idOf(1), branch, ref: expect.stringContaining('refs/') }])
      expect(repo.tryGit(['status', '--porcelain']).stdout).toBe('')
    },
  )

  it('worktrees with detached HEADs', async () => {
    const repo = makeRepo()
    const linked = join(repo.base, 'linked')
    repo.git(['worktree', 'add', '-q', '--detach', linked])
    const other = atFolder(repo.base, linked, repo.env)
    commitBrief(other, { n: 1, branch: null })
    expect(idsOf(await logOf(repo))).toEqual([])
    expect((await logOf(repo, '--all')).briefs).toMatchObject([{ id: idOf(1), branch: null }])
    expect(idsOf(await logOf(other))).toEqual([idOf(1)])
    expect((await text(other)).stdout).toContain('(detached)')
  })

  it('a brief that waits for the end of a merge belongs to its branch, and to no other', async () => {
    const repo = usual()
    repo.git(['switch', '-q', '-c', 'side'])
    repo.commit('side', { 'side.txt': 'x' })
    repo.git(['switch', '-q', 'main'])
    repo.commit('main', { 'main.txt': 'x' })
    repo.git(['merge', '-q', '--no-commit', '--no-ff', 'side'])
    const { id } = await made(repo)
    const json = await logOf(repo)
    expect(json).toMatchObject({ briefs: [{ id, ref: `refs/handoff/${id}` }], parked: [id] })
    expect((await text(repo)).stdout).toMatch(/\[.*parked/)
    repo.git(['merge', '--abort'])
    repo.git(['switch', '-q', 'side'])
    expect(idsOf(await logOf(repo))).toEqual([])
    expect(idsOf(await logOf(repo, '--all'))).toEqual([id])
  })

  it('briefs on a branch of their own belong to their branch without --all', async () => {
    const repo = usual()
    const apart = await made(repo, ['--branch', 'separate'])
    const fresh = await logOf(repo)
    expect(fresh.briefs).toMatchObject([{ id: apart.id, inTree: true, branch: 'main' }])
    expect(fresh.current).toBe(apart.id)
    repo.git(['switch', '-q', '-c', 'other', 'HEAD~1'])
    expect(idsOf(await logOf(repo))).toEqual([])
    expect(idsOf(await logOf(repo, '--all'))).toEqual([apart.id])
  })
})

describe('finding one by its id', () => {
  it('at the end of another branch, in history alone, and as it was added', async () => {
    const repo = makeRepo()
    const pruned = commitBrief(repo, { n: 1, goal: 'the goal that was pruned later' })
    repo.git(['rm', '-q', pruned.path])
    repo.commit('prune')
    repo.commit('again', { [pruned.path]: briefFile({ n: 1, goal: 'another goal under that id' }).text })
    repo.git(['rm', '-q', pruned.path])
    repo.commit('prune again')
    repo.git(['switch', '-q', '-c', 'side'])
    const aside = commitBrief(repo, { n: 2 })
    repo.git(['switch', '-q', 'main'])
    for (const id of [aside.id, aside.id.slice(0, 12)])
      expect((await cli(repo, ['show', id, '--json'])).json).toMatchObject({ ok: true, id: aside.id })
    expect((await cli(repo, ['show', pruned.id, '--raw'])).stdout).toContain('the goal that was pruned later')
    expect((await cli(repo, ['show', idOf(7), '--json'])).json.errors).toMatchObject([
      { code: 'E_UNKNOWN_ID' },
    ])
  })

  it('a parent that left every tree is still known to check', async () => {
    const repo = makeRepo()
    const pruned = commitBrief(repo, { n: 1 })
    repo.git(['rm', '-q', pruned.path])
    commitBrief(repo, { n: 2 })
    const { json } = await cli(repo, ['check', '--json'])
    expect(json.findings.map(({ rule }: { rule: string }) => rule)).not.toContain('parent-exists')
    commitBrief(repo, { n: 4, parent: idOf(3) })
    const again = (await cli(repo, ['check', '--json'])).json
    expect(again.findings).toContainEqual(expect.objectContaining({ rule: 'parent-exists' }))
  })
})
