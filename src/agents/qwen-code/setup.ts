import { join } from 'node:path'
import type { Launch, SetupEdit, SetupPlace } from '../../types/agent.ts'
import { claudeEvents, mcpServer } from '../setup.ts'

/** Qwen Code 0.15.10: hooks and MCP server in the project's settings as in Gemini CLI, `/handoff` as a command of the project. */
export function qwenSetup(place: SetupPlace): SetupEdit[] {
  const settings = join(place.root, '.qwen', 'settings.json')
  return [
    ...claudeEvents(TIMEOUT).map(([name, event, timeout]): SetupEdit => {
      const hook = { name: 'handoff', type: 'command', command: place.hookCommand(event), timeout }
      return { type: 'json-item', path: settings, at: ['hooks', name], value: { hooks: [hook] } }
    }),
    {
      type: 'file',
      path: join(place.root, '.qwen', 'commands', 'handoff.md'),
      content: commandFrom(place.template('gemini-handoff.toml')),
    },
    mcpServer(place, '.qwen', 'settings.json'),
  ]
}

/** How long each may take, in milliseconds. */
const TIMEOUT = 10_000

/** The command of Gemini CLI as markdown: the client asks to convert files in its older form. */
function commandFrom(toml: string): string {
  const [, description = '', prompt = ''] =
    /^description = "(.*)"\nprompt = '''\n([\s\S]*)'''\n?$/.exec(toml) ?? []
  return `---\ndescription: ${JSON.stringify(description)}\n---\n\n${prompt}`
}

const OWN = /^# Hand the work over\n\nThe goal, [^:\n]*: ([\s\S]*?)\n\nIf no goal stands there[\s\S]*$/

/** What was typed, where a record holds the text of our command: without a terminal nothing else is recorded. */
export const typedFor = (text: string): string => text.replace(OWN, '/handoff $1')

export const qwenTraces = ({ root, home, env }: Pick<SetupPlace, 'root' | 'home' | 'env'>) => ({
  project: [join(root, '.qwen'), join(root, 'QWEN.md')],
  home: [env.QWEN_HOME || join(home, '.qwen')],
})

/** How Qwen Code 0.15.10 is started; headless reads standard input. */
export const qwenLaunch: Launch = {
  program: 'qwen',
  interactive: (prompt) => ({ args: ['-i', prompt] }),
  headless: (prompt) => ({ args: ['-p', ''], stdin: prompt }),
  passEnv: ['QWEN_*', 'OPENAI_*', 'ANTHROPIC_*', 'GEMINI_*', 'GOOGLE_*', 'DASHSCOPE_*'],
  skillLine: (name) => `/${name}`,
  ready: /Type your message/,
  exitLine: '/quit',
}
