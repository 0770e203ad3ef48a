/** A hook of git that we take part in. */
export interface GitEvent {
  name: string
  /** Only where the configuration says so (`gitHooks.<wish>`). */
  wish?: 'trailers' | 'prePush'
}

/** Every one, once: set-up, help and docs walk this list; each has its file in `hooks/`. */
export const GIT_EVENTS = [
  { name: 'pre-commit' },
  { name: 'prepare-commit-msg', wish: 'trailers' },
  { name: 'post-checkout' },
  { name: 'post-merge' },
  { name: 'post-rewrite' },
  { name: 'pre-push', wish: 'prePush' },
] as const satisfies readonly GitEvent[]

export type GitEventName = (typeof GIT_EVENTS)[number]['name']
