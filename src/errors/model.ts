import { HandoffError, reasonOf } from './handoff-error.ts'

export const noCases = (folder: string) =>
  new HandoffError(
    'E_NO_CASES',
    `No evaluation case was found in ${folder}.`,
    'Name the folder that holds the cases, and an id or tag that exists: `handoff eval test/evals --only-tag smoke`.',
    1,
  )
export const badCase = (path: string, cause: unknown) =>
  new HandoffError(
    'E_CASE',
    `${path} cannot be used: ${reasonOf(cause)}`,
    'Mend the field that is named; bench/eval.md tells all of them.',
    2,
    { cause },
  )
export const noModel = (what: string) =>
  new HandoffError(
    'E_NO_MODEL',
    `${what} needs a model, and none is configured.`,
    'Name a program that reads a prompt on standard input and prints the reply: `handoff eval --judge "claude -p"`.',
  )
/** Its cause is the reason that the message tells. */
export const modelFailed = (name: string, cause: unknown) =>
  new HandoffError(
    'E_MODEL',
    `The model ${name} gave no answer: ${reasonOf(cause)}`,
    'Run the same program by hand with a prompt on its standard input, for example: echo "say ok" | claude -p',
    1,
    { cause },
  )
/** `where`: who named it, for the person; empty: not known where this is thrown. */
export const modelUnknown = (name: string, said: string, where = '') =>
  new HandoffError(
    'E_MODEL_UNKNOWN',
    `${name} cannot be asked${where === '' ? '' : ` (${where})`}, there is no such model: ${said}`,
    'Look up what the model is called, and where the name is right whether the address of the service is. A name is given like this: `--extract anthropic/claude-haiku-4-5`. Without `--extract` no model is needed. Nothing was written.',
    2,
    { data: { said } },
  )
export const modelPackageMissing = (
  name: string,
  packages: readonly string[],
  line: string,
  cause: unknown,
) =>
  new HandoffError(
    'E_MODEL_PACKAGE',
    `${name} is reached through the packages ${packages.join(' and ')}, which are not installed here.`,
    `Install them: ${line}`,
    2,
    { cause, data: { packages } },
  )
export const cannotAsk = (who: string, why: string) =>
  new HandoffError(
    'E_CANNOT_ASK',
    `\`--extract agent\` cannot ask ${who}: ${why}`,
    'Name a model instead, for example `--extract anthropic/claude-haiku-4-5`, or leave the option out: a brief needs no model.',
  )
export const badVerdict = (name: string, id: string) =>
  new HandoffError(
    'E_VERDICT',
    `The model ${name} gave no verdict on ${id}.`,
    'Name one that answers with {"pass": true or false, "critique": "one sentence"}: `handoff eval --judge "claude -p"`',
    1,
  )
