/** The types of a library as one file: the declarations that its entry leads to, and no others. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'

/**
 * `entry`: a module below src/ that only exports from others. Throws where two declarations of one name would meet, and where a type
 * leads out of the sources: whoever installs the package has no other types.
 */
export async function declarationsOf(root, entry) {
  const folder = await mkdtemp(join(tmpdir(), 'handoff-types-'))
  try {
    await emit(root, entry, folder)
    return await bundle(join(folder, entry.replace(/^src\//, '').replace(/\.ts$/, '.d.ts')))
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Types are checked by `npm run typecheck`; here they are only written. */
async function emit(root, entry, outDir) {
  const config = join(outDir, 'tsconfig.json')
  const compilerOptions = {
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, noCheck: true },
    ...{ outDir, rootDir: join(root, 'src'), typeRoots: [join(root, 'node_modules', '@types')] },
  }
  const files = [join(root, entry)]
  const settings = { extends: join(root, 'tsconfig.json'), compilerOptions, include: [], files }
  await writeFile(config, JSON.stringify(settings))
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc')
  await promisify(execFile)(process.execPath, [compiler, '-p', config])
}

async function bundle(entry) {
  const modules = new Map()
  /** Name → the file it was taken from. */
  const taken = new Map()
  const parts = []
  const { imports } = await open(entry)
  for (const [name, path] of imports) {
    await take(path, name)
    if (!taken.has(name)) throw new Error(`${entry} exports ${name}, which ${path} does not declare`)
  }
  const outward = /import\(|\bNodeJS\b|\bBuffer\b/.exec(withoutComments(parts.join('\n')))
  if (outward !== null) throw new Error(`the types of the library lead out of it: ${outward[0]}`)
  const own = ([, name]) => imports.has(name)
  return [
    ...parts.map((part) => (own(NAMED.exec(withoutComments(part).trim()) ?? []) ? part : hidden(part))),
    'export {}',
    '',
  ].join('\n')

  async function take(path, name) {
    const { imports, declarations } = await open(path)
    if (imports.has(name)) return take(imports.get(name), name)
    const declaration = declarations.get(name)
    if (declaration === undefined || taken.get(name) === path) return
    if (taken.has(name)) throw new Error(`two types are called ${name}: in ${taken.get(name)} and ${path}`)
    taken.set(name, path)
    for (const word of new Set(withoutComments(declaration).match(/[\w$]+/g))) await take(path, word)
    parts.push(declaration)
  }

  async function open(path) {
    if (!modules.has(path)) modules.set(path, parse(await readFile(path, 'utf8'), path))
    return modules.get(path)
  }
}

/** As the compiler writes them: each declaration begins at the margin, its comment above it, and goes on indented or closes. */
function parse(text, path) {
  const imports = new Map()
  const declarations = new Map()
  let comment = []
  let statement = []
  let isComment = false
  for (const line of [...text.split('\n'), 'export {}']) {
    const begins = !isComment && /^(?:\/\*\*|import|export|declare|interface|type)/.test(line)
    if (begins) end()
    if (begins && line.startsWith('/**')) isComment = true
    ;(isComment ? comment : statement).push(line)
    if (line.endsWith('*/')) isComment = false
  }
  return { imports, declarations }

  function end() {
    if (statement.length === 0) return
    const code = statement.join('\n').trimEnd()
    const [, list, from] = /^(?:import|export)(?: type)? \{([^}]*)\} from ['"](\.[^'"]+)['"]/.exec(code) ?? []
    const names = list?.split(',').map((one) => one.replace(/\btype\b/, '').trim()) ?? []
    for (const name of names.filter(Boolean))
      imports.set(name, resolve(dirname(path), from.replace(/\.ts$/, '.d.ts')))
    const [, name] = NAMED.exec(code) ?? []
    if (name !== undefined) declarations.set(name, [...comment, code].join('\n'))
    comment = []
    statement = []
  }
}

const NAMED = /^(?:export )?(?:declare )?(?:interface|type|const|function|class) ([\w$]+)/

/** What the entry does not export is there to be read, not to be imported. */
const hidden = (declaration) => declaration.replace(/^export /m, '')

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, '')
