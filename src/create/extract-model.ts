import { checkTemplate } from '../brief/template.ts'
import type { Invocation } from '../command.ts'
import { isHandoffError } from '../errors/handoff-error.ts'
import { cannotAsk, modelUnknown } from '../errors/model.ts'
import { agentModel } from '../model/agent.ts'
import { conversationText, createConversation, type Message, squashed } from '../model/conversation.ts'
import { type Model, whyNoAnswer } from '../model/model.ts'
import { joinReply, type Reply, readReply, replyJsonSchema } from '../model/model-reply.ts'
import { loginsOf, providerModel } from '../model/provider.ts'
import { hideHomes } from '../secrets/hide-homes.ts'
import type { PickedSession } from '../session/pick-session.ts'
import { watchEvents } from '../session/read-session.ts'
import { callerMarks } from '../start/destination.ts'
import { successorEnv } from '../start/start-agent.ts'
import { readPlain } from '../store/plain-file.ts'
import type { Config } from '../types/config.ts'
import type { SessionEvent } from '../types/session.ts'
import { privateNames } from '../workspace/input-secrets.ts'
import { installLine } from '../workspace/install-line.ts'
import { openReplyWords } from '../workspace/reply-words.ts'
import { timeLimit } from '../workspace/time-limit.ts'
import type { Workspace } from '../workspace/workspace.ts'
import { configuredModel, modelOfSession, whereModelIsSet } from './configured-model.ts'
import type { ExtractBy } from './create-request.ts'
import { extractionPrompt, retryPrompt } from './extraction-prompt.ts'
import type { Extracted, Gathered } from './gather.ts'

export interface Extraction {
  /** Who is asked, for the person. */
  label: string
  /** The session, its conversation noted down as it is read. */
  watch(picked: PickedSession): PickedSession
  /** Asks, once the session was read. Throws when it is cancelled, and `modelUnknown` for a model that somebody named. */
  run(gathered: Gathered): Promise<Extracted>
}

/** Attempts: the second tells the model what was wrong with the first. */
const ATTEMPTS = 2

/**
 * Gets ready to ask a model about a session. Everything that can be wrong before is told here: an agent that cannot be asked, a package
 * that is not installed, a model nobody names, a template that cannot be filled. Throws
 * `cannotAsk`, `modelPackageMissing`, `usage`, `badTemplate`.
 */
export async function openExtraction(
  invocation: Invocation,
  workspace: Workspace,
  by: ExtractBy,
  { adapter }: PickedSession,
  config: Config,
): Promise<Extraction> {
  const { place, out } = invocation
  const conversation = createConversation()
  let current: string | null = null
  let model: (session: string | null) => Model
  let label: string
  /** What is read for this call, or handed on. */
  let env: Readonly<Record<string, string | undefined>>
  /** Who named the model; null: nobody did, it is that of the session. */
  let namedBy: string | null = null
  const template = await templateOf(workspace)
  if (by.is === 'provider') {
    const fixed = await providerModel(by.provider, by.id, {
      env: place.env,
      installLine: (packages) => installLine(packages, workspace.root),
    })
    model = () => fixed
    env = loginsOf(by.provider, place.env)
    label = fixed.name
    namedBy = 'named by `--extract`'
  } else {
    const { launch } = adapter
    if (launch?.ask === undefined) throw cannotAsk(adapter.label, 'it takes no single question.')
    const { ask } = launch
    const chosen = configuredModel(config, adapter, ask)
    if (config.model.name !== null && config.model.useCurrent)
      out.warn('`model` is set and not used: `useCurrentModel` is true')
    const passed = successorEnv(
      place.env,
      [...launch.passEnv, ...workspace.loaded.own.passEnv],
      callerMarks(),
    )
    model = (session) =>
      agentModel({
        label: adapter.label,
        program: launch.program,
        ask,
        model: chosen ?? modelOfSession(session, ask),
        env: passed,
      })
    env = passed
    label = adapter.label
    if (chosen !== null) namedBy = whereModelIsSet(workspace.loaded, config, place)
  }
  const note = (event: SessionEvent): void => {
    conversation.add(event)
    if (event.kind === 'setting' && event.sub === null) current = event.model ?? current
  }

  return {
    label,
    watch: (picked) => watchEvents(picked, note),
    async run(gathered) {
      const { request } = gathered
      const asked = model(current)
      const mode = by.is === 'provider' ? 'model' : 'agent'
      const words = openReplyWords(gathered.scanner, env, config.secrets.allow)
      const { clean, texts, commands } = await cleaned()
      let attempts = 0
      const without = (failed: string): Extracted => ({
        meta: { mode: 'none', model: asked.name, attempts },
        failed,
        join: (evidence) => evidence,
      })
      const said = conversationText(texts)
      if (said === '') return without('the session holds no conversation')
      const limit = timeLimit(config.extract.timeout, place.signal)
      const { signal } = limit
      const schema = replyJsonSchema()
      const first = extractionPrompt(
        {
          goal: clean(request.goal),
          focus: clean(request.focus ?? ''),
          limits: config.limits,
          schema,
          conversation: said,
        },
        template,
      )
      let prompt = first
      let errors: string[] = []
      try {
        while (attempts < ATTEMPTS) {
          // Everything was cleaned; what is found all the same must not leave.
          const [hit] = await gathered.scanner.find(prompt)
          if (hit !== undefined)
            return without(`the request would have held a secret (${hit.rule}), so it was not sent`)
          attempts++
          const answer = readReply(await asked.ask({ prompt, signal, schema }))
          if ('reply' in answer) return await withReply(answer.reply)
          errors = await Promise.all(answer.errors.map(words.line))
          prompt = retryPrompt(first, errors)
        }
        return without(`no valid answer after ${attempts} attempts (${errors[0]})`)
      } catch (error) {
        place.signal?.throwIfAborted()
        if (limit.isOver()) return without(`no answer within ${config.extract.timeout / 1000} s`)
        if (isHandoffError(error) && error.code === 'E_MODEL_UNKNOWN') {
          const told = String(error.data.said)
          if (namedBy !== null) throw modelUnknown(asked.name, await words.line(told), namedBy)
          return without(await words.line(`there is no such model: ${told}`))
        }
        // Who was asked is said anyway.
        return without(await words.line(whyNoAnswer(error)))
      }

      async function withReply(reply: Reply): Promise<Extracted> {
        const { value, counts } = await words.clean(reply)
        for (const [rule, count] of Object.entries(counts))
          out.warn(`${count} secret(s) replaced in the answer of ${asked.name}: ${rule}`)
        const named = [
          said,
          request.goal,
          request.focus ?? '',
          ...texts.newest.flatMap(wordsOf),
          ...(texts.first === null ? [] : wordsOf(texts.first)),
        ]
          .join('\n')
          .toLowerCase()
        const checks = {
          git: gathered.git,
          sessionCwd: gathered.picked?.ref.cwd ?? null,
          commands,
          isNamed: (path: string) => isNamedIn(named, path.toLowerCase()),
          keepUnverified: !config.validate.files,
        }
        return {
          meta: { mode, model: asked.name, attempts },
          failed: null,
          join: (evidence) => joinReply(evidence, value, checks),
        }
      }

      /** The conversation without secrets, and as one reads it in this repository. */
      async function cleaned() {
        const ran = [...conversation.commands().values()]
        const { value } = await gathered.scanner.redact(
          words.hidden({
            turns: conversation.turns(),
            lines: ran.map(({ command }) => command),
          }),
        )
        const { home, userNames } = privateNames(invocation, gathered.git?.identity.name ?? '')
        const roots = [
          ...(gathered.git?.worktrees ?? []),
          ...(gathered.picked?.ref.cwd ? [gathered.picked.ref.cwd] : []),
        ]
        const clean = (text: string): string =>
          hideHomes(
            roots.reduce((left, root) => left.replaceAll(`${root}/`, ''), words.hidden(text)),
            home ?? '',
            userNames,
          )
        const whole = ({ messages }: { messages: Message[] }) => ({
          messages: messages.map((message) => ({ ...message, text: clean(message.text) })),
        })
        const { first, newest, left } = value.turns
        return {
          clean,
          texts: { first: first === null ? null : whole(first), newest: newest.map(whole), left },
          commands: new Map(ran.map((command, i) => [squashed(clean(value.lines[i] ?? '')), command])),
        }
      }
    },
  }
}

const wordsOf = ({ messages }: { messages: Message[] }): string[] => messages.map(({ text }) => text)

/** The repository's own question, if there is one. Throws `badTemplate`. */
async function templateOf({ repo }: Workspace): Promise<{ text: string; place: string } | null> {
  const place = '.handoff/templates/extraction.txt'
  const text = repo === null ? null : await readPlain(repo.root, place)
  if (text === null) return null
  checkTemplate('extraction', text, place)
  return { text, place }
}

/** The path, or a name that stands alone: `index.ts` in `lib/index.ts` is another file's. Both in lower case. */
function isNamedIn(text: string, path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return has(text, path, /[\w.-]/) || (name.length > 3 && name.includes('.') && has(text, name, /[\w./-]/))
}

function has(text: string, word: string, before: RegExp): boolean {
  for (let at = text.indexOf(word); at !== -1; at = text.indexOf(word, at + 1)) {
    const after = text.slice(at + word.length, at + word.length + 2)
    if (!before.test(text[at - 1] ?? ' ') && !/^(?:[\w-]|\.\w|\/)/.test(after)) return true
  }
  return false
}
