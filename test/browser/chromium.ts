import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome']

/** The Chromium of this machine: the one that `CHROMIUM` names, else the first on PATH; null when there is none. */
export function findChromium(env: Readonly<Record<string, string | undefined>>): string | null {
  if (env.CHROMIUM) return env.CHROMIUM
  const folders = (env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  return NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find(isProgram) ?? null
}

/** How it is started: without a window, and asking nothing of the network by itself. */
export const launchOptions = (executablePath: string | null) => ({
  ...(executablePath === null ? {} : { executablePath }),
  args: [
    '--headless',
    '--no-sandbox',
    '--disable-gpu',
    '--disable-quic',
    '--no-first-run',
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
  ],
})

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false // Not there, or not to be run.
  }
}
