import { check, warning, word } from '../check.ts'

export const home = check({
  id: 'home',
  about: 'the home directory is there',
  fine: ({ home: { path } }) => path,
  look({ home: { path, is } }) {
    if (is === 'there') return []
    return [
      warning(
        `${path} ${is === 'missing' ? 'does not exist' : 'is no folder'}`,
        'It is the home directory here: agents keep their sessions and settings below it, so none are found, and your own configuration is not read. Set HOME to yours, as in `export HOME=/home/you`, or make it.',
        is === 'missing' ? `mkdir -p ${word(path)}` : null,
      ),
    ]
  },
})
