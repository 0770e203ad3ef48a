import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { byNight } from '../../sampled.ts'
import { type Step, writeClaudeSession } from '../claude-session.ts'
import { cli } from '../cli.ts'
import { makeRepo, type TempRepo } from '../make-repo.ts'
import { AGENT, made, SESSION, sectionOf } from '../usual.ts'

/** A session that caps a delay: the tests failed and pass now, lint fails, one commit is not pushed, two files are not committed. */
const session = (head: string): Step[] => [
  {
    user: 'Cap the retry delay at 30 s including jitter. Never touch the billing jobs, they rely on longer delays.',
  },
  { says: 'I will look at the queue first.' },
  { read: 'src/queue.ts' },
  { bash: 'npm test', exit: 1, output: 'not ok 3 - caps the delay\n  expected 45000 to be 30000\n# fail 1' },
  { says: 'The cap is applied before the jitter, so a delay of 45 s comes out.' },
  { edit: 'src/queue.ts' },
  { bash: 'npm test', output: '# tests 12\n# pass 12\n# fail 0' },
  {
    bash: 'npm run lint',
    exit: 1,
    output:
      'src/api/orders.ts\n  2:8  error  Missing return type  @typescript-eslint/explicit-function-return-type\n\n1 problem (1 error, 0 warnings)',
  },
  { says: 'Tests pass. The lint error in src/api/orders.ts was there before; shall I mend it?' },
  {
    user: "no, leave the lint error, that's for Maria. Commit this and then do the docs, but keep docs/queue.md short please",
  },
  {
    bash: 'git commit -am "Cap the delay behind the jitter"',
    output: `[feature/cap-delay ${head}] Cap the delay behind the jitter\n 1 file changed, 2 insertions(+), 1 deletion(-)`,
  },
  { write: 'docs/queue.md' },
  { bash: 'npm run build', output: 'tsc finished' },
  { write: 'src/api/retry-policy.ts' },
  {
    user: 'we also need a policy per customer, see issue #318. I want at most 5 attempts for everybody for now',
  },
  {
    says: 'Policy file started: `POLICY` has `attempts: 5`. The docs are written; neither is committed yet. Nothing is pushed since the branch was made.',
  },
]

const queue = (jitter: string) => `export class RetryQueue {
  maxDelay = 30_000
  jitter = 0.1
  nextDelay(attempt: number): number {
    return Math.min(this.maxDelay, 2 ** attempt * 100${jitter})
  }
  drain() {}
}
`

let repo: TempRepo
const names = { head: '', main: '' }
beforeAll(() => {
  repo = makeRepo({ initial: false })
  repo.commit('Start', {
    'package.json': '{"name":"shop","scripts":{"test":"node --test","lint":"eslint .","build":"tsc"}}\n',
    'src/queue.ts': queue(''),
    'src/api/orders.ts':
      "import { RetryQueue } from '../queue'\nexport function placeOrder(id: string) { return new RetryQueue().nextDelay(1) }\nexport const ORDER_LIMIT = 50\n",
    'test/queue.test.ts': "import { RetryQueue } from '../src/queue'\n",
    'docs/queue.md': '# Queue\n\nRetries with a delay.\n',
    'README.md': '# shop\n',
  })
  repo.git(['init', '-q', '--bare', `${repo.base}/origin.git`])
  repo.git(['remote', 'add', 'origin', `${repo.base}/origin.git`])
  repo.git(['push', '-q', '-u', 'origin', 'main'])
  repo.git(['switch', '-q', '-c', 'feature/cap-delay'])
  repo.git(['push', '-q', '-u', 'origin', 'feature/cap-delay'])
  repo.commit('Cap the delay behind the jitter', { 'src/queue.ts': queue(' * (1 + this.jitter)') })
  repo.write('docs/queue.md', '# Queue\n\nRetries with a delay of at most 30 s, jitter included.\n')
  repo.write('src/api/retry-policy.ts', 'export const POLICY = { attempts: 5 }\n')
  names.head = repo.git(['rev-parse', '--short', 'HEAD'])
  names.main = repo.git(['rev-parse', '--short', 'main'])
  writeClaudeSession(repo, session(names.head), { id: SESSION })
})

interface Planted {
  heading: string
  line: string
}
const planted = (name: string): Planted[] =>
  JSON.parse(
    readFileSync(new URL(`../../fixtures/claims/${name}.json`, import.meta.url), 'utf8')
      .replaceAll('{{head}}', names.head)
      .replaceAll('{{main}}', names.main),
  )

/** The page of these lines as the brief tells it, by the line it was. */
async function toldOf(lines: Planted[]): Promise<{ told: string[]; claims: { verdict: string }[] }> {
  const headings = [...new Set(lines.map(({ heading }) => heading))]
  const under = (heading: string) => lines.filter((one) => one.heading === heading).map(({ line }) => line)
  const stdin = headings.map((heading) => `## ${heading}\n${under(heading).join('\n')}\n`).join('\n')
  const { markdown, claims } = await made(repo, ['--print', '--notes', '-'], { ...AGENT, stdin })
  const items = sectionOf(markdown, 'Working Memory')
    .split('\n')
    .filter((line) => line.startsWith('- '))
  const sorted = headings.flatMap((heading) => lines.filter((one) => one.heading === heading))
  expect(items).toHaveLength(lines.length)
  const place = new Map(sorted.map((one, at) => [one, items[at] ?? '']))
  return { told: lines.map((one) => place.get(one) ?? ''), claims }
}
const isMarked = (line: string) => / \(not seen\)| \(handoff: /.test(line)

describe('what the departing agent claims', () => {
  it('of 20 claims that are false at least 18 are marked', async () => {
    const { told, claims } = await toldOf(planted('false'))
    expect(told).toHaveLength(20)
    expect(told.filter(isMarked).length).toBeGreaterThanOrEqual(18)
    expect(claims.filter(({ verdict }) => verdict !== 'kept').length).toBeGreaterThanOrEqual(18)
  })

  it('of 40 that are true none is', async () => {
    const { told } = await toldOf(planted('true'))
    expect(told).toHaveLength(40)
    expect(told.filter(isMarked)).toEqual([])
  })

  byNight('is told by check as well, without refusing the brief', async () => {
    const stdin = '## Where it stands\n- `src/nowhere.ts` holds the cap.\n- Lint is green.\n'
    const { path } = await made(repo, ['--notes', '-'], { ...AGENT, stdin })
    const { code, json } = await cli(repo, ['check', path, '--json'])
    expect(code).toBe(0)
    expect(json.findings).toMatchObject([
      {
        rule: 'unproven',
        level: 'warning',
        message: '2 claims of the agent are not seen or contradicted; read the marks',
      },
    ])
  })

  it('a quote without the stars of its source was seen', async () => {
    const shows = 'The store **cuts long names by 8 bytes in the rename callback** — match the end'
    writeClaudeSession(repo, [...session(names.head), { read: 'docs/memory.md', shows }], { id: SESSION })
    const quote = 'The store cuts long names by 8 bytes in the rename callback — match the end'
    const stdin = `## Where it stands\nThe cap stands in \`src/queue.ts\`.\n\n## Traps\n- From memory: "${quote}"`
    const { markdown } = await made(repo, ['--print', '--notes', '-'], { ...AGENT, stdin })
    expect(markdown).toContain(`"${quote}"`)
    expect(markdown).not.toContain('(not seen)')
  })

  it('a page that names itself proves nothing', async () => {
    const page =
      '## Where it stands\n- The cap of the delay stands in `src/imagined.ts` and in no other file of this repository.\n- The next agent must look at what the queue does with a delay that is longer than the cap.'
    const call = { bash: `git handoff create 'document the limits' --notes - <<'EOF'\n${page}\nEOF` }
    writeClaudeSession(repo, [...session(names.head), call], { id: SESSION })
    const { markdown } = await made(repo, ['--print', '--notes', '-'], { ...AGENT, stdin: page })
    expect(markdown).toContain('`src/imagined.ts` (not seen)')
  })
})
