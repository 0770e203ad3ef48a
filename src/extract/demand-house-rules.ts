import type { DemandRule } from './demand-languages.ts'

/** Demands without "must", "should" or "don't": how things are done here, and what is not to be there. */
export const HOUSE_RULES: readonly DemandRule[] = [
  {
    level: 2,
    opens: true,
    cue: ['from going henceforth', 'on onward onwards forward henceforth'],
    // "From now on the log is empty" reports.
    shape:
      /(?:from (?:now|here|this point|today) on(?:wards?)?|going forward|henceforth),? (?!(?:it|its|this|that|there|the|an?|i|my|they|he|she|when|if|everything|nothing)\b)[`\w]/gi,
  },
  {
    level: 2,
    cue: ['from', 'on onward onwards'],
    shape: /^(?!(?:it|this|that|there|the|i|they)\b).*\bfrom (?:now|here) on(?:wards?)?[.!]?$/i,
  },
  {
    level: 2,
    cue: ['never always only', 'are'],
    // A rule speaks of all things of a kind; "the worker is never restarted" and "codes are never printed" report.
    shape:
      /(?:^|[:;] )(?!(?:the|these|those|my|your|some)\b)(?:[\w`-]+ ){0,3}[\w`-]+s`? are (?:never|always|only) (?:to be )?(?:renamed|re-?used|deleted|removed|changed|edited|modified|touched|altered|overwritten|rewritten|moved|committed|pushed|merged|squashed|stored|kept|written|named|exposed|hard-?coded|translated|sorted)\b/i,
  },
  {
    level: 2,
    cue: [
      'not',
      'touching changing adding dropping renaming moving rewriting upgrading migrating refactoring supporting switching replacing breaking removing',
    ],
    shape:
      /\b(?:we|i)(?:['’]?re|['’]?m| are| am) not (?:touching|changing|adding|dropping|renaming|moving|rewriting|upgrading|migrating|refactoring|supporting|switching|replacing|breaking|removing)\b/i,
  },
  {
    level: 2,
    cue: ['unless until till', 'i', 'say tell ask approve confirm'],
    shape: /\b(?:unless|until|till) i (?:say|tell|ask|approve|confirm)\b/i,
  },
  {
    level: 2,
    cue: ['table option mandatory breaker dealbreaker sacred untouchable frozen scope hard'],
    shape:
      /\b(?:is|are|stays?) (?:off the table|not an option|mandatory|a deal[- ]?breaker|sacred|untouchable|out of scope|a hard (?:requirement|limit|rule|constraint))\b|\b(?:apis?|format|schema|interface|protocol|contract|names?|flags?|signatures?) (?:is|are) frozen\b/i,
  },
  {
    level: 2,
    cue: ['read', 'only', 'everything anything all', 'is are'],
    shape: /^(?:everything|anything|all)\b.* (?:is|are) read[- ]only\b/i,
  },
  {
    level: 1,
    cue: ['stay* remain*', 'as unchanged untouched intact stable compatible private optional out away where'],
    shape:
      /^(?!(?:it|this|that|still)\b).*\b(?:stays?|remains?) (?:(?:exactly )?as (?:is|(?:it|they) (?:is|are|was|were))|unchanged|untouched|intact|stable|compatible|private|optional|out of|away from|where (?:it|they))\b/i,
  },
  {
    level: 1,
    cue: ['only'],
    // "Python stdlib only" demands, "it fails on Windows only" reports.
    shape:
      /^(?!.*\b(?:it|i|is|was|were|are|did|does|happens?|fails?|failed|occurs?|crash\w*|appears?|shows?|sees?|saw|gets?|got|works?|breaks?|has|had|can|read)\b.*\bonly\b)(?:[^\s,:;?]+ ){1,7}only(?:[,;!)] ?| [–—]|\.?$)/i,
  },
  {
    level: 1,
    cue: ['no'],
    // What is not to be there; "no luck" and "no errors in the console" report.
    shape:
      /(?:^|[,:;–—] |\b(?:please|pls|plz),? )no ((?:\w[\w-]* ){0,2}`?[\w.-]+s`?(?:\s?[,.;!)–—]|$| please| anywhere| at all| or ))/gi,
    except: isReported,
  },
  {
    level: 2,
    opens: true,
    cue: ['touch change edit modify add remove delete break rename', 'nothing only'],
    shape: /(?:touch|change|edit|modify|add|remove|delete|break|rename) (?:nothing|only)\b/gi,
  },
  {
    level: 2,
    cue: ['nothing', 'may must shall should goes'],
    shape: /^nothing (?:in|from|under|of|outside|below)\b.* (?:may|must|shall|should|goes)\b/i,
  },
  { level: 2, cue: ['not', 'to', 'you we'], shape: /\b(?:you|we)(?:['’]re| are) not to \w/i },
  {
    level: 1,
    opens: true,
    cue: [
      'careful stay skip leave omit',
      'not with to on within inside at under below away out the all any every my',
    ],
    shape:
      /(?:(?:be )?careful (?:not|with|to)|stay (?:on|with|within|inside|at|under|below|away|out)|(?:skip|leave out|omit) (?:the|all|any|every|my))\b/gi,
  },
  {
    level: 1,
    opens: true,
    cue: [
      'keep',
      'free under below within as pure short small simple stable private public sorted separate synchronous readable together compatible apart',
    ],
    // "Keep in mind as a note" and "keep going as before" ask for nothing that stays.
    shape:
      /keep (?!in mind\b|for now\b|going\b|me\b|up\b|at it\b|doing\b|trying\b)(?:\S+ ){1,4}(?:free of|under|below|within|as|pure|short|small|simple|stable|private|public|sorted|separate|synchronous|readable|together|compatible|apart)\b/gi,
  },
  {
    level: 1,
    opens: true,
    cue: ['write answer reply comment', 'english german french spanish japanese chinese'],
    shape:
      /(?:write|answer|reply|comment)(?: \w+)?(?: in)? (?:(?:british|american|plain|simple) )?(?:english|german|french|spanish|japanese|chinese)\b/gi,
  },
  {
    level: 1,
    opens: true,
    cue: ['ignore', 'the any all those these my every'],
    // "Ignore my last message" takes something back.
    shape:
      /ignore (?:the|any|all(?: the)?|those|these|my|every)\b(?! (?:\w+ ){0,2}(?:messages?|prompts?|questions?|comments?|requests?|rules?|instructions?|typos?)\b)/gi,
  },
  {
    level: 1,
    opens: true,
    cue: ['leave', 'in there on where place enabled'],
    shape: /leave \S.* (?:in|there|on|enabled|in place|where (?:it|they)(?: is| are)?)[.!]?$/gi,
  },
  {
    level: 1,
    cue: ['all', 'are'],
    // Of which kind things are; "all tests are green" and "all files are there" report.
    shape:
      /^all (?!the\b|these\b|those\b|of\b|tests?\b|checks?\b|requests?\b|calls?\b)(?:[\w`-]+ )?[\w`-]+s`? are (?:in (?:UTC|(?:\w+ )?(?:cents|seconds|minutes|milliseconds|bytes|lower ?case|upper ?case|english|german))\b|(?:UTC|ISO|ASCII|UTF-?8|(?:lower|upper|snake|camel|kebab)[- _]?case|relative|absolute|optional|nullable|immutable|(?:\w+ )?(?:strings?|integers?|floats?|numbers?|decimals?|uuids?|bigints?))\b)/i,
  },
  {
    level: 1,
    cue: ['same', 'style format pattern convention conventions layout naming structure'],
    shape:
      /\bsame (?:\w+ )?(?:style|format|pattern|conventions?|layout|naming|structure) as (?:the|in|our|before|everywhere|elsewhere)\b/i,
  },
  {
    level: 1,
    cue: [
      'we',
      'here everywhere project repo',
      'use write follow name review prefer keep format spell ship target support',
    ],
    shape:
      /\bwe (?:use|write|follow|name|review|prefer|keep|format|spell|ship|target|support) .*\b(?:here|everywhere|in this (?:project|repo))\b/i,
  },
  {
    level: 1,
    opens: true,
    cue: ['let lets', 'not'],
    shape: /let['’]?s not (?!worry)\w/gi,
  },
  {
    level: 1,
    cue: ['we', 'always never only'],
    shape:
      /\bwe (?:always|never|only) (?!(?:see|saw|gets?|got|had|have|hits?|reach|receive|find|found|know|knew|\w+ed)\b)\w/i,
  },
  {
    level: 1,
    cue: ['one', 'per'],
    shape: /(?:^|[,:;] )(?:only )?one [\w-]+(?: [\w-]+)? per \w+(?:[,.;!]|$| and | please)/i,
  },
  {
    level: 1,
    cue: ['new', 'every each any all'],
    shape:
      /\b(?:every|each|any|all) new \w+(?: \w+)? (?:gets?|defaults?|needs?|goes|go|lives?|uses?|belongs?)\b/i,
  },
  {
    level: 1,
    cue: ['nothing', 'else more'],
    shape: /(?:^|[,;–—-] |\band )nothing (?:else|more)(?:[,.!;]|$)/i,
  },
  {
    level: 1,
    cue: ['max maximum under than', '0 1 2 3 4 5 6 7 8 9 *0 *1 *2 *3 *4 *5 *6 *7 *8 *9'],
    shape: /\b(?:no (?:more|longer|bigger|larger) than|max(?:imum|\.)?(?: of)?) \d+(?!\d|\/| of\b| out\b)/i,
  },
  {
    level: 1,
    opens: true,
    cue: ['put fix write use make take call return throw store pass add go read', 'not'],
    shape:
      /(?:put|fix|write|use|make|take|call|return|throw|store|pass|add|go|read) \S+.*(?:,| and|;) not (?!if\b|sure\b)\w/gi,
  },
]

/** What "no" stands before in reports and in talk. As a pattern that must not fit, they took 2 ms to compile. */
const REPORTED: ReadonlySet<string> = new Set(
  (
    'error errors luck idea ideas problem problems change changes difference differences diff output outputs result results log logs ' +
    'failure failures warning warnings issue issues update updates clue clues response responses news need needs one ones way ways ' +
    'reason reasons matter thanks doubt doubts success effect effects longer such question questions matches message messages sign ' +
    'signs rush point thing good it that this you i we is they there not in but and so or'
  ).split(' '),
)

/** Whether one of them comes first or second. */
function isReported(from: string): boolean {
  const [, first = '', second, third] = /^(\w+)(?: (\w+)(?: (\w+))?)?/.exec(from) ?? []
  return isOne(first, second) || (second !== undefined && isOne(second, third))
}

function isOne(said: string, next: string | undefined): boolean {
  const word = said.toLowerCase()
  if (word === 'test' || word === 'tests') return next !== undefined && /^r[au]n$/i.test(next)
  return REPORTED.has(word) || /^worr\w/.test(word)
}
