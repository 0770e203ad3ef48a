import { shellWord } from '../text/shell-word.ts'
import { check, edit, error, type Problem, repositoryCheck, spanOf, warning, word } from './check.ts'

/** Here is a repository that git lets us work in, or none at all. */
export const repository = check({
  id: 'repository',
  about: 'git opens this repository',
  fine: ({ repo }) => (repo === null ? 'There is none here; `git init` makes one.' : ''),
  look: ({ noRepo }) => {
    if (noRepo === null) return []
    const command = /: `(git [^`]*)`$/.exec(noRepo.hint)?.[1] ?? null
    return [error(noRepo.message, command === null ? noRepo.hint : 'handoff can do nothing here.', command)]
  },
})

export const configuration = check({
  id: 'configuration',
  about: 'the configuration can be read',
  look({ call, config: { problem, unknown, refusedCode, ownFile } }): Problem[] {
    if (problem !== null) {
      const file = /^([^:\s]+\.(?:ya?ml|json)|\.handoffrc|package\.json)[:#]/.exec(problem)?.[1]
      return [
        error(
          'the configuration cannot be used',
          `${problem.replace(/\.?$/, '.')} Every command stops until that is mended; docs/configuration.md lists the keys.`,
          file === undefined ? null : edit(file),
        ),
      ]
    }
    return [
      ...unknown.map(({ name, where, isOwn }) =>
        warning(
          isOwn ? `\`${name}\` counts only in your own configuration` : `unknown key \`${name}\``,
          isOwn
            ? `${where} sets it, where nothing reads it: a repository must not decide what is run and handed on. If you want it, move it to ${ownFile}.`
            : `${where} sets it, and nothing reads it. \`${call} doctor --verbose\` lists every key.`,
          /[/.]/.test(where) ? edit(where) : null,
        ),
      ),
      ...(refusedCode === null
        ? []
        : [
            warning(
              `${refusedCode} is not read`,
              `It is code, and code of a repository is not run unless your own ${ownFile} says \`allowExecutableConfig: true\`. Only if you trust this repository:`,
              `mkdir -p "$(dirname ${ownFile})" && echo 'allowExecutableConfig: true' >> ${ownFile}`,
            ),
          ]),
    ]
  },
})

export const ignored = repositoryCheck({
  id: 'ignored',
  about: 'git does not ignore .handoff/',
  look({ ignored: rule }) {
    if (rule === null) return []
    const { source, line, pattern } = rule
    const isInside = source.startsWith('.handoff/')
    return [
      error(
        '.handoff/ is ignored by git',
        `The rule \`${pattern}\` (${source}:${line}) keeps briefs out of every commit.`,
        isInside
          ? // Nothing outside of a folder wins over the rules inside of it.
            `sed -i.bak '${line}d' ${word(source)}`
          : "printf '%s\\n' '!/.handoff/' '!/.handoff/**' >> .gitignore",
      ),
    ]
  },
})

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

export const identity = repositoryCheck({
  id: 'identity',
  about: 'git knows whose commits these are',
  fine: ({ identity: { name } }) => name,
  look({ identity: { name, email } }) {
    const missing = [...(name === '' ? ['name'] : []), ...(email === '' ? ['email'] : [])]
    if (missing.length === 0) return []
    const value = { name: '"Your Name"', email: 'you@example.org' }
    return [
      warning(
        'git does not know who you are',
        `user.${missing.join(' and user.')} ${missing.length === 1 ? 'is' : 'are'} not set. A brief is committed all the same, by "handoff"; your own commits are refused.`,
        missing
          .map((one) => `git config --global user.${one} ${one === 'name' ? value.name : value.email}`)
          .join(' && '),
      ),
    ]
  },
})

export const refspecs = repositoryCheck({
  id: 'refspecs',
  about: 'fetch brings the briefs there are',
  look: ({ fetch: { state, isSeparate } }, { call }) =>
    !isSeparate
      ? null
      : state !== 'lacking'
        ? []
        : [
            warning(
              'fetch leaves the branches of briefs out',
              'Briefs are kept on branches of their own (`handoff/<branch>`), and this clone fetches single branches.',
              `${call} init --refspecs --yes`,
            ),
          ],
})

export const originTrust = repositoryCheck({
  id: 'origin-trust',
  about: 'trust in origin holds',
  fine: ({ origin: { url, trusted } }) =>
    trusted !== null
      ? `Briefs on branches of ${trusted} are trusted.`
      : url === null
        ? 'There is no origin.'
        : 'Briefs of others are shown to an agent only after `trust`.',
  look: ({ origin: { url, trusted } }, { call }) =>
    trusted === null || trusted === url
      ? []
      : [
          url === null
            ? warning(
                'origin was trusted and is gone',
                `It was at ${trusted}; nothing is trusted for its sake now.`,
                `${call} trust --origin --revoke`,
              )
            : warning(
                'origin has moved since it was trusted',
                `It was trusted at ${trusted} and is at ${url}, so its briefs are not shown to an agent. If that is right:`,
                `${call} trust --origin`,
              ),
        ],
})

const CLEAN = 'filter.handoff.clean'

/** The filter that hides the copy of the brief in `latest.md` from git. */
export const filter = repositoryCheck({
  id: 'filter',
  about: 'git hides the copy of the brief in latest.md',
  look({ filter: { local, final, wanted }, latest }) {
    // Without a `latest.md` of ours there is nothing to hide.
    if (latest.state !== 'ours') return null
    // Another attribute is told by its own check.
    if (final === wanted && (latest.isHidden || latest.attribute !== 'handoff')) return []
    if (final === wanted)
      return [
        warning(
          'the filter of latest.md does not work here',
          'git cannot run it, mostly because `sed` is not on PATH, so latest.md stays the pointer alone and the brief is not written below it.',
          null,
        ),
      ]
    const set = `git config ${CLEAN} ${shellWord(wanted)}`
    const isSeen = latest.marker !== null
    const told = isSeen ? error : warning
    const means = isSeen
      ? 'git takes the copy of the brief in .handoff/latest.md for a change of yours and would commit it.'
      : 'latest.md stays the pointer alone; the brief is not written below it. A fresh clone has no filter yet.'
    if (final === null) return [told(`${CLEAN} is not set`, means, set)]
    return [
      told(
        `${CLEAN} is not what handoff sets`,
        means,
        // A setting of this worktree alone comes last.
        local === wanted ? `git config --worktree --unset-all ${CLEAN}` : set,
      ),
    ]
  },
})

export const attributes = repositoryCheck({
  id: 'attributes',
  about: 'the attributes of .handoff/ hold',
  look({ latest: { state, attribute, attributes: file } }, { call }) {
    if (state === null) return null
    if (!file.isThere)
      return [
        warning(
          '.handoff/.gitattributes is gone',
          'Without it git converts line ends of briefs and does not hide the copy in latest.md. Until that is committed git goes by its index.',
          file.isInHead ? 'git checkout HEAD -- .handoff/.gitattributes' : `${call} init --yes`,
        ),
      ]
    if (attribute === 'handoff') return []
    return [
      warning(
        'another attribute wins over .handoff/.gitattributes',
        `For .handoff/latest.md git uses the filter "${attribute ?? 'unspecified'}", so the copy of the brief in it is not hidden. Attributes of this clone alone come last:`,
        'git_dir=$(git rev-parse --git-common-dir) && mkdir -p "$git_dir/info" && echo \'/.handoff/latest.md filter=handoff\' >> "$git_dir/info/attributes"',
      ),
    ]
  },
})
