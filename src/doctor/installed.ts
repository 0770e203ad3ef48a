export const PACKAGE = 'git-handoff'

/** A program and the package it belongs to; null where that cannot be told. */
export interface Installed {
  path: string
  name: string | null
  version: string | null
}

/** A program of which nobody can tell whose it is, is not called a stranger's when it lies in a package of ours. */
export const isOurs = ({ name }: Installed): boolean => name === PACKAGE
