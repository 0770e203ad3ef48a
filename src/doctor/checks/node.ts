import { check, error } from '../check.ts'

/** `engines` of package.json. */
const OLDEST = 20

export const node = check({
  id: 'node',
  about: 'Node is new enough',
  fine: ({ node: version }) => version,
  look: ({ node: version }) =>
    Number.parseInt(version, 10) >= OLDEST
      ? []
      : [
          error(
            `Node ${version} is too old`,
            `handoff needs Node ${OLDEST} or newer (https://nodejs.org/en/download). With a version manager:`,
            `nvm install ${OLDEST}`,
          ),
        ],
})
