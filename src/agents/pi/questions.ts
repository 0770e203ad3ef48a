import { type Fields, fieldsOf, listOf, textOf } from '../fields.ts'

interface Question {
  kind: 'question'
  id: string
  text: string
  options: string[]
}

interface Answer {
  kind: 'answer'
  id: string
  text: string
}

/** Questions of Pi's `question` extension, one a call, and of oh-my-pi's `ask` (18.2.3), several a call. */
export function piQuestions(id: string, tool: string, input: Fields): Question[] {
  const asked = tool === 'question' ? [input] : tool === 'ask' ? listOf(input.questions).map(fieldsOf) : []
  return asked
    .map(
      (one, index): Question => ({
        kind: 'question',
        id: idOf(id, tool, index),
        text: textOf(one.question),
        options: listOf(one.options).map((option) => textOf(option) || textOf(fieldsOf(option).label)),
      }),
    )
    .filter(({ text }) => text !== '')
}

/** What the person chose or wrote; nothing for a choice that oh-my-pi made itself when the time was up. */
export function piAnswers(id: string, tool: string, details: Fields): Answer[] {
  if (tool === 'question') return answer(id, textOf(details.answer))
  if (tool !== 'ask') return []
  const results = Array.isArray(details.results) ? details.results.map(fieldsOf) : [details]
  return results.flatMap((result, index) => {
    if (result.timedOut === true) return []
    const said = [...listOf(result.selectedOptions), result.customInput, result.note].map(textOf)
    return answer(idOf(id, tool, index), said.filter((text) => text !== '').join('\n'))
  })
}

const answer = (id: string, text: string): Answer[] => (text === '' ? [] : [{ kind: 'answer', id, text }])

/** The first question of a call goes by the call's own id. */
const idOf = (id: string, tool: string, index: number): string =>
  tool === 'ask' && index > 0 ? `${id}/${index + 1}` : id
