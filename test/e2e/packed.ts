import { existsSync } from 'node:fs'
import { copyFile, mkdtemp, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { root } from './build.ts'
import { execute, type Lab } from './lab.ts'

/** What `npm pack` made of this repository, and somebody at home in its folder, whose npm has no network. */
export interface Packed {
  anyone: Lab
  /** Absolute path. */
  tarball: string
  version: string
  /** Paths inside, in order. */
  files: string[]
  /** Bytes of the tarball, and of what is installed. */
  size: number
  unpackedSize: number
}

/** Packs this repository into a folder. Whatever is installed from there without a network must be inside. */
export async function pack(folder: string): Promise<Packed> {
  const anyone = {
    folder,
    home: folder,
    repo: folder,
    path: `${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
  }
  const kept = await packOnce(anyone)
  const [{ filename, version, files, size, unpackedSize }] = JSON.parse(
    await readFile(join(kept, 'said.json'), 'utf8'),
  )
  await copyFile(join(kept, filename), join(folder, filename))
  await writeFile(join(folder, '.npmrc'), 'update-notifier=false\noffline=true\naudit=false\nfund=false\n')
  const paths = files.map(({ path }: { path: string }) => path).sort()
  return { anyone, tarball: join(folder, filename), version, files: paths, size, unpackedSize }
}

/** The folder with what `npm pack` makes and says, which the tests of a run share. */
async function packOnce(anyone: Lab): Promise<string> {
  const cache = process.env.HANDOFF_TEST_CACHE
  const kept = cache === undefined ? null : join(dirname(cache), 'packed')
  if (kept !== null && existsSync(kept)) return kept
  const own = await mkdtemp(join(anyone.folder, 'packed-'))
  const packed = await execute(
    'npm',
    ['pack', '--ignore-scripts', '--json', '--pack-destination', own],
    anyone,
    root,
  )
  expect(packed.code, packed.stderr).toBe(0)
  await writeFile(join(own, 'said.json'), packed.stdout)
  // Another worker may have been quicker.
  if (kept !== null) await rename(own, kept).catch(() => undefined)
  return existsSync(own) ? own : (kept ?? own)
}
