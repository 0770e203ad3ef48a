import type { Adapter } from '../../types/agent.ts'
import { ohMyPiNames, ohMyPiSessionFolders } from './files.ts'
import { ohMyPiLaunch, ohMyPiSetup, ohMyPiTraces } from './setup.ts'
import { ownHooks } from '../own-hooks.ts'
import { findPiFiles, identifyAs } from '../pi/files.ts'
import { readPiConversation } from '../pi/read.ts'

/** oh-my-pi 18.2.3 (`@oh-my-pi/pi-coding-agent`): a title line first, then the records of Pi, in folders named otherwise. */
export const ohMyPi: Adapter = {
  id: 'oh-my-pi',
  label: 'oh-my-pi',
  marks: ['OMPCODE'],
  caller: ({ OMPCODE }) => (OMPCODE ? { agent: 'oh-my-pi', sessionId: null, path: null } : null),
  find: async (place, roots) => {
    const names = ohMyPiNames(place.home, roots)
    const folders = ohMyPiSessionFolders(place)
    const found = await Promise.all(folders.map((folder) => findPiFiles(folder, roots, 'oh-my-pi', names)))
    return found.flat()
  },
  identify: identifyAs('oh-my-pi'),
  read: readPiConversation,
  // It keeps 15 % of the window free, or 16,384 tokens where that is more.
  hooks: ownHooks((window) => window - Math.max(16_384, Math.floor(window * 0.15))),
  setup: ohMyPiSetup,
  traces: ohMyPiTraces,
  launch: ohMyPiLaunch,
}
