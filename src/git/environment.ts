/**
 * What `git rev-parse --local-env-vars` prints (git 2.39.5; a test compares): variables that bind git to one repository.
 * Inherited from a hook or an agent they would make us write into somebody else's index.
 */
export const LOCAL_VARIABLES = [
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_CONFIG',
  'GIT_CONFIG_PARAMETERS',
  'GIT_CONFIG_COUNT',
  'GIT_OBJECT_DIRECTORY',
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_IMPLICIT_WORK_TREE',
  'GIT_GRAFT_FILE',
  'GIT_INDEX_FILE',
  'GIT_NO_REPLACE_OBJECTS',
  'GIT_REPLACE_REF_BASE',
  'GIT_PREFIX',
  'GIT_INTERNAL_SUPER_PREFIX',
  'GIT_SHALLOW_FILE',
  'GIT_COMMON_DIR',
]

/**
 * Configuration of every call, as `key=value`. A repository brought by a stranger must not run its own code
 * (`safe.bareRepository`, `core.fsmonitor`), the user's taste must not change what is parsed, and objects reach the
 * disk before a ref names them (`core.fsync`).
 */
export const FIXED_CONFIG = [
  'safe.bareRepository=explicit',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'core.fsync=loose-object,reference,index',
  'gc.auto=0',
  'maintenance.auto=false',
  'log.showSignature=false',
  'log.follow=false',
  'log.showRoot=true',
  'i18n.commitEncoding=UTF-8',
  'i18n.logOutputEncoding=UTF-8',
]

/** The environment of every git child: the caller's without what binds git to another repository, in plain English. */
export function gitEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !LOCAL_VARIABLES.includes(name.toUpperCase())) clean[name] = value
  }
  return {
    ...clean,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    LC_ALL: 'C',
  }
}
