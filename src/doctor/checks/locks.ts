import { error, repositoryCheck, word } from '../check.ts'
import { spanOf } from '../span.ts'

export const locks = repositoryCheck({
  id: 'locks',
  about: 'no lock is left over',
  look: ({ locks: found }) =>
    found.map(({ path, ageSeconds }) =>
      error(
        `a lock is left over: ${path}`,
        `Nobody has touched it for ${spanOf(ageSeconds)}, and git writes nothing while it is there. When no git is running:`,
        `rm ${word(path)}`,
      ),
    ),
})
