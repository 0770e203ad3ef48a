import { describe, expect, it } from 'vitest'
import { parseShell } from '../../../src/facts/shell.ts'

const words = (command: string) => parseShell(command).map((part) => part.words)

describe('parseShell', () => {
  it.each<[string, string[][]]>([
    [
      'npm test && git push; ls | wc -l || true',
      [['npm', 'test'], ['git', 'push'], ['ls'], ['wc', '-l'], ['true']],
    ],
    [`git commit -m "a; b && 'c'" -- 'x y.ts'`, [['git', 'commit', '-m', "a; b && 'c'", '--', 'x y.ts']]],
    ['echo a\\ b "say \\"hi\\""', [['echo', 'a b', 'say "hi"']]],
    ['FOO=1 sudo timeout 60 env A=b npm test', [['npm', 'test']]],
    [
      "bash -lc 'cd x && npm test'",
      [
        ['cd', 'x'],
        ['npm', 'test'],
      ],
    ],
    [
      'npm test 2>&1 | tail -5',
      [
        ['npm', 'test'],
        ['tail', '-5'],
      ],
    ],
    ['echo $(git rev-parse HEAD)', [['git', 'rev-parse', 'HEAD'], ['echo']]],
    [
      'git merge-tree $(git merge-base a/build HEAD) a/build HEAD',
      [
        ['git', 'merge-base', 'a/build', 'HEAD'],
        ['git', 'merge-tree', 'a/build', 'HEAD'],
      ],
    ],
    ['npm test # not a word', [['npm', 'test']]],
    [
      'npm run a &\nnpm run b',
      [
        ['npm', 'run', 'a'],
        ['npm', 'run', 'b'],
      ],
    ],
    ["python3 - <<'EOF'\nrm -rf /\nEOF\nls", [['python3', '-'], ['ls']]],
    ['echo "never closed', [['echo', 'never closed']]],
    ['', []],
  ])('%s', (command, expected) => {
    expect(words(command)).toEqual(expected)
  })

  it('knows what is written', () => {
    expect(parseShell('cat a > out.txt 2>/dev/null && make >> log.txt | tee x')).toMatchObject([
      { words: ['cat', 'a'], writes: ['out.txt'] },
      { words: ['make'], writes: ['log.txt'] },
      { words: ['tee', 'x'], writes: [] },
    ])
  })
})
