import { shellWord } from '../text/shell-word.ts'
import { type Check, edit, error, spanOf, warning, word } from './check.ts'

/** Here is a repository that git lets us work in, or none at all. */
export const repository: Check = {
  id: 'repository',
  about: 'git opens this repository',
  fine: ({ repo }) => (repo === null ? 'This repository has none; `git init` makes one.' : ''),
  *look({ noRepo }) {
    if (noRepo === null) return
    const command = /: `(git [^`]*)`$/.exec(noRepo.hint)?.[1] ?? null
    yield error(noRepo.message, command === null ? noRepo.hint : 'handoff can do nothing here.', command)
  },
}

export const configuration: Check = {
  id: 'configuration',
  about: 'the configuration can be read',
  *look({ call, config: { problem, unknown, refusedCode, ownFile } }) {
    if (problem !== null) {
      const file = /^([^:\s]+\.(?:ya?ml|json)|\.handoffrc|package\.json)[:#]/.exec(problem)?.[1]
      yield error(
        'the configuration cannot be used',
        `${problem.replace(/\.?$/, '.')} Every command stops until that is corrected; docs/configuration.md lists the keys.`,
        file === undefined ? null : edit(file),
      )
    }
    for (const { name, where, isOwn } of unknown) {
      const fix = /[/.]/.test(where) ? edit(where) : null
      yield isOwn
        ? warning(
            `\`${name}\` counts only in your own configuration`,
            `${where} sets it, where it is ignored: a repository must not decide what is run and passed on. To use it, move it to ${ownFile}.`,
            fix,
          )
        : warning(
            `unknown key \`${name}\``,
            `${where} sets it, and it is ignored. \`${call} doctor --verbose\` lists every key.`,
            fix,
          )
    }
    if (refusedCode !== null)
      yield warning(
        `${refusedCode} is not read`,
        `It is code, and code of a repository runs only if your own ${ownFile} sets \`allowExecutableConfig: true\`. Only if you trust this repository:`,
        `mkdir -p "$(dirname ${ownFile})" && echo 'allowExecutableConfig: true' >> ${ownFile}`,
      )
  },
}

export const ignored: Check = {
  id: 'ignored',
  about: 'git does not ignore .handoff/',
  *lookIn({ ignored: rule }) {
    if (rule === null) return
    const { source, line, pattern } = rule
    yield error(
      '.handoff/ is ignored by git',
      `The rule \`${pattern}\` (${source}:${line}) keeps briefs out of every commit.`,
      source.startsWith('.handoff/')
        ? // Nothing outside of a folder wins over the rules inside of it.
          `sed -i.bak '${line}d' ${word(source)}`
        : "printf '%s\\n' '!/.handoff/' '!/.handoff/**' >> .gitignore",
    )
  },
}

export const folder: Check = {
  id: 'folder',
  about: '.handoff/ is a plain folder of handoff',
  *lookIn({ folder: problem }) {
    if (problem === null) return
    const isBriefs = problem.message.startsWith('.handoff/briefs')
    yield error(
      problem.message,
      problem.code === 'E_FOREIGN_FOLDER'
        ? 'handoff does not write over files of others, so every handoff stops here. To move them away:'
        : 'handoff never writes or reads a brief through a link or a device. To move it away:',
      `mv ${isBriefs ? '.handoff/briefs .handoff-briefs' : '.handoff .handoff'}.before`,
    )
  },
}

export const locks: Check = {
  id: 'locks',
  about: 'no lock is left over',
  *lookIn({ locks: found }) {
    for (const { path, ageSeconds } of found)
      yield error(
        `a lock is left over: ${path}`,
        `Nothing has touched it for ${spanOf(ageSeconds)}, and git writes nothing while it is there. If no git is running:`,
        `rm ${word(path)}`,
      )
  },
}

export const identity: Check = {
  id: 'identity',
  about: 'git knows whose commits these are',
  fine: ({ repo }) => repo?.identity.name ?? '',
  *lookIn({ identity: { name, email } }) {
    const missing = [
      ...(name === '' ? [['user.name', '"Your Name"'] as const] : []),
      ...(email === '' ? [['user.email', 'you@example.org'] as const] : []),
    ]
    if (missing.length === 0) return
    yield warning(
      'git does not know who you are',
      `${missing.map(([key]) => key).join(' and ')} ${missing.length === 1 ? 'is' : 'are'} not set. Briefs are still committed, by "handoff"; your own commits are refused.`,
      missing.map(([key, value]) => `git config --global ${key} ${value}`).join(' && '),
    )
  },
}

export const refspecs: Check = {
  id: 'refspecs',
  about: 'fetch brings the briefs there are',
  isIdle: ({ fetch }) => !fetch.isSeparate,
  *lookIn({ fetch }, { call }) {
    if (fetch.state === 'lacking')
      yield warning(
        'fetch leaves out the branches of briefs',
        'Briefs are kept on branches of their own (`handoff/<branch>`), and this clone fetches only some branches.',
        `${call} init --refspecs --yes`,
      )
  },
}

export const originTrust: Check = {
  id: 'origin-trust',
  about: 'trust in origin holds',
  fine: ({ repo }) =>
    repo?.origin.trusted
      ? `Briefs on branches of ${repo.origin.trusted} are trusted.`
      : repo?.origin.url
        ? 'Briefs of others are shown to an agent only after `trust`.'
        : 'There is no origin.',
  *lookIn({ origin: { url, trusted } }, { call }) {
    if (trusted === null || trusted === url) return
    yield url === null
      ? warning(
          'the trusted origin is gone',
          `It was at ${trusted}. No brief is trusted because of it any more.`,
          `${call} trust --origin --revoke`,
        )
      : warning(
          'origin has moved since it was trusted',
          `It was trusted at ${trusted} and is now at ${url}, so its briefs are not shown to an agent. If that is right:`,
          `${call} trust --origin`,
        )
  },
}

const CLEAN = 'filter.handoff.clean'

/** The filter that hides the copy of the brief in `latest.md` from git; without a `latest.md` of ours there is nothing to hide. */
export const filter: Check = {
  id: 'filter',
  about: 'git hides the copy of the brief in latest.md',
  isIdle: ({ latest }) => latest.state !== 'ours',
  *lookIn({ filter: { local, final, wanted }, latest }) {
    if (final === wanted) {
      // Another attribute is told by its own check.
      if (!latest.isHidden && latest.attribute === 'handoff')
        yield warning(
          'the filter of latest.md does not work here',
          'git cannot run it, usually because `sed` is not on PATH. latest.md holds only the pointer, without a copy of the brief.',
        )
      return
    }
    const isSeen = latest.marker !== null
    const told = isSeen ? error : warning
    yield told(
      `${CLEAN} is not ${final === null ? 'set' : 'what handoff sets'}`,
      isSeen
        ? 'git takes the copy of the brief in .handoff/latest.md for a change of yours and would commit it.'
        : 'latest.md holds only the pointer, without a copy of the brief. A fresh clone has no filter yet.',
      // A setting of this worktree alone comes last.
      final !== null && local === wanted
        ? `git config --worktree --unset-all ${CLEAN}`
        : `git config ${CLEAN} ${shellWord(wanted)}`,
    )
  },
}

export const attributes: Check = {
  id: 'attributes',
  about: 'the attributes of .handoff/ hold',
  isIdle: ({ latest }) => latest.state === null,
  *lookIn({ latest: { attribute, attributes: file } }, { call }) {
    if (!file.isThere)
      yield warning(
        '.handoff/.gitattributes is gone',
        'Without it git converts line ends of briefs and does not hide the copy in latest.md. Until that is committed, git uses the file in its index.',
        file.isInHead ? 'git checkout HEAD -- .handoff/.gitattributes' : `${call} init --yes`,
      )
    else if (attribute !== 'handoff')
      yield warning(
        'another attribute wins over .handoff/.gitattributes',
        `For .handoff/latest.md git uses the filter "${attribute ?? 'unspecified'}", so the copy of the brief in it is not hidden. To set it for this clone:`,
        'git_dir=$(git rev-parse --git-common-dir) && mkdir -p "$git_dir/info" && echo \'/.handoff/latest.md filter=handoff\' >> "$git_dir/info/attributes"',
      )
  },
}
