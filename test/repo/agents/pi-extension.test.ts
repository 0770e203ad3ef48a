import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { byNight } from '../../sampled.ts'
import { USUAL, writeClaudeSession } from '../claude-session.ts'
import type { TempRepo } from '../make-repo.ts'
import { usual } from '../usual.ts'

/** The extension of the package, called as Pi 1.5.2 does, with the built program behind it. */
const SOURCE = join(import.meta.dirname, '../../../templates/agents/pi-extension.js')
const GOAL = 'finish the retry queue and document its limits'

interface Ui {
  /** What the person makes of the draft; undefined cancels. */
  review: (draft: string) => string | undefined
  tools?: string[]
  /** As Pi shows a component until it says that it is done. */
  custom?: (make: (tui: object, theme: object, keys: object, done: () => void) => object) => Promise<void>
}

/** Types `/handoff <args>` and tells what was shown. */
async function handoff(repo: TempRepo, args: string, { review, tools = ['bash', 'read'], custom }: Ui) {
  const shown: { notes: string[]; drafts: string[]; prefilled: string[] } = {
    notes: [],
    drafts: [],
    prefilled: [],
  }
  const path = writeClaudeSession(repo, USUAL, { end: new Date(Date.now() - 1000) })
  const ui = {
    notify: (text: string) => shown.notes.push(text),
    editor: async (_title: string, draft: string) => {
      shown.drafts.push(draft)
      // Nothing is committed while the person looks at it.
      expect(repo.git(['log', '-1', '--format=%s'])).toBe('queue')
      return review(draft)
    },
    setEditorText: (text: string) => shown.prefilled.push(text),
  }
  const ctx = {
    cwd: repo.root,
    hasUI: true,
    mode: custom === undefined ? 'rpc' : 'tui',
    ui: { ...ui, custom },
    waitForIdle: async () => {},
    sessionManager: { getSessionFile: () => path, getSessionId: () => 'x' },
    newSession: async ({ withSession }: { withSession: (fresh: object) => Promise<void> }) => {
      await withSession({ ui })
      return { cancelled: false }
    },
  }
  let run = async (_args: string, _ctx: object): Promise<unknown> => undefined
  const pi = {
    on: () => {},
    registerTool: () => {},
    getActiveTools: () => tools,
    registerCommand: (_name: string, command: { handler: typeof run }) => {
      run = command.handler
    },
  }
  const before = { ...process.env }
  Object.assign(process.env, repo.env)
  try {
    const { default: extension } = await import(/* @vite-ignore */ pathToFileURL(SOURCE).href)
    extension(pi)
    await run(args, ctx)
  } finally {
    process.env = before
  }
  return shown
}

describe('C9: /handoff in Pi', () => {
  afterEach(() => void vi.doUnmock('@earendil-works/pi-coding-agent'))

  /** Pi's loader, as an extension is given it. */
  function withLoader(): { texts: string[]; loaders: { onAbort?: () => void }[] } {
    const made: { texts: string[]; loaders: { onAbort?: () => void }[] } = { texts: [], loaders: [] }
    class BorderedLoader {
      onAbort?: () => void
      constructor(_tui: object, _theme: object, text: string) {
        made.texts.push(text)
        made.loaders.push(this)
      }
    }
    vi.doMock('@earendil-works/pi-coding-agent', () => ({ BorderedLoader }))
    return made
  }

  byNight('C9: shows the loader of Pi until the draft is there', async () => {
    const { texts } = withLoader()
    let isShown = false
    const shown = await handoff(usual(), GOAL, {
      review: (draft) => {
        expect(isShown).toBe(false)
        return draft
      },
      custom: async (make) => {
        isShown = true
        await new Promise<void>((done) => make({}, {}, {}, done))
        isShown = false
      },
    })
    expect(texts).toEqual([expect.stringContaining('handoff page')])
    expect(shown.prefilled).toHaveLength(1)
  })

  it('C9: is cancelled by Escape while the loader is shown', async () => {
    const { loaders } = withLoader()
    const repo = usual()
    const shown = await handoff(repo, GOAL, {
      review: (draft) => draft,
      custom: (make) =>
        new Promise<void>((done) => {
          make({}, {}, {}, done)
          loaders[0]?.onAbort?.()
        }),
    })
    expect(shown).toMatchObject({ drafts: [], prefilled: [] })
    expect(shown.notes.at(-1)).toBe('Handoff cancelled.')
    expect(repo.git(['log', '-1', '--format=%s'])).toBe('queue')
  })

  it('C9: puts the draft into the editor, commits it as it was left, and pre-fills the new session with it', async () => {
    const repo = usual()
    const edited = `${GOAL}, and no more`
    const shown = await handoff(repo, GOAL, { review: (draft) => draft.replaceAll(GOAL, edited) })
    expect(shown.drafts).toEqual([expect.stringContaining(`## Next Goal (verbatim)`)])
    expect(repo.git(['log', '-1', '--format=%s'])).toContain('chore(handoff): ')
    expect(repo.read('.handoff/latest.md')).toContain(edited)
    expect(shown.prefilled).toEqual([expect.stringMatching(/<handoff-context>[\s\S]*, and no more/)])
    expect(shown.notes.at(-1)).toContain('Handed over')
  })

  byNight('C9: commits nothing when the review is cancelled', async () => {
    const repo = usual()
    const shown = await handoff(repo, GOAL, { review: () => undefined })
    expect(shown).toMatchObject({ prefilled: [], drafts: [expect.any(String)] })
    expect(shown.notes.at(-1)).toBe('Handoff cancelled.')
    expect(repo.git(['log', '-1', '--format=%s'])).toBe('queue')
    expect(repo.git(['status', '--porcelain'])).toBe('')
  })

  byNight('C9: names no flag where a goal is vague: it would become a part of the goal', async () => {
    const shown = await handoff(usual(), 'continue', { review: (draft) => draft })
    expect(shown).toMatchObject({ drafts: [], prefilled: [] })
    expect(shown.notes.at(-1)).toMatch(/Say more: \/handoff <what/)
    expect(shown.notes.join()).not.toContain('--allow-vague')
  })
})
