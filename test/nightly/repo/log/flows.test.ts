import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { logOf } from '../../../repo/log/brief-file.ts'
import { atFolder, type TempRepo } from '../../../repo/make-repo.ts'
import { later, made, usual } from '../../../repo/usual.ts'
import { sampled } from '../../../sampled.ts'

/** The ways in which a branch of six handoffs comes to main. */
const FLOWS: Readonly<Record<string, (repo: TempRepo) => unknown>> = {
  merge: (repo) => repo.git(['merge', '-q', '--no-ff', '-m', 'Merge the queue', 'feature']),
  'rebase and fast-forward': (repo) => {
    repo.git(['switch', '-q', 'feature'])
    repo.git(['rebase', '-q', 'main'])
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--ff-only', 'feature'])
  },
  'cherry-pick each': (repo) => repo.git(['cherry-pick', 'base..feature']),
  am: (repo) => {
    const patches = repo.git(['format-patch', '--stdout', '--binary', 'base..feature'])
    repo.git(['am', '-q'], { input: `${patches}\n` })
  },
  'squash with a message of its own': (repo) => squash(repo, 'Port the retry queue'),
  'squash as GitHub with a blank body': (repo) => squash(repo, 'Port the retry queue (#12)'),
  'squash as GitHub with all messages': (repo) =>
    squash(repo, `Port the retry queue (#12)\n\n${repo.git(['log', '--format=* %B', 'base..feature'])}`),
  'cherry-pick -n': (repo) => {
    repo.git(['cherry-pick', '-n', 'base..feature'])
    repo.git(['commit', '-q', '-m', 'Port the retry queue'])
  },
  'amend -m of each': (repo) => {
    repo.git(['switch', '-q', 'feature'])
    repo.git(['rebase', '-q', '-x', 'git commit -q --amend -m reworded', 'main'])
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--ff-only', 'feature'])
  },
  'fixup of all': (repo) => {
    repo.git(['switch', '-q', 'feature'])
    const env = { GIT_SEQUENCE_EDITOR: "sed -i.bak '2,$s/^pick/fixup/'" }
    repo.git(['rebase', '-q', '-i', 'main'], { env })
    repo.git(['switch', '-q', 'main'])
    repo.git(['merge', '-q', '--ff-only', 'feature'])
  },
}

function squash(repo: TempRepo, message: string): void {
  repo.git(['merge', '-q', '--squash', 'feature'])
  repo.git(['commit', '-q', '-F', '-'], { input: message })
}

/** Ids and parents, oldest first. */
const edgesOf = (json: { briefs: { id: string; parents: string[] }[] }): [string, string[]][] =>
  json.briefs.map(({ id, parents }): [string, string[]] => [id, parents]).reverse()

describe('six handoffs on a branch', () => {
  let origin: TempRepo
  const edges: [string, string[]][] = []
  beforeAll(async () => {
    origin = usual()
    edges.push([(await made(origin)).id, []])
    origin.git(['tag', 'base'])
    origin.git(['switch', '-q', '-c', 'feature'])
    for (let n = 1; n <= 6; n++) {
      origin.commit(`work ${n}`, { [`src/part-${n}.ts`]: `${n}\n` })
      const { id, parents } = await made(origin, ['--focus', `part ${n}`], { now: later(n) })
      edges.push([id, parents])
    }
    origin.git(['switch', '-q', 'main'])
    origin.commit('main goes on', { 'other.txt': 'x\n' })
  })

  /** A clone with the branch. */
  function copied(name: string): TempRepo {
    const base = join(origin.base, name.replace(/\W+/g, '-'))
    origin.git(['clone', '-q', origin.root, join(base, 'repo')])
    const repo = atFolder(base, join(base, 'repo'), origin.env)
    repo.git(['branch', '-q', 'feature', 'origin/feature'])
    return repo
  }

  async function expectWhole(repo: TempRepo): Promise<void> {
    const json = await logOf(repo)
    expect(edgesOf(json)).toEqual(edges)
    expect(json).toMatchObject({ missing: [], cycles: [], unreadable: [], broken: null, warnings: [] })
    // That of the trunk is followed by briefs of the trunk alone.
    expect(json.heads).toEqual([edges[0]?.[0], edges.at(-1)?.[0]])
  }

  it.each(sampled(Object.keys(FLOWS), 3))('%s: 6 of 6 edges', async (flow) => {
    const repo = copied(flow)
    repo.git(['remote', 'remove', 'origin'])
    FLOWS[flow]?.(repo)
    // What main holds alone, as in a clone made after the branch was deleted.
    repo.git(['branch', '-q', '-D', 'feature'])
    await expectWhole(repo)
  })

  it('depth-1 clone: 6 of 6 edges', async () => {
    const repo = copied('merged')
    FLOWS.merge?.(repo)
    const root = join(repo.base, 'shallow')
    repo.git(['clone', '-q', '--depth', '1', `file://${repo.root}`, root])
    await expectWhole(atFolder(repo.base, root, repo.env))
  })

  it('all of them in one repository still list each brief once', async () => {
    const repo = copied('all')
    for (const [at, flow] of ['merge', 'cherry-pick each', 'cherry-pick -n', 'am'].entries()) {
      repo.git(['switch', '-q', '-c', `way-${at}`, 'origin/main'])
      repo.git(['branch', '-q', '-f', 'feature', 'origin/feature'])
      FLOWS[flow]?.(repo)
    }
    const json = await logOf(repo, '--all')
    expect(edgesOf(json)).toEqual(edges)
    expect(json.briefs.every((brief: object) => !('others' in brief))).toBe(true)
  })
})
