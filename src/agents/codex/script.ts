import { type AnyNode, type Expression, type ObjectExpression, parse } from 'acorn'

/** A tool call found in a code-mode script; `argument` is undefined as far as it is not a literal. */
export interface ScriptCall {
  tool: string
  argument: unknown
}

/** What an expression stands for; `known`: all of it was a literal. */
interface Found {
  value: unknown
  known: boolean
}

const UNKNOWN: Found = { value: undefined, known: false }
const known = (value: unknown): Found => ({ value, known: true })

/** Finds `tools.name(literal)` in a script of code mode (0.142 … 0.169) without running it; text that is no JavaScript holds none. */
export function scriptCalls(script: string): ScriptCall[] {
  const names = new Map<string, unknown>([['undefined', undefined]])
  const calls: ScriptCall[] = []
  try {
    const program = parse(script, {
      ecmaVersion: 'latest',
      // As lenient as can be: what the client has run is not ours to refuse.
      allowAwaitOutsideFunction: true,
      allowImportExportEverywhere: true,
      allowReturnOutsideFunction: true,
    })
    walk(program, (node) => {
      if (node.type === 'CallExpression') {
        const tool = toolOf(node.callee)
        const [first] = node.arguments
        if (tool !== null) calls.push({ tool, argument: first && literalOf(first, names).value })
      } else if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier' && node.init) {
        const found = literalOf(node.init, names)
        if (found.known) names.set(node.id.name, found.value)
      }
    })
  } catch {
    // The client could not have run it either; of what is nested too deep, the calls found so far stand.
  }
  return calls
}

function walk(node: AnyNode, visit: (node: AnyNode) => void): void {
  visit(node)
  for (const inner of Object.values(node).flat())
    if (typeof inner?.type === 'string') walk(inner as AnyNode, visit)
}

function toolOf(callee: AnyNode): string | null {
  if (callee.type !== 'MemberExpression' || callee.property.type !== 'Identifier' || callee.computed)
    return null
  return callee.object.type === 'Identifier' && callee.object.name === 'tools' ? callee.property.name : null
}

function literalOf(node: AnyNode, names: ReadonlyMap<string, unknown>): Found {
  switch (node.type) {
    case 'Literal':
      return node.regex || typeof node.value === 'bigint' ? UNKNOWN : known(node.value)
    case 'Identifier':
      return names.has(node.name) ? known(names.get(node.name)) : UNKNOWN
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? known(node.quasis[0]?.value.cooked) : UNKNOWN
    case 'TaggedTemplateExpression':
      return isMember(node.tag, 'raw') && node.quasi.expressions.length === 0
        ? known(node.quasi.quasis[0]?.value.raw)
        : UNKNOWN
    case 'UnaryExpression': {
      const { value } = literalOf(node.argument, names)
      return node.operator === '-' && typeof value === 'number' ? known(-value) : UNKNOWN
    }
    case 'BinaryExpression': {
      const [left, right] = [literalOf(node.left, names), literalOf(node.right, names)]
      if (node.operator !== '+' || typeof left.value !== 'string' || !right.known) return UNKNOWN
      return known(left.value + String(right.value))
    }
    case 'CallExpression': {
      // Lines that are joined.
      const [by] = node.arguments
      if (!by || node.callee.type !== 'MemberExpression' || !isMember(node.callee, 'join')) return UNKNOWN
      const [list, separator] = [literalOf(node.callee.object, names), literalOf(by, names)]
      if (!Array.isArray(list.value) || !separator.known) return UNKNOWN
      return known(list.value.join(String(separator.value)))
    }
    case 'ArrayExpression': {
      const items = node.elements.map((item) => (item === null ? UNKNOWN : literalOf(item, names)))
      return items.every((item) => item.known) ? known(items.map(({ value }) => value)) : UNKNOWN
    }
    case 'ObjectExpression':
      return objectOf(node, names)
    default:
      return UNKNOWN
  }
}

const isMember = (node: Expression, name: string): boolean =>
  node.type === 'MemberExpression' && node.property.type === 'Identifier' && node.property.name === name

/** A property that is not a literal is left out, and then the object is not known whole. */
function objectOf({ properties }: ObjectExpression, names: ReadonlyMap<string, unknown>): Found {
  const table: Record<string, unknown> = {}
  let isWhole = true
  for (const property of properties) {
    if (property.type !== 'Property' || property.computed || property.method || property.kind !== 'init')
      return UNKNOWN
    const found = literalOf(property.value, names)
    const key =
      property.key.type === 'Identifier' ? property.key.name : String(literalOf(property.key, names).value)
    if (found.value !== undefined) table[key] = found.value
    isWhole &&= found.known
  }
  return { value: table, known: isWhole }
}
