import { repositoryCheck, warning } from '../check.ts'

export const originTrust = repositoryCheck({
  id: 'origin-trust',
  about: 'trust in origin holds',
  fine: ({ origin: { url, trusted } }) =>
    trusted !== null
      ? `Briefs on branches of ${trusted} are trusted.`
      : url === null
        ? 'There is no origin.'
        : 'Briefs of others are shown to an agent only after `trust`.',
  look: ({ origin: { url, trusted } }, { call }) =>
    trusted === null || trusted === url
      ? []
      : [
          url === null
            ? warning(
                'origin was trusted and is gone',
                `It was at ${trusted}; nothing is trusted for its sake now.`,
                `${call} trust --origin --revoke`,
              )
            : warning(
                'origin has moved since it was trusted',
                `It was trusted at ${trusted} and is at ${url}, so its briefs are not shown to an agent. If that is right:`,
                `${call} trust --origin`,
              ),
        ],
})
