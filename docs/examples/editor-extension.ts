/**
 * An extension for VS Code and its relatives: shows the open brief in the status bar, hands over what was said in a chat, and
 * marks findings in a brief that is open in the editor.
 */
import { checkBrief, createBrief, isHandoffError, readBrief } from 'git-handoff'
import * as vscode from 'vscode'

/** What the extension's own chat view knows: each entry is one turn, as text. */
export interface Turn {
  role: 'user' | 'assistant'
  content: string
}

export function activate(context: vscode.ExtensionContext, turns: () => Turn[]): void {
  const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath
  if (cwd === undefined) return
  const item = vscode.window.createStatusBarItem(vscode.StatusBarAlignment.Left)
  const findings = vscode.languages.createDiagnosticCollection('handoff')
  context.subscriptions.push(
    item,
    findings,
    vscode.commands.registerCommand('handoff.create', async () => {
      const goal = await vscode.window.showInputBox({ prompt: 'What must the next session achieve?' })
      if (goal === undefined) return
      await telling(async () => {
        const transcript = turns()
          .map((turn) => JSON.stringify(turn))
          .join('\n')
        const { path, tokens } = await createBrief({ cwd, goal, transcript })
        await vscode.window.showInformationMessage(`Handed over: ${path}, ${tokens} tokens`)
        await showOpenBrief(item, cwd)
      })
    }),
    vscode.workspace.onDidSaveTextDocument(async ({ uri }) => {
      if (!/\.handoff\/briefs\/[^/]+\.md$/.test(uri.path)) return
      await telling(async () => findings.set(uri, await diagnose(uri.fsPath, cwd)))
    }),
  )
  void telling(() => showOpenBrief(item, cwd))
}

/** A repository without a brief is no failure: the item goes away. A stranger's brief shows only its id. */
async function showOpenBrief(item: vscode.StatusBarItem, cwd: string): Promise<void> {
  try {
    const { id, trusted, brief } = await readBrief({ cwd })
    item.text = trusted ? `Handoff: ${brief.goal}` : `Handoff ${id}, not trusted`
    item.show()
  } catch (error) {
    if (!isHandoffError(error) || error.code !== 'E_NO_BRIEF') throw error
    item.hide()
  }
}

async function diagnose(path: string, cwd: string): Promise<vscode.Diagnostic[]> {
  const { findings } = await checkBrief({ cwd, paths: [path] })
  return findings.map(({ rule, level, line, message }) => {
    const at = Math.max(0, (line ?? 1) - 1)
    const range = new vscode.Range(at, 0, at, 999)
    const severity = vscode.DiagnosticSeverity[level === 'error' ? 'Error' : 'Warning']
    return new vscode.Diagnostic(range, `${message} (${rule})`, severity)
  })
}

async function telling(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!isHandoffError(error)) throw error
    await vscode.window.showErrorMessage(`${error.message} ${error.hint}`)
  }
}
