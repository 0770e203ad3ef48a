import type { Launch } from '../../types/agent.ts'
import { type Fields, fieldsOf, recordOf, textOf } from '../fields.ts'
import { modelArgs, sentenceIn } from '../launch.ts'

/** One answer; a tool that changes something would ask, and nobody answers. */
const ASKED = ['-p', '', '--output-format', 'json', '--approval-mode', 'default', '--extensions', 'none']

/** How Gemini CLI 0.61 is started: a positional prompt works as `-i` where there is a terminal; headless reads standard input. */
export const geminiLaunch: Launch = {
  program: 'gemini',
  interactive: (prompt) => ({ args: ['-i', prompt] }),
  headless: (prompt) => ({ args: ['-p', ''], stdin: prompt }),
  passEnv: ['GEMINI_*', 'GOOGLE_*', 'CLOUDSDK_*'],
  skillLine: (name) => `/${name}`,
  ready: /Type your message/,
  exitLine: '/quit',
  refusesBackquotes: true,
  fork: { args: ({ path }, model) => [...ASKED, '--session-file', path, ...modelArgs(model)] },
  ask: {
    args: (model) => [...ASKED, ...modelArgs(model)],
    provider: 'google',
    expands: '@',
    failure: ({ stdout, stderr }) => {
      const [said = ''] = [stdout, stderr]
        .map((text) => textOf(fieldsOf(printedIn(text).error).message))
        .filter(Boolean)
      return said === '' ? null : { said: sentenceIn(said) }
    },
    blocks: (stdout) => {
      const { response } = printedIn(stdout)
      return textOf(response) === '' ? [] : [textOf(response)]
    },
  },
}

/** The one record among what it printed; a warning may stand before it, on lines of its own or on that of the record. */
function printedIn(text: string): Fields {
  const below = recordOf(text.slice(Math.max(0, text.search(/^\{/m))))
  return Object.keys(below).length > 0 ? below : recordOf(text.slice(Math.max(0, text.indexOf('{'))))
}
