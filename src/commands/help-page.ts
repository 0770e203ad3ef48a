import { markdownRows } from '../output/markdown-rows.ts'
import type { Output } from '../output/output.ts'
import { paint } from '../text/rows.ts'
import { topics, topicText } from './help-topics.ts'
import { commands } from './table.ts'

/** Prints the page on a topic, laid out on a terminal, as markdown elsewhere; false when there is none of that name. */
export function printTopic(out: Output, name: string): boolean {
  const topic = topics.find((one) => one.name === name)
  if (topic === undefined) return false
  const isCommand = commands.some((one) => one.name === name)
  const text = `${topicText(topic)}${isCommand ? `\n\n\`handoff ${name} --help\` has the options of the command.` : ''}`
  const { screen } = out
  const drawn =
    screen === null
      ? null
      : paint(markdownRows(text, { width: screen.columns, color: screen.color, isOurs: true }), screen.color)
  out.result(text, { ok: true, topic: name, help: text }, drawn)
  return true
}
