import { error, repositoryCheck } from '../check.ts'

export const folder = repositoryCheck({
  id: 'folder',
  about: '.handoff/ is a plain folder of handoff',
  look: ({ folder: problem }) =>
    problem === null
      ? []
      : [
          error(
            problem.message,
            problem.code === 'E_FOREIGN_FOLDER'
              ? 'handoff writes over nothing of others, so it stops before every brief. What stands there can be moved away:'
              : 'Text of a brief is never written or read through a link or a device. It can be moved away:',
            `mv ${/^\.handoff\/briefs\b/.test(problem.message) ? '.handoff/briefs .handoff-briefs' : '.handoff .handoff'}.before`,
          ),
        ],
})
