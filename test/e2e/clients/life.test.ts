import { cp, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { expect } from 'vitest'
import { dataOf } from '../../unit/report/sample-brief.ts'
import { root } from '../build.ts'
import type { ClientId } from '../client/client.ts'
import type { ScreenReport } from '../client/screen-inside.ts'
import { git, handoff, type Lab, makeLab, textOf } from '../lab.ts'
import type { Json } from '../model/dialect.ts'
import type { Step } from '../model/scenario.ts'
import { BEGINNING, onScreen, pointersIn, session } from './on-screen.ts'
import { allowKey, CHECK, textsOf } from './work.ts'

const CLIENTS = ['claude-code', 'codex', 'gemini-cli', 'opencode'] as const satisfies ClientId[]
const LABELS = {
  'claude-code': 'Claude Code',
  codex: 'Codex',
  'gemini-cli': 'Gemini CLI',
  opencode: 'OpenCode',
}

/** The four goals, one a hop; the third begins something else. */
const GOALS = [
  'make sub in calc.js pass its test the way add does now, as an arrow function',
  'write the tests of a new function mul in calc.test.js, beside those of add',
  'describe add, sub and mul of calc.js in README.md with one example each',
  'tell the users of version 1.1.0 what is new in the calculator',
] as const
const [FIRST, SECOND, THIRD, FOURTH] = GOALS
const KEPT = 'Never use a class in calc.js.'
const LIFTED = 'Do not touch calc.test.js.'
const QUESTION = 'Should sub also take strings?'

/** The person called the skill, and the model has got its text. */
function expectSkill({ acts }: ScreenReport): void {
  const texts = acts.at(-1)?.requests.flatMap(textsOf) ?? []
  expect(texts.some((text) => text.includes('# Hand the work over'))).toBe(true)
}

/** Of another session than the one to which the person said this. */
const isNotOf =
  (said: string) =>
  (body: Json): boolean =>
    !JSON.stringify(body).includes(said)
/** What a session of this client hears at its first turn: once, in few words beside the goal, and nothing the second time. */
function expectHeard(acts: ScreenReport['acts'], goal: string | null): void {
  const asked = acts
    .flatMap(({ requests }) => requests)
    .filter((body) => JSON.stringify(body).includes(BEGINNING))
  if (goal === null) {
    expect(asked.flatMap(pointersIn)).toEqual([])
    return
  }
  expect(asked.length).toBeGreaterThan(0)
  for (const body of asked) {
    const told = pointersIn(body)
    expect(told).toHaveLength(1)
    const text = (told[0] ?? '').slice((told[0] ?? '').indexOf(BEGINNING)).split('\n\n')[0] ?? ''
    expect(text.split(goal)).toHaveLength(2)
    expect(text).toContain('What the user asks comes first')
    expect(countTokens(text.replace(goal, ''))).toBeLessThanOrEqual(90)
  }
}

/** What every command says is open here: the same everywhere, or this fails. */
async function openHere(lab: Lab): Promise<string | null> {
  const json = async (...args: string[]) => {
    const { code, stdout, stderr } = await handoff(lab, ...args, '--json')
    expect(code, stderr + stdout).toBe(0)
    return JSON.parse(stdout)
  }
  const status = await json('status')
  const open: string | null = status.brief?.open === true ? status.brief.id : null
  const log = await json('log', '--all')
  expect(log.current).toBe(open)
  const statesIn = (briefs: { id: string; state: string }[]) =>
    briefs.map(({ id, state }) => `${id} ${state}`)
  const states = statesIn(log.briefs)
  expect(states.filter((state) => state.endsWith(' open'))).toEqual(open === null ? [] : [`${open} open`])
  const page = (await handoff(lab, 'log', '--all', '--html', '-')).stdout
  expect(statesIn(dataOf(page).briefs)).toEqual(states)
  expect(await textOf(lab, '.handoff/latest.md')).toContain(open ?? 'No brief is open here.')
  if (open !== null) expect((await json('show')).brief.id).toBe(open)
  return open
}

const TOOLS = {
  'claude-code': 'mcp__handoff__',
  codex: 'mcp__handoff__',
  'gemini-cli': 'mcp_handoff_',
  opencode: 'handoff_',
}
/** Codex goes to the model while it still connects to its servers. */
const CONNECT: Step = [{ run: 'sleep 5' }]
const readBrief = (id: keyof typeof TOOLS): Step => [{ use: `${TOOLS[id]}handoff_read`, with: {} }]
/** What the model does when the person calls the skill: it hands a page over, and the person sees the end. */
const page = (text: string): string => `## Where it stands\n${text}\n`
const handsOver = (goal: string, text: string): Step[] => [
  [
    {
      run: `handoff create '${goal}' --notes - --json > ../made.json <<'HANDOFF_PAGE'\n${page(text)}HANDOFF_PAGE`,
    },
  ],
  [{ say: 'Handed over.' }],
]
const edit = (old: string, now: string): Step => [{ edit: 'calc.js', old, new: now }]

async function madeIn(lab: Lab): Promise<{ id: string; brief: string; parents: string[] }> {
  const made = JSON.parse(await textOf(lab, '../made.json'))
  expect(made, JSON.stringify(made)).toMatchObject({ ok: true })
  const checked = await handoff(lab, 'check', made.path)
  expect(checked.code, checked.stderr + checked.stdout).toBe(0)
  return { id: made.id, brief: await git(lab, 'show', `HEAD:${made.path}`), parents: made.brief.parents }
}
/** The lines under one heading of a brief. */
const section = (brief: string, heading: string): string =>
  brief.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? ''

async function setUp(): Promise<Lab> {
  const lab = await makeLab()
  const done = await handoff(lab, 'init', '--agent', CLIENTS.join(','), '--yes')
  expect(done.code, done.stderr + done.stdout).toBe(0)
  await git(lab, 'add', '.')
  await git(lab, 'commit', '-q', '-m', 'Set up handoff')
  await allowKey(lab)
  return lab
}

for (const id of CLIENTS)
  onScreen(
    `${id} hears of the open brief once, has it when it has read it, and gives it back`,
    [id],
    async () => {
      const lab = await setUp()
      const made = await handoff(lab, 'create', FIRST, '--from', 'git', '--json')
      expect(made.code, made.stderr + made.stdout).toBe(0)
      const script: [string, Step[]][] = [
        ['Go on', [[{ read: '.handoff/latest.md' }], [{ say: 'I have read it.' }]]],
        ['hello', [[{ say: 'Hello.' }]]],
      ]
      const { acts } = await session(lab, id, script, [
        { say: 'hello there' },
        { beside: ['handoff', 'status'] },
        { say: 'Go on, please.' },
        { beside: ['handoff', 'status'] },
      ])
      expectHeard(acts.slice(0, 1), FIRST)
      expect(acts[1]?.stdout).not.toContain('Picked up by')
      expect(acts[3]?.stdout).toContain(`Picked up by ${LABELS[id]}, `)
      // OpenCode says nothing when it ends, and Codex nothing when its screen is gone: the brief is theirs for three days.
      const { stdout } = await handoff(lab, 'status')
      expect(stdout.includes('Picked up by')).toBe(id === 'opencode' || id === 'codex')
      expect(await openHere(lab)).toBe(JSON.parse(made.stdout).id)
    },
  )

/** What of a request is ours where nothing is open: tools, and lines that name handoff or stand in its block of AGENTS.md. */
async function oursIn(lab: Lab, body: Json): Promise<string[]> {
  const block = await readFile(join(root, 'templates/agents/agents-md.md'), 'utf8')
  const lines = new Set(block.split('\n').filter((line) => line !== ''))
  const isOurs = (text: string): boolean => {
    const plain = text.replaceAll(/\S*handoff-(?:lab|e2e)[^\s/]*/g, '')
    return lines.has(text) || (plain.includes('handoff') && !text.includes(lab.home))
  }
  const tools = (body.tools as Json[]).flatMap((tool) => (tool.functionDeclarations as Json[]) ?? [tool])
  const said = textsOf({ ...body, tools: [] }).flatMap((text) => text.split('\n'))
  const own = tools.map((tool) => JSON.stringify(tool)).filter((tool) => tool.includes('handoff_'))
  return [...own, ...said.filter(isOurs)]
}

for (const id of CLIENTS)
  onScreen(`${id} pays at most 600 tokens for handoff where nothing is open (U-M6)`, [id], async () => {
    const lab = await setUp()
    const script: [string, Step[]][] = [['hello', [CONNECT, [{ say: 'Hello.' }]]]]
    const { acts } = await session(lab, id, script, [{ say: 'hello there' }])
    const bodies = acts.flatMap(({ requests }) => requests)
    const costs = await Promise.all(
      bodies.filter(({ tools }) => Array.isArray(tools) && tools.length > 0).map((body) => oursIn(lab, body)),
    )
    const most = costs.sort((a, b) => countTokens(b.join('\n')) - countTokens(a.join('\n')))[0] ?? []
    expect(most.join('\n')).toContain('Hand the work of this session over')
    expect(countTokens(most.join('\n')), most.join('\n')).toBeLessThanOrEqual(600)
  })

onScreen(
  'the extension for Gemini CLI leaves `/handoff` to a project that has it',
  ['gemini-cli'],
  async () => {
    const lab = await setUp()
    const extension = join(root, 'templates/agents/gemini-extension')
    await cp(extension, join(lab.home, '.gemini/extensions/handoff'), { recursive: true })
    // What is typed while it starts reaches the model as plain words.
    const script: [string, Step[]][] = [
      ['Hand the work over|make sub', handsOver(FIRST, 'add is fixed; sub still adds.')],
      ['hello', [[{ say: 'Hello.' }]]],
    ]
    const said = [{ say: 'hello there' }, { say: `/handoff ${FIRST}` }]
    expectSkill(await session(lab, 'gemini-cli', script, said))
    expect((await madeIn(lab)).brief).toContain(FIRST)
  },
)

onScreen(
  'one person, four hops over three clients, two goals, done, a new branch',
  ['claude-code', 'codex', 'gemini-cli'],
  async () => {
    const lab = await setUp()

    // 1. Claude Code begins; nothing is open.
    const one = await session(
      lab,
      'claude-code',
      [
        ['Hand the work over|make sub', handsOver(FIRST, 'add is fixed; sub still adds.')],
        [
          'fix add',
          [
            [{ say: 'I look at the code first.' }, { read: 'calc.js' }],
            edit('export const add = (a, b) => a - b', 'export const add = (a, b) => a + b'),
            [{ run: CHECK }],
            [{ say: `add is fixed, sub is not. ${QUESTION}` }],
          ],
        ],
      ],
      [
        { say: `Please fix add in calc.js so that its test passes. ${KEPT} ${LIFTED}` },
        { say: `/handoff ${FIRST}` },
      ],
    )
    expectHeard(one.acts, null)
    expectSkill(one)
    const first = await madeIn(lab)
    expect(first.parents).toEqual([])
    for (const text of [FIRST, KEPT, LIFTED, QUESTION]) expect(first.brief).toContain(text)
    expect(await openHere(lab)).toBe(first.id)

    // 2. Codex goes on; the person answers, and takes one rule back. Runs without a person hear nothing meanwhile.
    const two = await session(
      lab,
      'codex',
      [
        ['write the tests of', handsOver(SECOND, 'sub is fixed; mul is new and has no test.')],
        [
          'Go on',
          [
            CONNECT,
            readBrief('codex'),
            edit('export const sub = (a, b) => a + b', 'export const sub = (a, b) => a - b'),
            [{ run: 'echo "export const mul = (a, b) => a * b" >> calc.js' }],
            [{ run: CHECK }],
            [{ say: 'Both tests pass, and mul is there.' }],
          ],
        ],
        ['hello', [[{ say: 'Hello.' }]]],
      ],
      [
        { say: 'Go on with it. No, sub takes numbers only. And you may change calc.test.js now.' },
        { beside: ['codex', 'exec', 'hello'] },
        { beside: ['handoff', 'status'] },
        { say: `$handoff ${SECOND}` },
      ],
    )
    expectHeard(two.acts.slice(0, 1), FIRST)
    expectHeard(two.acts.slice(1, 2), null)
    expect(two.acts[2]?.stdout).toMatch(/Picked up by Codex, \d+ s ago/)
    expectSkill(two)
    const second = await madeIn(lab)
    expect(second.parents).toEqual([first.id])
    const rules = section(second.brief, 'Constraints & Preferences')
    expect(rules).toContain(`- "${KEPT}" — from ${first.id}`)
    expect(rules).not.toContain(LIFTED)
    const decided = section(second.brief, 'Key Decisions')
    expect(decided).toContain('takes back: Do not touch calc.test.js')
    expect(section(second.brief, 'Open Questions / Risks')).not.toContain(QUESTION)
    expect(await openHere(lab)).toBe(second.id)

    // 3. Claude Code again. Its subagent, a run of `claude -p` and a session that is resumed hear nothing.
    const three = await session(
      lab,
      'claude-code',
      [
        ['Hand the work over|describe add', handsOver(THIRD, 'mul has its test.')],
        ['count the files', [[{ run: 'ls' }], [{ say: 'Three files.' }]]],
        [
          'Go on',
          [
            readBrief('claude-code'),
            [{ read: 'calc.test.js' }],
            [
              {
                edit: 'calc.test.js',
                old: "import { add, sub } from './calc.js'",
                new: "import { add, mul, sub } from './calc.js'\ntest('mul', () => assert.equal(mul(2, 3), 6))",
              },
            ],
            [{ run: CHECK }],
            [
              {
                use: 'Agent',
                with: {
                  description: 'Count',
                  prompt: 'count the files here',
                  subagent_type: 'general-purpose',
                  run_in_background: false,
                },
              },
            ],
            [{ say: 'mul is tested.' }],
          ],
        ],
        ['hello', [[{ say: 'Hello.' }]]],
      ],
      [
        { say: 'Go on, please.' },
        { beside: ['claude', '-p', 'hello', '--permission-mode', 'bypassPermissions'] },
        { say: `/handoff ${THIRD}` },
      ],
    )
    expectHeard(three.acts.slice(0, 1), SECOND)
    // The subagent may still be at work when the turn has ended.
    const others = three.acts.slice(0, 2).flatMap(({ requests }) => requests.filter(isNotOf('Go on, please')))
    for (const text of ['count the files here', '"hello"'])
      expect(others.some((body) => JSON.stringify(body).includes(text))).toBe(true)
    expect(others.flatMap(pointersIn)).toEqual([])
    expectSkill(three)
    const third = await madeIn(lab)
    expect(third.parents).toEqual([second.id])
    expect(third.brief).not.toContain(LIFTED)
    expect(section(third.brief, 'Constraints & Preferences')).toContain(KEPT)
    expect(await openHere(lab)).toBe(third.id)

    // 4. Gemini CLI finishes, and the person closes the work.
    const four = await session(
      lab,
      'gemini-cli',
      [
        ['tell the users', handsOver(FOURTH, 'README.md describes all three.')],
        [
          'Go on',
          [
            readBrief('gemini-cli'),
            [{ write: 'README.md', content: '# Calculator\nadd, sub and mul.\n' }],
            [{ say: 'Described.' }],
          ],
        ],
      ],
      [{ say: 'Go on, please.' }, { say: `/handoff ${FOURTH}` }],
    )
    expectHeard(four.acts.slice(0, 1), THIRD)
    expectSkill(four)
    const fourth = await madeIn(lab)
    expect(fourth.parents).toEqual([third.id])
    expect(section(fourth.brief, 'Constraints & Preferences')).toContain(KEPT)
    expect(await openHere(lab)).toBe(fourth.id)
    const closed = await handoff(lab, 'done', 'the users were told')
    expect(closed.code, closed.stderr + closed.stdout).toBe(0)
    expect(await openHere(lab)).toBeNull()

    // A session after that, and one on a new branch after the merge, hear nothing.
    const hello = (id: (typeof CLIENTS)[number]) =>
      session(
        lab,
        id,
        [['hello', [...(id === 'codex' ? [CONNECT] : []), readBrief(id), [{ say: 'Hello.' }]]]],
        [{ say: 'hello' }],
      )
    const after = await hello('codex')
    expectHeard(after.acts, null)
    expect(JSON.stringify(after.acts)).toMatch(/no brief is open|is closed/i)
    await git(lab, 'add', '.')
    await git(lab, 'commit', '-q', '-m', 'Add mul')
    await git(lab, 'switch', '-q', 'main')
    await git(lab, 'merge', '-q', '--squash', 'feature/fix-calc')
    await git(lab, 'commit', '-q', '-m', 'The calculator (#1)')
    await git(lab, 'switch', '-q', '-c', 'feature/next')
    expect(await openHere(lab)).toBeNull()
    expectHeard((await hello('claude-code')).acts, null)
    const made = await handoff(
      lab,
      'create',
      'begin the divider of calc.js with its tests',
      '--from',
      'git',
      '--json',
    )
    expect(made.code, made.stderr + made.stdout).toBe(0)
    const fresh = JSON.parse(made.stdout)
    expect(fresh.brief.parents).toEqual([])
    expect(fresh.markdown).not.toMatch(/not said to be done|Never use a class/)
  },
)
