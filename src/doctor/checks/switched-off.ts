import { check, warning } from '../check.ts'

export const switchedOff = check({
  id: 'switched-off',
  about: 'hooks are not switched off',
  look: ({ isOff }) =>
    isOff
      ? [
          warning(
            'HANDOFF=0 switches every hook off',
            'It stands in the environment of this shell, and so of every agent that is started from it.',
            'unset HANDOFF',
          ),
        ]
      : [],
})
