import { repositoryCheck, warning } from '../check.ts'

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
