import { adapters } from '../agents/table.ts'
import { commands } from './table.ts'

/** The scripts of `handoff completion` by their shells; the build keeps them beside the program. */
export async function completionScripts(): Promise<Record<'bash' | 'zsh' | 'fish', string>> {
  const verbs = await readVerbs()
  return { bash: bash(verbs), zsh: `${ZSH}${bash(verbs)}`, fish: fish(verbs) }
}

interface Verb {
  name: string
  about: string
  /** `choices` empty: what is no closed choice; null: a flag alone. */
  options: { flag: string; about: string; choices: readonly string[] | null }[]
  takesId: boolean
}

/** What can be completed, read from the definitions that the parser works by. */
async function readVerbs(): Promise<Verb[]> {
  const { Command } = await import('commander')
  const verbs = commands.map(async ({ name, summary, load }) => {
    const command = new Command(name)
    ;(await load()).define(command)
    const given = command.registeredArguments.map((one) => one.name())
    return {
      name,
      about: summary,
      options: command.options.map(({ long, description, argChoices, required, optional }) => ({
        flag: long ?? '',
        about: description,
        choices: required || optional ? (argChoices ?? VALUES[long ?? ''] ?? []) : null,
      })),
      takesId: given.some((one) => ['id', 'a', 'where'].includes(one)),
    }
  })
  return Promise.all(verbs)
}

/** What is no closed choice, but known. */
const VALUES: Readonly<Record<string, readonly string[]>> = {
  '--agent': [...adapters.map(({ id }) => id), 'all'],
  '--to': adapters.flatMap(({ id, launch }) => (launch === undefined ? [] : [id])),
}

/** Ids of the briefs in the work tree, newest first; other names there are somebody else's, and a shell would run what they say. */
const IDS =
  'ls -r "./$(git rev-parse --show-cdup 2>/dev/null).handoff/briefs" 2>/dev/null | sed -n "s/^\\([0-9T]*-[0-9a-f]*\\)-.*/\\1/p"'

const ZSH = 'autoload -U +X bashcompinit && bashcompinit\n'

/** zsh runs it as well. Where it offers nothing, the shell offers files. */
const bash = (verbs: readonly Verb[]): string => {
  const cases = verbs.flatMap(({ name, options, takesId }) => [
    ...options.flatMap(({ flag, choices }) =>
      choices === null ? [] : [`    "${name} ${flag} "*) offer="${choices.join(' ')}" ;;`],
    ),
    `    "${name} "*" -"*) offer="${options.map(({ flag }) => flag).join(' ')} --json --cwd --no-color --help" ;;`,
    ...(takesId ? [`    "${name} "*) offer="latest $(${IDS})" ;;`] : []),
  ])
  return `# Completion of handoff. In ~/.bashrc:  source <(handoff completion bash)
_handoff() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" verb= word offer=
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case $word in -* | handoff) ;; *) verb=$word; break ;; esac
  done
  case "$verb \${COMP_WORDS[COMP_CWORD-1]} $cur" in
    " "*) offer="${verbs.map(({ name }) => name).join(' ')} help" ;;
${cases.join('\n')}
  esac
  COMPREPLY=($(compgen -W "$offer" -- "$cur"))
}
# Behind git, where the completion of git is loaded.
_git_handoff() { _handoff; }
complete -o default -F _handoff handoff git-handoff
`
}

function fish(verbs: readonly Verb[]): string {
  const quoted = (text: string): string => `'${text.replace(/['\\]/g, '\\$&')}'`
  const lines = verbs.flatMap(({ name, about, options, takesId }) => {
    const here = `complete -c handoff -n '__fish_seen_subcommand_from ${name}'`
    return [
      `complete -c handoff -n __fish_use_subcommand -f -a ${name} -d ${quoted(about)}`,
      ...options.map(
        ({ flag, about: what, choices }) =>
          `${here} -l ${flag.slice(2)} -d ${quoted(what)}${choices === null ? '' : choices.length === 0 ? ' -r' : ` -x -a ${quoted(choices.join(' '))}`}`,
      ),
      ...(takesId ? [`${here} -f -k -a "latest (${IDS.replace(/[$"\\]/g, '\\$&')})"`] : []),
    ]
  })
  return `# Completion of handoff. In ~/.config/fish/config.fish:  handoff completion fish | source\n${lines.join('\n')}\ncomplete -c git-handoff -w handoff\n`
}
