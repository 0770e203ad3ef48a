import { writeFile } from 'node:fs/promises'
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
  const args = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const packed = await execute('npm', args, anyone, root)
  expect(packed.code, packed.stderr).toBe(0)
  const [{ filename, version, files, size, unpackedSize }] = JSON.parse(packed.stdout)
  await writeFile(join(folder, '.npmrc'), 'update-notifier=false\noffline=true\naudit=false\nfund=false\n')
  const paths = files.map(({ path }: { path: string }) => path).sort()
  return { anyone, tarball: join(folder, filename), version, files: paths, size, unpackedSize }
}
