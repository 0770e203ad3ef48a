import { realpathSync } from 'node:fs'
import { delimiter, isAbsolute } from 'node:path'
import { orNull } from '../errors/handoff-error.ts'
import { isIn } from './files.ts'

/** Configuration of every call: no code of a stranger's repository runs, no taste changes what is parsed, objects reach the disk first. */
export const FIXED_CONFIG = [
  'safe.bareRepository=explicit',
  'core.fsmonitor=false',
  'core.quotePath=false',
  'core.fsync=loose-object,reference',
  'gc.auto=0',
  'maintenance.auto=false',
  'log.showSignature=false',
  'log.follow=false',
  'log.showRoot=true',
  'i18n.commitEncoding=UTF-8',
  'i18n.logOutputEncoding=UTF-8',
]

/** A hook that hears of every index (`post-index-change`) could call us again. */
export const NO_HOOKS = 'core.hooksPath=/dev/null'

/** Variables that a git child gets; `*` stands for any ending. Programs, homes, clock, author, signer: the rest of a shell holds secrets. */
const NAMES = `
  PATH HOME USER LOGNAME SHELL TERM TZ LANG LANGUAGE LC_* XDG_* EMAIL TMPDIR TEMP TMP SYSTEMROOT WINDIR
  SYSTEMDRIVE COMSPEC PATHEXT MSYSTEM USERPROFILE HOMEDRIVE HOMEPATH USERNAME APPDATA LOCALAPPDATA
  PROGRAMDATA PROGRAMFILES PROGRAMFILES(X86) LD_LIBRARY_PATH DYLD_LIBRARY_PATH NIX_* GIT_CONFIG_GLOBAL
  GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_EXEC_PATH GIT_TEMPLATE_DIR GIT_AUTHOR_* GIT_COMMITTER_*
  GIT_CEILING_DIRECTORIES GIT_DISCOVERY_ACROSS_FILESYSTEM GIT_DEFAULT_HASH GIT_TRACE* GIT_ATTR_NOSYSTEM
  GIT_NO_LAZY_FETCH SSH_AUTH_SOCK SSH_AGENT_PID SSH_ASKPASS SSH_ASKPASS_REQUIRE SSH_SK_* SSH_TTY GNUPGHOME
  GPG_TTY GPG_AGENT_INFO PINENTRY_* DISPLAY WAYLAND_DISPLAY XAUTHORITY DBUS_SESSION_BUS_ADDRESS GITSIGN_*
  SIGSTORE_* GIT_SSH GIT_SSH_COMMAND GIT_SSH_VARIANT GIT_ASKPASS GIT_SSL_* GIT_ALLOW_PROTOCOL
  GIT_PROTOCOL_FROM_USER GIT_PROXY_COMMAND HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY
`
const PASSED = new RegExp(
  `^(?:${NAMES.trim()
    .split(/\s+/)
    .map((name) => name.replace(/[()]/g, '\\$&').replace('*', '.*'))
    .join('|')})$`,
)

/** Set for every git that handoff starts. Of the hooks it has only that of `update-ref` runs: a handoff made there would be made without end. */
export const OURS = 'HANDOFF_GIT'

/** The environment of every git child: what `NAMES` names, plain English, and no folder of PATH that is relative to the repository. */
export function gitEnvironment(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const clean: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    const upper = name.toUpperCase()
    if (value === undefined || !PASSED.test(upper)) continue
    clean[name] = upper === 'PATH' ? value.split(delimiter).filter(isAbsolute).join(delimiter) : value
  }
  return {
    ...clean,
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_LITERAL_PATHSPECS: '1',
    [OURS]: '1',
    LC_ALL: 'C',
  }
}

/** What binds git to another repository, and what `gitEnvironment` has decided already. */
const BINDS =
  /^(?:PATH|GIT_(?:DIR|WORK_TREE|INDEX_FILE|COMMON_DIR|(?:ALTERNATE_)?OBJECT_DIRECTOR(?:Y|IES)|NAMESPACE|PREFIX|GRAFT_FILE|SHALLOW_FILE|(?:NO_)?REPLACE_\w+|IMPLICIT_WORK_TREE)|HANDOFF_GIT)$/

/**
 * Laid over `gitEnvironment` where git does what its person would type: logins, hooks and filters find all variables. Nobody is asked
 * unattended.
 */
export function personEnvironment(
  env: Readonly<Record<string, string | undefined>>,
  isAttended: boolean,
): Record<string, string | undefined> {
  const { GIT_OPTIONAL_LOCKS, GIT_LITERAL_PATHSPECS, LC_ALL, GIT_TERMINAL_PROMPT } = env
  return {
    ...Object.fromEntries(Object.entries(env).filter(([name]) => !BINDS.test(name.toUpperCase()))),
    ...{ GIT_OPTIONAL_LOCKS, GIT_LITERAL_PATHSPECS, LC_ALL, [OURS]: undefined },
    // Of gettext's variables the one that no hook takes for the encoding.
    LANGUAGE: 'C',
    GIT_TERMINAL_PROMPT: isAttended ? GIT_TERMINAL_PROMPT : '0',
  }
}

/** The same variables without those folders of PATH that lie in one of these: a checkout puts there what it likes. */
export function withoutPathIn<E extends Readonly<Record<string, string | undefined>>>(
  env: E,
  folders: readonly string[],
): E {
  const isOurs = (path: string): boolean =>
    isAbsolute(path) &&
    ![path, orNull(() => realpathSync(path)) ?? path].some((one) => folders.some((in_) => isIn(in_, one)))
  const entries = Object.entries(env).map(([name, value]) => [
    name,
    name.toUpperCase() === 'PATH' ? value?.split(delimiter).filter(isOurs).join(delimiter) : value,
  ])
  return Object.fromEntries(entries)
}
