/** As much of the module `vscode` as docs/examples/editor-extension.ts uses, with the names and types of VS Code 1.106. */
interface Disposable {
  dispose(): unknown
}
export interface ExtensionContext {
  subscriptions: Disposable[]
}
interface Uri {
  path: string
  fsPath: string
}
const nothing: Disposable = { dispose: () => {} }

export enum StatusBarAlignment {
  Left = 1,
}
export enum DiagnosticSeverity {
  Error = 0,
  Warning = 1,
}
export class Range {
  constructor(
    readonly startLine: number,
    readonly startCharacter: number,
    readonly endLine: number,
    readonly endCharacter: number,
  ) {}
}
export class Diagnostic {
  constructor(
    readonly range: Range,
    readonly message: string,
    readonly severity: DiagnosticSeverity,
  ) {}
}
export interface StatusBarItem extends Disposable {
  text: string
  show(): void
  hide(): void
}

/** What the editor shows, and what its person does. */
export const editor = {
  folder: '',
  typed: undefined as string | undefined,
  bar: null as string | null,
  said: [] as string[],
  marks: new Map<string, Diagnostic[]>(),
  commands: new Map<string, () => Promise<void>>(),
  saved: [] as ((document: { uri: Uri }) => Promise<void>)[],
}

export const workspace = {
  get workspaceFolders(): { uri: Uri }[] {
    return [{ uri: { path: editor.folder, fsPath: editor.folder } }]
  },
  onDidSaveTextDocument(listener: (document: { uri: Uri }) => Promise<void>): Disposable {
    editor.saved.push(listener)
    return nothing
  },
}
export const commands = {
  registerCommand(name: string, run: () => Promise<void>): Disposable {
    editor.commands.set(name, run)
    return nothing
  },
}
export const languages = {
  createDiagnosticCollection: (_name: string) => ({
    ...nothing,
    set: (uri: Uri, found: Diagnostic[]) => void editor.marks.set(uri.fsPath, found),
  }),
}
export const window = {
  createStatusBarItem(_alignment: StatusBarAlignment): StatusBarItem {
    return {
      ...nothing,
      text: '',
      show() {
        editor.bar = this.text
      },
      hide() {
        editor.bar = null
      },
    }
  },
  showInputBox: async (_options: { prompt: string }) => editor.typed,
  showInformationMessage: async (text: string) => void editor.said.push(text),
  showErrorMessage: async (text: string) => void editor.said.push(text),
}
