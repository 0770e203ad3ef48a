import { rmSync, symlinkSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseBrief } from '../../../../src/brief/parse.ts'
import { openRepo } from '../../../../src/git/open-repo.ts'
import { truthOf } from '../../../../src/verify/read-truth.ts'
import { cli } from '../../../repo/cli.ts'
import { file, hand, told, verify } from '../../../repo/drift/place.ts'
import { atFolder, cloneOf, makeRepo } from '../../../repo/make-repo.ts'
import { made, usual, withBrief } from '../../../repo/usual.ts'
import { byNight } from '../../../sampled.ts'

describe('where files are', () => {
  it('sparse checkout: what lies outside the cone is not gone', async () => {
    const repo = makeRepo()
    repo.commit('two folders', {
      'in/a.ts': 'a\n',
      'out/b.ts': 'b\n',
    })
    hand(repo, { files: [file('in/a.ts'), file('out/b.ts')] })
    repo.git(['sparse-checkout', 'set', 'in', '.handoff'])
    expect(repo.tryGit(['ls-files', '-t', 'out/b.ts']).stdout).toBe('S out/b.ts')
    expect(await told(repo)).toEqual([])
    repo.git(['rm', '-q', '--sparse', 'out/b.ts'])
    repo.git(['commit', '-q', '-m', 'drop'])
    expect(await told(repo)).toEqual(['file-gone out/b.ts'])
  })

  byNight(
    'submodules: a file inside one is looked for on disk, and the submodule itself may change',
    async () => {
      const repo = makeRepo()
      const inner = makeRepo()
      repo.git(['submodule', '--quiet', 'add', `file://${inner.root}`, 'lib'])
      repo.git(['commit', '-q', '-m', 'a submodule'])
      hand(repo, { files: [file('lib'), file('lib/a.txt'), file('lib/gone.txt')] })
      expect(await told(repo)).toEqual(['file-missing lib/gone.txt'])
      const sub = atFolder(repo.base, `${repo.root}/lib`, repo.env)
      sub.commit('more', { 'b.txt': 'b\n' })
      expect(await told(repo)).toEqual(['file-missing lib/gone.txt', 'file-dirty lib'])
      repo.git(['add', 'lib'])
      repo.git(['commit', '-q', '-m', 'newer'])
      expect(await told(repo)).toEqual(['file-missing lib/gone.txt', 'file-changed lib'])
    },
  )

  byNight('a name that only changed its case is renamed, not gone', async () => {
    const repo = makeRepo()
    repo.commit('docs', { 'Readme.md': 'text\n' })
    hand(repo, { files: [file('Readme.md')] })
    repo.git(['mv', 'Readme.md', 'README.md'])
    expect(await told(repo), 'staged').toEqual(['file-renamed Readme.md README.md'])
    repo.git(['commit', '-q', '-m', 'loud'])
    expect(await told(repo)).toEqual(['file-renamed Readme.md README.md'])
  })

  byNight('a rename without git is a file that is gone, not committed yet', async () => {
    const repo = makeRepo()
    hand(repo, { files: [file('a.txt')] })
    rmSync(`${repo.root}/a.txt`)
    repo.write('b.txt', 'a\n')
    expect(await told(repo)).toEqual(['file-gone a.txt'])
    expect((await cli(repo, ['verify'])).stdout).toContain('`a.txt` is gone, not committed yet.')
  })

  it('in conflict, ignored, and out of the index', async () => {
    const repo = makeRepo()
    repo.commit('base', { '.gitignore': '.env.local\n', 'c.ts': '1\n', 'kept.ts': 'k\n' })
    repo.write('.env.local', 'x\n')
    repo.git(['branch', '-q', 'other'])
    repo.commit('ours', { 'c.ts': '2\n' })
    hand(repo, { files: [file('.env.local'), file('c.ts'), file('kept.ts')] })
    repo.git(['switch', '-q', 'other'])
    repo.commit('theirs', { 'c.ts': '3\n' })
    repo.git(['switch', '-q', 'main'])
    repo.tryGit(['merge', '-q', 'other'])
    repo.git(['rm', '-q', '--cached', 'kept.ts'])
    expect(await told(repo)).toEqual(['file-dirty c.ts', 'file-dirty kept.ts'])
    expect((await cli(repo, ['verify'])).stdout).toContain('`c.ts` is in conflict in the work tree.')
  })

  byNight('odd names stay names', async () => {
    const repo = makeRepo()
    const names = ['-x.ts', 'a b.ts', 'ü.ts', '*.ts', ':(top)y.ts', 'q"uote.ts']
    repo.commit('odd', Object.fromEntries(names.map((name) => [name, 'x\n'])))
    hand(repo, { files: names.map((name) => file(name)) })
    expect(await told(repo)).toEqual([])
    repo.git(['rm', '-q', '--', ...names.map((name) => `:(literal)${name}`)])
    repo.git(['commit', '-q', '-m', 'gone'])
    expect(await told(repo)).toEqual(names.map((name) => `file-gone ${name}`))
  })

  it('paths that lead out of the repository are never looked at', async () => {
    const repo = makeRepo()
    symlinkSync('/etc', `${repo.root}/link`)
    hand(repo, {
      files: [
        '../x',
        '/etc/passwd',
        'a/../../x',
        '.git/config',
        'C:/x',
        'x//y',
        './a.txt',
        '',
        '--output=x',
      ].map((path) => file(path)),
    })
    const { code, json } = await verify(repo)
    expect(json.errors).toEqual([])
    expect(json.files.map(({ path }: { path: string }) => path)).toEqual(['--output=x'])
    expect([code, await told(repo)]).toEqual([1, ['file-missing --output=x']])
  })

  byNight('a filter whose program is missing does not stop it', async () => {
    const repo = makeRepo()
    repo.commit('big', { '.gitattributes': '*.bin filter=lfs\n', 'x.bin': 'pointer\n' })
    hand(repo, { files: [file('x.bin')] })
    repo.git(['config', 'filter.lfs.clean', 'no-such-program-here'])
    repo.git(['config', 'filter.lfs.required', 'true'])
    repo.write('x.bin', 'other\n')
    expect(await told(repo)).toEqual(['file-dirty x.bin'])
  })

  byNight('a partial clone fetches nothing for a question', async () => {
    const repo = makeRepo()
    const text = Array.from({ length: 40 }, (_, at) => `line ${at}\n`).join('')
    repo.commit('files', { 'a.ts': text, 'b.ts': 'b\n' })
    repo.git(['config', 'uploadpack.allowFilter', 'true'])
    hand(repo, {
      files: [file('a.ts'), file('b.ts')],
      meta: { base: `other@${repo.git(['rev-parse', 'HEAD'])}` },
    })
    repo.git(['branch', '-q', 'other', 'HEAD~1'])
    repo.git(['mv', 'a.ts', 'c.ts'])
    repo.commit('go on', { 'c.ts': `${text}more\n`, 'b.ts': 'bb\n' })
    const partial = cloneOf(repo, { args: ['--filter=blob:none'], env: repo.env })
    partial.git(['config', 'remote.origin.url', `file://${repo.base}/nowhere`])
    expect(await told(partial)).toEqual(['file-gone a.ts', 'file-changed b.ts', 'merge-unknown'])
    expect((await cli(partial, ['show', '--prompt'])).stdout).toContain(
      'Since then: 1 commit, 1 of the files it names changed, 1 of the files it names gone.',
    )
  })
})

describe('which brief', () => {
  it('one on a branch of its own', async () => {
    const repo = usual()
    await made(repo, ['--branch', 'separate'])
    const { code, json } = await verify(repo)
    expect([code, json.isCommitted, json.edited]).toEqual([0, true, null])
    repo.git(['rm', '-q', 'src/queue.ts'])
    repo.git(['commit', '-q', '-m', 'go on'])
    expect(await told(repo)).toEqual(['file-gone src/queue.ts'])
  })

  byNight('a closing record: nothing is named, commits since are told', async () => {
    const { repo } = await withBrief()
    await cli(repo, ['done', 'released'])
    repo.commit('go on')
    const { code, json } = await verify(repo)
    expect([code, json.files]).toEqual([0, []])
  })

  byNight('one that is only in history, and by file from a linked worktree', async () => {
    const repo = makeRepo()
    repo.commit('files', { 'src/a.ts': 'a\n' })
    const path = hand(repo, { files: [file('src/a.ts')] })
    repo.git(['worktree', 'add', '-q', '../tree', '-b', 'tree'])
    const tree = atFolder(repo.base, `${repo.base}/tree`, repo.env)
    tree.git(['rm', '-q', 'src/a.ts'])
    tree.git(['commit', '-q', '-m', 'drop'])
    expect(await told(tree, [path])).toEqual(['file-gone src/a.ts', 'branch-other'])
    expect(await told(repo, [path])).toEqual([])
    repo.git(['rm', '-q', path])
    repo.git(['commit', '-q', '-m', 'prune'])
    expect(await told(repo, ['20261121'])).toEqual(['not-committed'])
  })

  byNight('none at all, and no commits', async () => {
    expect((await verify(makeRepo())).json.errors[0].code).toBe('E_NO_BRIEF')
    expect((await verify(makeRepo({ initial: false }))).json.errors[0].code).toBe('E_NO_BRIEF')
    expect((await verify(makeRepo(), ['20200101'])).json.errors[0].code).toBe('E_UNKNOWN_ID')
  })
})

describe('held against another commit than HEAD', () => {
  it('the work tree counts for nothing, and the merge is tried from there', async () => {
    const repo = makeRepo()
    repo.git(['switch', '-q', '-c', 'work'])
    repo.commit('files', { 'a.ts': 'a\n', 'b.ts': 'b\n' })
    const path = hand(repo, {
      files: [file('a.ts'), file('b.ts')],
      meta: { base: `main@${repo.git(['rev-parse', 'main'])}` },
    })
    repo.git(['rm', '-q', 'a.ts'])
    const at = repo.commit('drop')
    repo.git(['switch', '-q', 'main'])
    repo.write('a.ts', 'here\n')
    const open = await openRepo(repo.root, { env: repo.env })
    const parsed = parseBrief(repo.git(['show', `${at}:${path}`]))
    const truth = await truthOf(open, parsed, { path, committed: true, at })
    expect(truth.items.map(({ code }) => code)).toEqual(['file-gone', 'commits-since', 'own-commits'])
    expect([truth.now, truth.merge]).toEqual([at, { base: 'main', conflicts: [], why: null }])
  })
})
