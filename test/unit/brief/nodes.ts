import { fromMarkdown } from 'mdast-util-from-markdown'

export type Node = { type: string; depth?: number; value?: string; url?: string; children?: Node[] }

/** Every node of a text as CommonMark has it. */
export function nodesOf(markdown: string): Node[] {
  const walk = (node: Node): Node[] => [node, ...(node.children ?? []).flatMap(walk)]
  return walk(fromMarkdown(markdown) as Node)
}

export const textOf = (node: Node): string => node.value ?? (node.children ?? []).map(textOf).join('')
