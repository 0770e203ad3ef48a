import { chmodSync, existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { cli } from '../../../repo/cli.ts'
import { file, hand, told, verify } from '../../../repo/drift/place.ts'
import { cloneOf, makeRepo, type TempRepo } from '../../../repo/make-repo.ts'
import { byNight } from '../../../sampled.ts'

/** A branch with two commits of its own, handed over. */
function branched(options: Parameters<typeof makeRepo>[0] = {}): { repo: TempRepo; path: string } {
  const repo = makeRepo(options)
  repo.git(['switch', '-q', '-c', 'work'])
  repo.commit('one', { 'one.ts': '1\n' })
  repo.commit('two', { 'two.ts': '2\n' })
  return {
    repo,
    path: hand(repo, {
      files: [file('one.ts'), file('two.ts')],
      meta: { base: `main@${repo.git(['rev-parse', 'main'])}` },
    }),
  }
}

const clone = (repo: TempRepo, name: string, ...args: string[]): TempRepo =>
  cloneOf(repo, { name, args, env: repo.env })

describe('rewritten history', () => {
  it('rebased commits are found by their change and alarm nobody', async () => {
    const { repo } = branched()
    repo.git(['switch', '-q', 'main'])
    repo.commit('main goes on', { 'main.ts': 'm\n' })
    repo.git(['switch', '-q', 'work'])
    repo.git(['rebase', '-q', 'main'])
    const { code, json } = await verify(repo)
    expect(await told(repo)).toEqual(['commits-rebased'])
    expect([code, json.lacking.listed.length, json.commits.count]).toEqual([0, 2, 0])
  })

  byNight(
    'G8: commits of a rebase whose conflicts were resolved by hand are there, rewritten, and alarm nobody',
    async () => {
      const repo = makeRepo()
      repo.commit('queue', { 'queue.ts': 'one\ntwo\nthree\n' })
      repo.git(['switch', '-q', '-c', 'work'])
      repo.commit('bound the queue', { 'queue.ts': 'one\ntwo, bounded\nthree\n' })
      repo.commit('add a test', { 'queue.test.ts': 'test\n' })
      repo.commit('bound it more', { 'queue.ts': 'one\ntwo, bounded more\nthree\n' })
      hand(repo, { files: [file('queue.ts'), file('queue.test.ts')] })
      repo.git(['switch', '-q', 'main'])
      repo.commit('count the queue', { 'queue.ts': 'one\ntwo, counted\nthree\n' })
      repo.git(['switch', '-q', 'work'])
      for (const args of [['main'], ['--continue'], ['--continue']]) {
        const { status } = repo.tryGit(['-c', 'core.editor=true', 'rebase', ...args])
        if (status === 0) break
        const bounded = args[0] === 'main' ? 'bounded' : 'bounded more'
        repo.write('queue.ts', `one\ntwo, counted, ${bounded}\nthree\n`)
        repo.git(['add', 'queue.ts'])
      }
      expect(repo.git(['log', '-4', '--format=%s', 'HEAD~1'])).toBe(
        'bound it more\nadd a test\nbound the queue\ncount the queue',
      )
      const { code, json } = await verify(repo)
      expect(await told(repo)).toEqual(['commits-rebased', 'file-changed queue.ts'])
      expect([code, json.lacking.listed.map(({ fate }: { fate: string }) => fate)]).toEqual([
        0,
        ['rebased', 'rebased', 'rebased'],
      ])
      expect((await cli(repo, ['verify'])).stdout).toMatch(
        /3 earlier commits are here in rewritten form \(rebased\): [0-9a-f]{8} bound it more; /,
      )
      expect((await cli(repo, ['show', '--prompt'])).stdout).not.toContain('missing here')
    },
  )

  byNight('a commit of the same subject by somebody else, or of another day, is another one', async () => {
    const { repo, path } = branched()
    repo.git(['reset', '-q', '--hard', 'HEAD~2'])
    repo.write(path, repo.git(['show', `HEAD@{1}:${path}`]))
    repo.commit('two', { 'other.ts': 'x\n' })
    expect(await told(repo, [path])).toContain('commits-gone')
  })

  byNight('squashed commits leave their files as they were, and alarm nobody', async () => {
    const { repo, path } = branched()
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--squash', 'work'])
    repo.git(['commit', '-q', '-m', 'work (#1)'])
    repo.git(['branch', '-q', '-D', 'work'])
    expect(await told(repo, [path])).toEqual(['commits-contained', 'branch-gone'])
    expect((await verify(repo, [path])).code).toBe(0)
  })

  it('a change that is gone is told by its commit', async () => {
    const { repo, path } = branched()
    repo.git(['reset', '-q', '--hard', 'HEAD~2'])
    repo.write(path, repo.git(['show', `HEAD@{1}:${path}`]))
    expect(await told(repo, [path])).toEqual(['commits-gone', 'file-gone two.ts', 'not-committed'])
    expect((await cli(repo, ['verify', path])).stdout).toMatch(
      /1 earlier commit is gone from this history with all changes: [0-9a-f]{8} two\./,
    )
  })

  byNight('what lies on another branch is not gone, and that branch is named', async () => {
    const { repo, path } = branched()
    repo.git(['switch', '-q', '-c', 'elsewhere', 'main'])
    repo.write(path, repo.git(['show', `work:${path}`]))
    expect(await told(repo, [path])).toContain('commits-elsewhere')
    expect((await cli(repo, ['verify', path])).stdout).toContain(
      '2 earlier commits are not in this checkout but on `work`: ',
    )
  })

  byNight(
    'after a rebase a clone does not know the commit: said, and told from where the brief stands here',
    async () => {
      const { repo } = branched()
      repo.git(['switch', '-q', 'main'])
      repo.commit('main goes on', { 'main.ts': 'm\n' })
      repo.git(['switch', '-q', 'work'])
      repo.git(['rebase', '-q', 'main'])
      repo.commit('later', { 'two.ts': '2\n3\n' })
      const other = clone(repo, 'other')
      const { code, json } = await verify(other)
      expect([code, json.head, json.standIn]).toEqual([1, 'unknown', repo.git(['rev-parse', 'HEAD~2'])])
      expect(await told(other)).toEqual(['head-unknown', 'file-changed two.ts'])
      expect(json.commits.listed.map(({ subject }: { subject: string }) => subject)).toEqual(['later'])
    },
  )

  byNight(
    'history that is rewritten and collected under the running command: no crash, and nothing invented',
    async () => {
      const { repo } = branched()
      const slow = shim(
        repo,
        `case " $* " in *" --left-right "*|*" diff "*|*" merge-tree "*)
  if mkdir "${repo.base}/once" 2>/dev/null; then
    $GIT -C "${repo.root}" reset -q --hard main; $GIT -C "${repo.root}" reflog expire --expire=all --all
    $GIT -C "${repo.root}" gc -q --prune=now
  else while [ -e "${repo.base}/once" ] && [ ! -e "${repo.base}/done" ]; do sleep 0.05; done; fi
  touch "${repo.base}/done";;
esac`,
      )
      const { code, json } = await cli(repo, ['verify', '--json'], { env: slow })
      expect(existsSync(`${repo.base}/done`), 'it was rewritten meanwhile').toBe(true)
      expect(repo.git(['rev-parse', 'HEAD'])).toBe(repo.git(['rev-parse', 'main']))
      expect([0, 1]).toContain(code)
      const codes = (json.items ?? json.errors).map((item: { code: string }) => item.code)
      // That a file is not known says what is so.
      expect(codes.filter((one: string) => one === 'E_UNEXPECTED' || /^file-(?!unknown)/.test(one))).toEqual(
        [],
      )
    },
  )
})

/** A git of its own on PATH that runs some shell first. */
function shim(repo: TempRepo, script: string): Record<string, string> {
  const real = (repo.env.PATH ?? '')
    .split(':')
    .map((folder) => `${folder}/git`)
    .find(existsSync)
  repo.write('../bin/git', `#!/bin/sh\nGIT=${real}\n${script}\nexec $GIT "$@"\n`)
  chmodSync(`${repo.base}/bin/git`, 0o755)
  return { PATH: `${repo.base}/bin:${repo.env.PATH}` }
}

describe('a head that is not known', () => {
  it('a shallow clone says so', async () => {
    const { repo } = branched()
    const shallow = clone(repo, 'shallow', '--depth=1', '-b', 'work')
    expect(await told(shallow)).toEqual([
      'head-unknown',
      'file-unknown one.ts',
      'file-unknown two.ts',
      'merge-unknown',
    ])
    expect((await cli(shallow, ['verify'])).stdout).toContain(
      'is not in this clone, which is shallow, so what changed since is not known',
    )
  })

  byNight('a brief made before the first commit', async () => {
    const repo = makeRepo({ initial: false })
    repo.write('a.ts', 'a\n')
    const path = hand(repo, { files: [file('a.ts'), file('b.ts')] }, { commit: false })
    expect(await told(repo, [path])).toEqual([
      'file-missing b.ts',
      'not-committed',
      'no-commit-then',
      'file-dirty a.ts',
    ])
    repo.git(['add', '.'])
    repo.git(['commit', '-q', '-m', 'first'])
    expect(await told(repo)).toEqual(['file-missing b.ts', 'no-commit-then', 'file-unknown a.ts'])
  })

  byNight('replaced objects and grafts: what git shows is judged', async () => {
    const { repo } = branched()
    const [head, root] = [
      repo.git(['rev-parse', 'HEAD~1']),
      repo.git(['rev-list', '--max-parents=0', 'HEAD']),
    ]
    repo.git(['replace', '--graft', head, root])
    expect((await verify(repo)).code).toBe(0)
    repo.git(['replace', '-d', head])
    repo.git(['replace', '--graft', 'HEAD', root])
    expect(await told(repo)).toEqual(['commits-contained'])
    repo.git(['replace', '-d', 'HEAD'])
    repo.write('.git/info/grafts', `${repo.git(['rev-parse', 'HEAD'])} ${root}\n`)
    expect(await told(repo)).toEqual(['commits-contained'])
  })
})

describe('the brief itself', () => {
  byNight('edited after it was committed', async () => {
    const { repo, path } = branched()
    repo.write(path, repo.read(path).replace('edited once', 'edited twice'))
    expect(await told(repo)).toEqual(['brief-edited'])
    repo.git(['commit', '-q', '-am', 'mend the brief'])
    expect(await told(repo)).toEqual(['brief-edited'])
    expect((await cli(repo, ['verify'])).stdout).toContain(
      'The brief was edited after it was first committed.',
    )
  })

  byNight('line ends of a checkout are no edit, a byte order mark is read over', async () => {
    const { repo, path } = branched()
    repo.write(path, repo.read(path).replace(/\n/g, '\r\n'))
    expect(await told(repo)).toEqual([])
    repo.write(path, `\ufeff${repo.read(path)}`)
    expect(await told(repo)).toEqual(['brief-edited'])
    expect(await told(repo, [path])).toEqual(['brief-edited', 'not-committed'])
  })

  it('conflict markers inside it', async () => {
    const { repo, path } = branched()
    repo.write(
      path,
      repo.read(path).replace('\n## Working', '\n<<<<<<< HEAD\n=======\n>>>>>>> x\n## Working'),
    )
    repo.git(['commit', '-q', '-am', 'resolved'])
    expect(await told(repo)).toEqual(['brief-conflicted', 'brief-edited'])
  })

  byNight(
    'conflict markers in the front matter: it is passed over, and that is said; by name it is no brief',
    async () => {
      const { repo, path } = branched()
      hand(repo, { meta: { id: '20261121T090000-01c40e9b' } })
      repo.write(path, repo.read(path).replace('parents:', '<<<<<<< HEAD\nparents:'))
      repo.git(['commit', '-q', '-am', 'torn'])
      const { stdout, stderr } = await cli(repo, ['verify'])
      expect(stdout).toContain('20261121T090000-01c40e9b: ')
      expect(stderr).toContain(`${path} cannot be read as a brief and was passed over`)
      expect((await cli(repo, ['verify', path])).stderr).toContain('conflict markers in the front matter')
    },
  )

  it('missing, deleted and left out of the work tree', async () => {
    const { repo, path } = branched()
    repo.git(['rm', '-q', '--cached', path])
    expect(await told(repo)).toEqual([])
  })
})

describe('the base', () => {
  it('conflicts are told by file', async () => {
    const { repo } = branched()
    repo.git(['switch', '-q', 'main'])
    repo.commit('other two', { 'two.ts': 'other\n', 'ok.ts': 'ok\n' })
    repo.git(['switch', '-q', 'work'])
    const objects = repo.git(['count-objects'])
    const { code, json } = await verify(repo)
    expect([code, json.merge]).toEqual([1, { base: 'main', conflicts: ['two.ts'], why: null }])
    expect(await told(repo)).toEqual(['conflict'])
    expect(repo.git(['count-objects']), 'a question leaves nothing behind').toBe(objects)
  })

  byNight('a renamed default branch: another usual name counts, any other is said', async () => {
    const { repo } = branched()
    repo.git(['branch', '-q', '-m', 'main', 'trunk'])
    expect((await verify(repo)).json.merge).toEqual({ base: 'trunk', conflicts: [], why: null })
    repo.git(['branch', '-q', '-m', 'trunk', 'basis'])
    expect(await told(repo)).toEqual(['merge-unknown'])
    expect((await cli(repo, ['verify'])).stdout).toContain('its base main is no branch here')
  })

  it('git before 2.38 cannot try a merge: said, not guessed', async () => {
    const { repo } = branched()
    const old = shim(
      repo,
      'case " $* " in *" merge-tree "*) echo "usage: git merge-tree <base-tree> <branch1> <branch2>" >&2; exit 129;; esac',
    )
    const { code, json } = await cli(repo, ['verify', '--json'], { env: old })
    expect([code, json.merge]).toEqual([0, { base: 'main', conflicts: [], why: 'git before 2.38 cannot' }])
  })

  byNight('branches with odd names', async () => {
    const name = `fix/"q'$(id);ü&-`
    const { repo } = branched()
    repo.git(['branch', '-q', '-m', 'main', name])
    repo.git(['branch', '-q', '-m', 'work', `${name}2`])
    const path = hand(repo, {
      meta: { id: '20261121T113000-01c40e9b', base: `${name}@${repo.git(['rev-parse', name])}` },
    })
    const { code, json } = await verify(repo, [path])
    expect([code, json.branch, json.hasBranch, json.merge]).toEqual([
      0,
      `${name}2`,
      true,
      { base: name, conflicts: [], why: null },
    ])
  })

  byNight('a detached HEAD and another branch are told', async () => {
    const { repo } = branched()
    repo.git(['switch', '-q', '--detach'])
    expect(await told(repo)).toEqual(['branch-other'])
    repo.git(['switch', '-q', '-c', 'third'])
    repo.git(['branch', '-q', '-D', 'work'])
    expect((await cli(repo, ['verify'])).stdout).toContain(
      'It was written on `work`, which no longer exists; this is `third`.',
    )
  })
})
