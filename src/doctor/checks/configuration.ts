import { check, edit, error, type Problem, warning } from '../check.ts'

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
