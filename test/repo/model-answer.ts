/** What a model answers that has found one fact. */
export const answerWith = (fact = 'The queue drops jobs older than a day.'): string =>
  JSON.stringify({
    relevantFiles: [],
    relevantCommands: [],
    relevantInformation: [fact],
    decisions: [],
    openQuestions: [],
  })
