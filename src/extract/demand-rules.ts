import type { Rule } from './cues.ts'
import { HOUSE_RULES } from './demand-house-rules.ts'
import { type DemandRule, OTHER_LANGUAGES } from './demand-languages.ts'

/** "The demo should be …" asks; "it should work now" reports, and "not sure what it should show" wonders. */
const REQUIRED =
  String.raw`(?<!\b(?:i|what|how|which|why|when|where|who) (?:\w+ )?)(?<!\b(?:sure|know|wonder\w*|whether|think) .*)should (?:also |all |still |just |really |then |only |both )*` +
  String.raw`(?!(?:i|we|you|it|this|that|the|be (?:fine|ok(?:ay)?|good|easy|enough|fixed|done|ready|gone|there)|work(?:ing)? (?:now|again|fine)|have (?:been|\w+ed)|probably|now)\b)[a-z]+`

/** One pattern that fits is enough; each is small, and compiled only for a sentence that holds its words. */
export const DEMANDS: readonly DemandRule[] = [
  {
    level: 2,
    opens: true,
    cue: ['do don dont hands'],
    shape: /(?:do not|don['’]?t|hands off)\b(?! \w+ed\b)/gi,
  },
  {
    level: 2,
    opens: true,
    cue: ['never always'],
    // "Never worked" and "always fails" report.
    shape: /(?:never|always)\b(?! \w+ed\b)(?! \w*[^su\W]s\b)/gi,
  },
  {
    level: 2,
    cue: ['stay* remain* keep* kept use* written stored', 'never'],
    // "Sums stay in cents, never floats" names what takes the place of what.
    shape: /\b(?:stays?|remains?|keeps?|kept|use|written|stored)\b.*, never \w+(?: \w+)?[.!]?$/i,
  },
  {
    level: 2,
    opens: true,
    cue: ['leave', 'alone untouched unchanged as'],
    shape: /leave \S.* (?:alone|untouched|unchanged|as is|as it is)\b(?! \w+ed\b)/gi,
  },
  { level: 2, cue: ['must mustn mustnt shouldn shouldnt'], shape: /\b(?:must(?:n['’]?t)?|shouldn['’]?t)\b/i },
  {
    level: 2,
    cue: ['should shall', 'not never always only'],
    shape: /\b(?:should|shall) (?:not|never|always|only)\b/i,
  },
  {
    level: 2,
    cue: ['cannot cant t wont not', 'you u'],
    shape:
      /\b(?:you|u) (?:can(?:not|['’]?t)|won['’]?t|shall not)(?! (?:see|find|tell|run|get|reproduce|figure|understand|read|even|click|scroll|open)\b)\b/i,
  },
  { level: 2, cue: ['may please better', 'not'], shape: /\b(?:may|please|better) not\b/i },
  { level: 2, cue: ['allowed', 'not isn aren'], shape: /\b(?:not|isn['’]t|aren['’]t) allowed\b/i },
  {
    level: 2,
    cue: ['circumstances costs limits forbidden negotiable strictly'],
    shape:
      /\b(?:under no circumstances|at all costs|off[- ]limits|(?:are|is) forbidden|non-negotiable|strictly)\b/i,
  },
  {
    level: 2,
    cue: ['without o', 'changing touching breaking modifying adding using altering renaming removing asking'],
    shape:
      /\b(?:without|w\/o) (?:changing|touching|breaking|modifying|adding|using|altering|renaming|removing|asking)\b/i,
  },
  {
    level: 2,
    cue: ['has have need needs', 'stay remain be keep work support'],
    shape: /\b(?:has|have|needs?) to (?:stay|remain|be|keep|work|support)\b/i,
  },
  { level: 2, cue: ['backward backwards', 'compatib*'], shape: /\bbackwards?[- ]compatib\w+\b/i },
  {
    level: 2,
    cue: ['no', 'new more extra external additional other breaking third'],
    shape:
      /^no (?:new|more|extra|external|additional|other|breaking|third)\b(?! (?:errors?|issues?|problems?|questions?|failures?|warnings?|crashes)\b)/i,
  },
  {
    level: 1,
    opens: true,
    cue: ['avoid prefer ensure only sure'],
    shape:
      /(?:avoid\b|prefer\b|make sure\b|ensure\b|be sure\b|only\b(?! (?:the |a |one )?\w+ (?:is|are|was|were|works?|fails?)\b))/gi,
  },
  {
    level: 1,
    opens: true,
    cue: ['keep', 'the it all using our my this that everything only both to'],
    shape: /keep (?:the|it|all|using|our|my|this|that|everything|only|both|to)\b/gi,
  },
  {
    level: 1,
    opens: true,
    cue: ['stick wait ask follow need hold', 'to with for until me before the our my on off first'],
    shape:
      /(?:stick (?:to|with)(?! it\b)|no need (?:to|for)|wait (?:for|until)|ask (?:me|before|first)|hold off|follow (?:the|our|my))\b/gi,
  },
  {
    level: 1,
    opens: true,
    cue: ['use', 'instead not rather everywhere only for'],
    shape: /(?:use \S+(?: \S+){0,4} (?:instead|not|rather|everywhere|only|for)|use only)\b/gi,
  },
  { level: 1, cue: ['instead rather'], shape: /\b(?:instead of|rather than)\b|\binstead[.!]?$/i },
  {
    level: 1,
    cue: ['want prefer rather like need expect', 'i id we'],
    shape:
      /\b(?:i (?:really )?(?:(?:do|did)n['’]?t )?want|i['’]?d (?:prefer|rather|like)|i would (?:prefer|rather|like)|i (?:prefer|need|expect)|we (?:need|want|don['’]?t want))\b/i,
  },
  { level: 1, cue: ['should', 'you we'], shape: /\b(?:you|we) should\b/i },
  { level: 1, cue: ['has have need needs', 'to'], shape: /\b(?:has|have|needs?) to\b/i },
  { level: 1, cue: ['important', 'it its'], shape: /\bit['’]?s important\b/i },
  { level: 1, cue: ['most least', 'at'], shape: /\bat (?:most|least) \d\b/i },
  { level: 1, cue: ['should'], shape: new RegExp(`\\b${REQUIRED}\\b`, 'i') },
  ...HOUSE_RULES,
  ...OTHER_LANGUAGES,
]

/** Clauses that look like demands and are not: doubts, reports, questions about the agent. */
export const NOT_DEMANDS: readonly Rule[] = [
  {
    cue: ['don dont do', 'i', 'know think understand see believe remember get have like'],
    shape:
      /^i (?:don['’]?t|do not) (?:know|think(?! (?:i|we) (?:want|should|need))|understand|see|believe|remember|get|have|like how)\b/i,
  },
  { cue: ['don dont', 'you we worry think'], shape: /^don['’]?t (?:you|we|worry|think)\b/i },
  { cue: ['why', 'don dont do not'], shape: /^why (?:don['’]?t|do|not)\b/i },
  { cue: ['nevermind mind'], shape: /^never ?mind\b/i },
  // What a program says.
  {
    cue: ['*error *exception'],
    shape: /^(?:uncaught )?\w*(?:error|exception)(?: \w+)?: /i,
  },
  // A guess, and what somebody else guesses: "must be the proxy".
  { cue: ['must', 'have'], shape: /\bmust have (?:been|\w+ed)\b/i },
  {
    cue: ['must', 'issue problem bug fault glitch'],
    shape: /\bmust be (?:an? |the |some )(?:[\w-]+ ){0,2}(?:issue|problem|bug|fault|glitch)\b/i,
  },
  {
    cue: [
      'must',
      'told say says said think thinks thought guess guesses guessed suspect suspects suspected reckon reckons',
    ],
    shape:
      /\b(?:told (?:me|us)|says?|said|thinks?|thought|guess(?:es|ed)?|suspect(?:s|ed)?|reckons?) (?:that )?(?:it|this|that) must be (?:the|an?|some|our|my|his|her|their) (?:[\w-]+ ){0,2}[\w-]+[.!]?$/i,
  },
  {
    cue: ['shouldn shouldnt', 'hard difficult complicated tricky problem issue'],
    shape:
      /\bshouldn['’]?t be (?:(?:too|that|so|very|all that|much of) )?(?:hard|difficult|complicated|tricky|an? (?:problem|issue))\b/i,
  },
  {
    cue: ['shouldn shouldnt', 'sure hm hmm hmmm wait'],
    shape: /^(?:i['’]?m )?(?:not sure|hmm?m?|wait)\b.*\bshouldn['’]?t (?:it|this|that|there|they)\b/i,
  },
  // What a linter says: its name in brackets, or a place with line and column.
  { cue: ['need needs must should avoid'], shape: /^\[\w+:[\w-]+\] .*\b(?:needs?|must|should|avoid)\b/i },
  {
    cue: ['avoid should must never use'],
    shape: /\S\.\w+:\d+:\d+: [\w-]+: .*\b(?:avoid|should|must|never|use)\b/i,
  },
  {
    cue: [
      'say says said complains prints printed reported reports',
      'it log logs error message output compiler linter test ci console terminal tool warning',
    ],
    shape:
      /^(?:but |and |now |then )?(?:it|(?:the |an? )?(?:\w+ )?(?:log|logs|error|message|output|compiler|linter|test|ci|console|terminal|tool|warning))(?: (?:still|now|always|just|also))? (?:says?|said|complains|prints|printed|reported|reports)\b/i,
  },
]

/** Preferences that are none. */
export const NOT_PREFERENCES: readonly Rule[] = [
  {
    // Errands that are over once they are done: `open an issue …`, `create a PR …`, `commit …`.
    cue: ['open create file make submit raise write update close merge push commit rebase'],
    shape:
      /^(?:(?:please|ok(?:ay)?|now|then|and|also|next|great|thanks|can you|could you|let['’]?s|i (?:want|need) you to|i['’]?d like you to)[,.:!]?\s+)*(?:(?:open|create|file|make|submit|raise|write|update|close|merge|push)\s+(?:(?:an?|the|this|that|another|new|draft|github|gh|up)\s+)*(?:issue|pr|pull request|merge request|ticket|branch|commit|tag)s?\b|(?:commit|push|merge|rebase)(?!\s+(?:messages?|subjects?|hooks?|titles?|bodies)\b)\b)/i,
  },
  // What somebody sees, not wants: `it shows a blank page instead of the list`, `i have to reload every time`.
  {
    cue: ['instead rather'],
    shape:
      /^(?:(?:but|and|so|now|hmm|ok),?\s+)*(?:it|this|that|the (?:\S+ ){1,4}?)\s*(?:still |now |just |currently |only |also )?(?!needs?\b|has\b|this\b)(?:is|was|were|\w+[^su\W]s|\w+ed)\b(?!.*\b(?:should|must|needs?|want|(?:has|have) to)\b).*\b(?:instead|rather than)\b/i,
  },
  {
    cue: ['see saw get got noticed have had', 'i'],
    shape:
      /^(?:(?:but|and|so|now|hmm|ok),?\s+)*i (?:see|saw|get|got|noticed|(?:still |always |now )?(?:have|had) to)\b(?!.*\b(?:should|must|need|want)\b)/i,
  },
  {
    cue: ['has have', 'do'],
    shape: /^(?:(?:but|and|so|now|hmm|ok),?\s+)*(?:\S+ ){0,4}ha(?:s|ve) to do with\b/i,
  },
]
