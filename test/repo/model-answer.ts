/** The page of a model that tells one fact. */
export const answerWith = (fact = 'The queue drops jobs older than a day.'): string =>
  `## Where it stands\n${fact}\n`
