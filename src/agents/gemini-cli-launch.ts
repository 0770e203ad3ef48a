import type { Launch } from '../types.ts'
import { recordOf, textOf } from './fields.ts'

/** How Gemini CLI 0.61 is started: a positional prompt works as `-i` where there is a terminal; headless reads standard input. */
export const geminiLaunch: Launch = {
  program: 'gemini',
  interactive: (prompt) => ({ args: ['-i', prompt] }),
  headless: (prompt) => ({ args: ['-p', ''], stdin: prompt }),
  passEnv: ['GEMINI_*', 'GOOGLE_*', 'CLOUDSDK_*'],
  skillLine: (name) => `/${name}`,
  ready: /Type your message/,
  exitLine: '/quit',
  ask: {
    args: (model) => [
      ...['-p', '', '--output-format', 'json', '--approval-mode', 'default', '--extensions', 'none'],
      ...(model === null ? [] : ['--model', model]),
    ],
    provider: 'google',
    expands: '@',
    blocks: (stdout) => {
      // A warning may stand before it.
      const { response } = recordOf(stdout.slice(Math.max(0, stdout.indexOf('{'))))
      return textOf(response) === '' ? [] : [textOf(response)]
    },
  },
}
