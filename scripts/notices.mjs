import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Licenses of packages that stand inside of others and are installed nowhere: `@a/b` is `@a+b.txt`. */
const INNER = fileURLToPath(new URL('licenses/', import.meta.url))
const LICENSE = /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i
const RULE = '='.repeat(80)

/**
 * Name, version and license of each package whose code stands in what esbuild made, as a text; `metafiles` are those of the
 * builds. Packages that a package was bundled from are told by its source maps. Throws where a license is not known.
 */
export function noticesOf(root, metafiles) {
  const outputs = metafiles.flatMap((metafile) => Object.values(metafile.outputs))
  const files = new Set(
    outputs.flatMap(({ inputs }) => Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0)),
  )
  const found = new Map()
  for (const file of files) {
    const folder = folderOf(file)
    if (folder === null) continue
    found.set(folder.path, readPackage(root, folder))
    for (const name of insideOf(join(root, file), folder.name))
      if (!found.has(name))
        found.set(name, { title: `${name}, inside of ${folder.name}`, text: innerText(name) })
  }
  const notices = [...found.values()].sort((a, b) => (a.title < b.title ? -1 : 1))
  const head = 'git-handoff holds code of these packages, under these licenses.'
  return `${[head, ...notices.map(({ title, text }) => `${RULE}\n${title}\n${RULE}\n\n${text}`)].join('\n\n')}\n`
}

/** The package that a file belongs to, the innermost; null for our own. */
function folderOf(path) {
  const [, before, name] = /^((?:.*[\\/])?node_modules[\\/])((?:@[^\\/]+[\\/])?[^\\/]+)/.exec(path) ?? []
  return name === undefined ? null : { path: before + name, name: name.replace('\\', '/') }
}

function readPackage(root, { path, name }) {
  const folder = join(root, path)
  const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const texts = readdirSync(folder).filter((file) => LICENSE.test(file))
  if (license === undefined || texts.length === 0) throw new Error(`${name} has no license to be told`)
  return {
    title: `${name} ${version} (${license})`,
    text: texts.map((file) => clean(join(folder, file))).join('\n\n'),
  }
}

function insideOf(path, outer) {
  if (!existsSync(`${path}.map`)) return []
  const { sources } = JSON.parse(readFileSync(`${path}.map`, 'utf8'))
  const names = sources.map((source) => folderOf(source)?.name)
  return [...new Set(names)].filter((name) => name !== undefined && name !== outer)
}

function innerText(name) {
  const file = join(INNER, `${name.replace('/', '+')}.txt`)
  if (!existsSync(file))
    throw new Error(`${name} is bundled inside of a package; put its license into ${file}`)
  return clean(file)
}

const clean = (file) => readFileSync(file, 'utf8').replace(/\r\n/g, '\n').trim()
