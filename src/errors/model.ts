import { failure, reasonOf } from './handoff-error.ts'

/** Its cause is the reason that the message tells. */
export const modelFailed = failure('E_MODEL', (name: string, cause: unknown) => [
  `The model ${name} gave no answer: ${reasonOf(cause)}`,
  'Run the same program by hand with a prompt on its standard input, for example: echo "say ok" | claude -p',
  { exit: 1, cause },
])
/** `where`: who named it, for the person; empty: not known where this is thrown. */
export const modelUnknown = failure('E_MODEL_UNKNOWN', (name: string, said: string, where = '') => [
  `${name} cannot be asked${where === '' ? '' : ` (${where})`}, there is no such model: ${said}`,
  'Look up what the model is called, and where the name is right whether the address of the service is. A name is given like this: `--extract anthropic/claude-haiku-4-5`. Without `--extract` no model is needed. Nothing was written.',
  { data: { said } },
])
export const modelPackageMissing = failure(
  'E_MODEL_PACKAGE',
  (name: string, packages: readonly string[], line: string, cause: unknown) => [
    `${name} is reached through the packages ${packages.join(' and ')}, which are not installed here.`,
    `Install them: ${line}`,
    { cause, data: { packages } },
  ],
)
export const tokenizerMissing = failure('E_MODEL_PACKAGE', (cause: unknown) => [
  '`--exact` counts with the package gpt-tokenizer, which is not installed here.',
  'Install it beside git-handoff: `npm install --save-dev gpt-tokenizer@4`, or `--global` where git-handoff is global. Without `--exact` the tokens are estimated.',
  { cause, data: { packages: ['gpt-tokenizer'] } },
])
export const cannotAsk = failure('E_CANNOT_ASK', (who: string, why: string) => [
  `\`--extract agent\` cannot ask ${who}: ${why}`,
  'Name a model instead, for example `--extract anthropic/claude-haiku-4-5`, or leave the option out: a brief needs no model.',
])
