import { repositoryCheck, warning } from '../check.ts'
import { spanOf } from '../span.ts'

/** A request that nobody has answered for this long waits for nobody. In seconds. */
const LONG = 86_400

export const requests = repositoryCheck({
  id: 'requests',
  about: 'no request is stuck',
  look: ({ requests: open }, { call }) =>
    open.flatMap(({ id, agent, state, isSwitch, isStalled, ageSeconds }) => {
      if (isStalled)
        return [
          warning(
            `a switch goes no further: ${id}`,
            `It stands at "${state}", and the process that went on with it is gone.`,
            `${call} switch --continue ${id}`,
          ),
        ]
      if (isSwitch || ageSeconds < LONG) return []
      return [
        warning(
          `a request to ${agent} was never answered: ${id}`,
          `It stands at "${state}" for ${spanOf(ageSeconds)}.`,
          `${call} request --cancel ${id}`,
        ),
      ]
    }),
})
