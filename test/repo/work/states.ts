import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TempRepo } from '../make-repo.ts'

type Make = (repo: TempRepo & { at: (path: string) => string }) => void

const state = (make: Make) => (repo: TempRepo) => make({ ...repo, at: (path) => join(repo.root, path) })
const link = (at: string, to: string): void => {
  rmSync(at, { recursive: true, force: true })
  symlinkSync(to, at)
}

/** Ways in which a work tree of `FILES` can be dirty. */
export const states: readonly (readonly [name: string, make: (repo: TempRepo) => void])[] = (
  [
    // First, since it is what the day takes: most of the others at once.
    [
      'much at once',
      ({ write, git, at }) => {
        mkdirSync(at('many'))
        for (let n = 0; n < 60; n++) write(`many/f${n}.txt`, `${n}\n`.repeat(n))
        git(['add', 'many'])
        for (let n = 0; n < 60; n += 3) write(`many/f${n}.txt`, 'again\n')
        for (let n = 1; n < 60; n += 7) unlinkSync(at(`many/f${n}.txt`))
        git(['mv', 'moved.txt', 'many/moved.txt'])
        chmodSync(at('many/f2.txt'), 0o755)
        rmSync(at('dir'), { recursive: true })
      },
    ],
    ['changed', ({ write }) => write('a.txt', 'changed\n')],
    [
      'staged',
      ({ write, git }) => {
        write('a.txt', 'changed\n')
        git(['add', 'a.txt'])
      },
    ],
    [
      'staged and changed again',
      ({ write, git }) => {
        write('a.txt', '1\n')
        git(['add', 'a.txt'])
        write('a.txt', '2\n')
      },
    ],
    [
      'staged and changed back',
      ({ write, git, read }) => {
        const before = read('a.txt')
        write('a.txt', '1\n')
        git(['add', 'a.txt'])
        write('a.txt', before)
      },
    ],
    ['a new file', ({ write }) => write('new/deep/file.txt', 'new\n')],
    [
      'a new file, staged',
      ({ write, git }) => {
        write('new.txt', 'new\n')
        git(['add', 'new.txt'])
      },
    ],
    [
      'a new file, staged and changed',
      ({ write, git }) => {
        write('new.txt', '1\n')
        git(['add', 'new.txt'])
        write('new.txt', '2\n')
      },
    ],
    [
      'a new file, staged and deleted',
      ({ write, git, at }) => {
        write('new.txt', '1\n')
        git(['add', 'new.txt'])
        unlinkSync(at('new.txt'))
      },
    ],
    ['deleted', ({ at }) => unlinkSync(at('gone.txt'))],
    ['deleted, staged', ({ git }) => git(['rm', '-q', 'gone.txt'])],
    ['deleted in the index alone', ({ git }) => git(['rm', '-q', '--cached', 'gone.txt'])],
    ['a folder deleted', ({ at }) => rmSync(at('dir'), { recursive: true })],
    ['renamed, staged', ({ git }) => git(['mv', 'moved.txt', 'dir/there.txt'])],
    [
      'renamed, staged, and changed',
      ({ git, write }) => {
        git(['mv', 'moved.txt', 'there.txt'])
        write('there.txt', 'other\n')
      },
    ],
    ['renamed', ({ at }) => renameSync(at('moved.txt'), at('there.txt'))],
    ['renamed in case alone', ({ git }) => git(['mv', 'name.md', 'NAME.md'])],
    ['made executable', ({ at }) => chmodSync(at('a.txt'), 0o755)],
    [
      'no more executable, staged',
      ({ at, git }) => {
        chmodSync(at('run.sh'), 0o644)
        git(['add', 'run.sh'])
      },
    ],
    ['another link', ({ at }) => link(at('link'), 'dir/b.txt')],
    [
      'links out of the tree and to nothing',
      ({ at }) => {
        link(at('out'), '/etc/passwd')
        link(at('up'), '../../..')
        link(at('lost'), 'nowhere')
      },
    ],
    ['a file becomes a link', ({ at }) => link(at('a.txt'), 'dir/b.txt')],
    [
      'a link becomes a file',
      ({ at }) => {
        unlinkSync(at('link'))
        writeFileSync(at('link'), 'file\n')
      },
    ],
    [
      'a file becomes a folder',
      ({ at, write }) => {
        unlinkSync(at('a.txt'))
        write('a.txt/in.txt', 'in\n')
        write('a.txt/x/y', 'y\n')
      },
    ],
    [
      'a folder becomes a file, staged',
      ({ at, write, git }) => {
        rmSync(at('dir'), { recursive: true })
        write('dir', 'file\n')
        git(['add', '-A'])
      },
    ],
    ['a folder becomes a link', ({ at }) => link(at('other'), 'dir')],
    [
      'intended to be added',
      ({ write, git }) => {
        write('plan é.txt', 'p\n')
        git(['add', '-N', 'plan é.txt'])
        write('q.txt', '')
      },
    ],
    [
      'names with blanks, quotes, line breaks and signs',
      ({ write, git }) => {
        for (const name of [
          'two words',
          'li\nne',
          '"q"',
          "it's",
          '-rf',
          ':(top)x',
          '*',
          'ta\tb',
          'é',
          '日本',
          'b\\s',
        ])
          write(name, `${name}\n`)
        git(['add', '--', './-rf', 'é'])
      },
    ],
    [
      'names that are no UTF-8',
      ({ root, write }) => {
        writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x66, 0xff, 0xe9])]), 'latin\n')
        write('also.txt', 'x\n')
      },
    ],
    [
      'empty, without an end of line, with others, and bytes',
      ({ write }) => {
        write('empty', '')
        write('a.txt', 'no end')
        write('dir/b.txt', 'one\r\ntwo\r\nthree\n')
        write('bytes', Buffer.from(Array.from({ length: 4096 }, (_, at) => (at * 7919) % 256)))
      },
    ],
    [
      'what is ignored, and new rules for that',
      ({ write, git }) => {
        write('.gitignore', '*.log\nbuild/\n')
        write('kept.txt', 'k\n')
        git(['add', '.gitignore'])
      },
    ],
    [
      'new attributes',
      ({ write }) => {
        write('.gitattributes', '*.win text eol=crlf\n')
        write('x.win', 'a\r\nb\r\n')
      },
    ],
  ] satisfies [string, Make][]
).map(([name, make]) => [name, state(make)] as const)
