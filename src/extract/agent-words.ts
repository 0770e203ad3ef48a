import type { DecisionFact, TextFact } from '../types.ts'
import { createPicker, createSieve, type Rule, wordsIn } from './cues.ts'
import { paragraphsOf, proseLines, sentencesOf, squash } from './prose.ts'

/** What the agent stated as found or decided, in its own sentences. */
export interface AgentWords {
  say(text: string, at: string | null): void
  /** A summary the agent wrote of its own context; a later one replaces an earlier one. */
  summarise(summary: string, at: string | null): void
  readonly findings: readonly (TextFact & { weight: number; order: number })[]
  readonly decisions: readonly DecisionFact[]
  readonly summary: readonly TextFact[]
}

/** Findings kept at most; weak and old ones are forgotten first. */
const MAX = 120

export const FINDINGS: readonly (Rule & { weight: number })[] = [
  {
    weight: 3,
    cue: [
      'cause turns gotcha caveat pitfall important importantly note problem issue bug culprit reason caused only does doesn deprecated flaky supported must require requires undocumented workaround',
    ],
    shape:
      /\b(?:root cause|turns out|gotcha|caveat|pitfall|important(?:ly)?:|note that|the (?:problem|issue|bug|culprit|reason) (?:is|was)|(?:is|was) caused by|caused by|only works (?:if|when|with)|does(?:n['’]t| not) (?:support|work|allow|exist)|is (?:deprecated|flaky|read-only|not supported)|must be (?:run|set|called|used|built|kept)|requires?\b.*\b(?:to be|before|because)|undocumented|workaround)\b/i,
  },
  {
    weight: 1,
    cue: ['because since due therefore which default already expect expects convention'],
    shape:
      /\b(?:because|since (?:the|it|this)|due to|therefore|which means|by default|already (?:exists|handles|handled)|expects?|convention)\b/i,
  },
  {
    weight: 3,
    // One character each, since a line may end between two.
    cue: ['原 注 结 *ursache *grund *cause causa*'],
    shape:
      /原因是|根本原因|注意|结果是|ursache|Grund (?:ist|war)|cause (?:est|était)|la causa|原因は|注意点/iu,
  },
]
/** Intentions, reports of work done and pleasantries are no findings. */
const NOT_A_FINDING =
  /^(?:let me|let['’]s|i['’]?(?:ll|m| will| am| need| should| can| have| want)|now\b|next\b|first\b|sorry|great|perfect|good|done|you['’]?re|should i|would you|want me|if you|here['’]s|here is|we (?:implemented|added|updated))\b|[?？:：]$/i

export const DECISIONS: readonly Rule[] = [
  {
    cue: ['decided* chose* opted* picked* went settled decision', 'because since as so due'],
    shape:
      /^(?:so |therefore,? )?(?:i(?:['’]ve| have)? (?:decided|chose|chosen|opted|picked|went with|settled on)|decision:|decided:)\s*(?:to |on |for |that )?.*\b(?:because|since|as it|so that|due to)\b/i,
  },
]

const findingsIn = createPicker(FINDINGS)
const decisionsIn = createPicker(DECISIONS)
/** Most replies hold nothing of either kind. */
const mayTell = createSieve([...FINDINGS, ...DECISIONS])

export function createAgentWords(): AgentWords {
  const findings: (TextFact & { weight: number; order: number })[] = []
  const decisions: DecisionFact[] = []
  const decided = new Set<string>()
  const seen = new Set<string>()
  let summary: TextFact[] = []
  let order = 0
  return {
    say(text, at) {
      if (!mayTell(text.replaceAll('**', ''))) return
      for (const sentence of sentencesOf(proseLines(text))) {
        const plain = sentence.replace(/^\*\*([^*]+)\*\*/, '$1')
        const spoken = wordsIn(plain)
        const fits = ({ shape }: Rule) => shape.test(plain)
        if (decisions.length < MAX && decisionsIn(plain, spoken).some(fits)) {
          const decision = splitDecision(plain, at)
          const key = squash(decision.what)
          if (!decided.has(key)) decisions.push(decision)
          decided.add(key)
          continue
        }
        const fitting = findingsIn(plain, spoken).filter(fits)
        const isShort = plain.length >= 20 && plain.split(' ').length <= 60
        if (fitting.length === 0 || !isShort || NOT_A_FINDING.test(plain)) continue
        const weight = Math.max(...fitting.map((rule) => rule.weight))
        const key = squash(plain)
        if (seen.has(key)) continue
        seen.add(key)
        findings.push({ text: plain, source: 'transcript', at, weight, order: ++order })
        if (findings.length > MAX) forget(findings)
        if (seen.size > 5_000) seen.clear()
      }
    },
    summarise(text, at) {
      const lines = learningsOf(text).map((line) => ({ text: line, source: 'transcript' as const, at }))
      if (lines.length > 0) summary = lines
    },
    findings,
    decisions,
    get summary() {
      return summary
    },
  }
}

function forget(findings: { weight: number; order: number }[]) {
  let worst = 0
  findings.forEach((finding, index) => {
    if (finding.weight < (findings[worst]?.weight ?? 0)) worst = index
  })
  findings.splice(worst, 1)
}

function splitDecision(sentence: string, at: string | null): DecisionFact {
  const [, head = sentence, why = null] =
    /^(.*?),?\s+(?:because|since|as it|so that|due to)\s+(.*?)[.!]?$/i.exec(sentence) ?? []
  const [, what = head, other] = /^(.*?)\s+(?:instead of|over|rather than)\s+(.*)$/i.exec(head) ?? []
  return {
    what: what.trim(),
    why,
    alternatives: other ? [other.trim()] : [],
    by: 'agent',
    source: 'transcript',
    at,
  }
}

const LEARNINGS =
  /\b(?:key (?:learnings?|findings?|insights?|facts|knowledge)|learnings?|learned|findings?|discoveries|gotchas?|caveats?|constraints?|preferences|conventions?|important (?:notes?|context|details)|critical context|errors? and fixes|notes?)\b/i
const SUMMARY_LINES = 12

/** Short list items under the headings of a summary that hold learnings or constraints. */
function learningsOf(summary: string): string[] {
  const out: string[] = []
  let inside = false
  for (const line of summary.split(/\r?\n/)) {
    const heading = /^\s*(?:#{1,6}\s+(.*)|\*\*(.+?)\*\*:?\s*$|(?:\d{1,2}\.\s+)([A-Z][^.:]{2,60}):\s*$)/.exec(
      line,
    )
    if (heading) inside = LEARNINGS.test(heading[1] ?? heading[2] ?? heading[3] ?? '')
    else if (inside) {
      const item = /^\s*(?:[-*•]|\d{1,2}[.)])\s+(.+)$/.exec(line)?.[1]?.replace(/\s+/g, ' ').trim()
      const isEmpty = item === undefined || /^\(?(?:none|n\/a|tbd|todo|\.{3})\)?\.?$/i.test(item)
      if (!isEmpty && item.length >= 15 && item.length <= 320 && !item.endsWith(':')) out.push(item)
    }
  }
  return out.slice(0, SUMMARY_LINES)
}

/** Questions that end a reply, as its last paragraph asks them; empty when it does not end with one. */
export function closingQuestions(reply: string): string[] {
  const last = paragraphsOf(reply).at(-1) ?? ''
  const sentences = sentencesOf([last])
  const end = sentences.at(-1) ?? ''
  if (!/[?？][)"'*`_）」]*$/.test(end)) return []
  return sentences.filter((sentence) => /[?？][)"'*`_）」]*$/.test(sentence)).slice(-2)
}
