import { cpSync, mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from './build.ts'

const PARTS = ['package.json', 'bin', 'dist', 'hooks', 'templates']

/** Where a package manager puts the program, below `node_modules`, and what leads to it. */
export const layouts = {
  npm: { folder: 'git-handoff', links: { '.bin/git-handoff': '../git-handoff/bin/handoff.cjs' } },
  pnpm: {
    folder: '.pnpm/git-handoff@1.0.0/node_modules/git-handoff',
    links: { 'git-handoff': '.pnpm/git-handoff@1.0.0/node_modules/git-handoff' },
  },
  yarn: { folder: 'git-handoff', links: {} },
}

/** Puts the program below `modules` as the package manager does; returns its path as that one calls it. */
export function install(modules: string, layout: keyof typeof layouts): string {
  const { folder, links } = layouts[layout]
  for (const part of PARTS)
    cpSync(join(root, part), join(modules, folder, part), { recursive: true, force: true })
  for (const [from, to] of Object.entries(links)) {
    mkdirSync(dirname(join(modules, from)), { recursive: true })
    rmSync(join(modules, from), { force: true })
    symlinkSync(to, join(modules, from))
  }
  return join(modules, 'git-handoff/bin/handoff.cjs')
}
