import { repositoryCheck, warning } from '../check.ts'

export const refspecs = repositoryCheck({
  id: 'refspecs',
  about: 'fetch brings the briefs there are',
  look: ({ fetch: { state, isSeparate } }, { call }) =>
    !isSeparate
      ? null
      : state !== 'lacking'
        ? []
        : [
            warning(
              'fetch leaves the branches of briefs out',
              'Briefs are kept on branches of their own (`handoff/<branch>`), and this clone fetches single branches.',
              `${call} init --refspecs --yes`,
            ),
          ],
})
