import { spawn } from 'node:child_process'
import { appendFile, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { expect, test } from 'vitest'
import { root } from '../../e2e/build.ts'
import { git, makeLab } from '../../e2e/lab.ts'
import { stage } from '../../e2e/stage.ts'
import { tmuxTest } from '../../e2e/tmux.ts'
import type * as Editor from '../../e2e/vscode.ts'

const EXAMPLE = join(root, 'docs/examples/editor-extension.ts')

/** The extension with the editor's module in its place, and the library as it is packed. */
async function loadExtension(folder: string) {
  const outfile = join(folder, 'extension.mjs')
  await build({
    stdin: {
      contents: `export * from ${JSON.stringify(EXAMPLE)}; export { editor } from 'vscode'`,
      resolveDir: root,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile,
    logLevel: 'error',
    alias: { vscode: join(root, 'test/e2e/vscode.ts') },
    plugins: [
      {
        name: 'library',
        setup: ({ onResolve }) =>
          onResolve({ filter: /^git-handoff$/ }, () => ({
            path: pathToFileURL(join(root, 'dist/index.js')).href,
            external: true,
          })),
      },
    ],
  })
  return (await import(
    pathToFileURL(outfile).href
  )) as typeof import('../../../docs/examples/editor-extension.ts') & {
    editor: typeof Editor.editor
  }
}

test('the editor extension hands over its chat, shows the brief and marks its faults', async () => {
  const lab = await makeLab()
  const { activate, editor } = await loadExtension(lab.folder)
  editor.folder = lab.repo
  const turns = [
    { role: 'user', content: 'Fix add in calc.js. Do not touch calc.test.js, the QA team owns it.' },
    { role: 'assistant', content: 'add subtracts; I changed that. sub still fails.' },
  ] as const
  activate({ subscriptions: [] }, () => [...turns])
  const create = editor.commands.get('handoff.create') ?? expect.fail('no command')

  editor.typed = 'fix'
  await create()
  expect(editor.said.at(-1)).toMatch(/^Be specific/)
  expect(editor.bar).toBeNull()

  editor.typed = 'make sub() in calc.js pass its test'
  await create()
  const path = /^Handed over: (\S+), \d+ tokens$/.exec(editor.said.at(-1) ?? '')?.[1] ?? ''
  expect(editor.bar).toBe('Handoff: make sub() in calc.js pass its test')
  expect(await git(lab, 'show', `HEAD:${path}`)).toContain('Do not touch calc.test.js, the QA team owns it.')

  const saved = editor.saved[0] ?? expect.fail('nobody listens')
  const file = join(lab.repo, path)
  await saved({ uri: { path: file, fsPath: file } })
  expect(editor.marks.get(file)).toEqual([])
  await appendFile(file, '\u200b\n')
  await saved({ uri: { path: file, fsPath: file } })
  expect(editor.marks.get(file)).toContainEqual(
    expect.objectContaining({ severity: 0, message: expect.stringContaining('(hidden-text)') }),
  )
})

tmuxTest('the orchestrator in shell looks and switches', async () => {
  const on = await stage()
  const script = join(root, 'docs/examples/orchestrate.sh')
  const goal = 'finish the retry queue and document its limits'
  const child = spawn('sh', [script, on.pane, 'codex', goal], {
    cwd: on.repo.root,
    env: {
      ...on.env,
      HANDOFF: `${process.execPath} ${join(root, 'bin/handoff.cjs')}`,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  const code = await new Promise((done) => child.on('close', done))
  expect(code, said).toBe(0)
  const lines = said.trim().split('\n')
  expect(lines[0]).toMatch(/^tokens: \d+$/)
  expect(lines.at(-2)).toMatch(/^pane: %\d+$/)
  const id = /^open: (\S+)$/.exec(lines.at(-1) ?? '')?.[1]
  expect(await readFile(join(on.repo.root, '.handoff/latest.md'), 'utf8')).toContain(`id=${id}`)
})
