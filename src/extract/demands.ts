/**
 * What counts as a demand or preference of the person, by language. `gate` keeps a pattern to texts of its language;
 * `strong` is something forbidden or required, `soft` a preference; one pattern that fits is enough.
 */
interface Language {
  /** One of these beginnings stands in every text that fits: asked first where the other patterns are slow to compile. */
  hint?: RegExp
  gate: RegExp
  strong: readonly RegExp[]
  soft: readonly RegExp[]
}

/** Looked for behind the words that count, and apart from the other patterns: compiled as one this takes 15 ms. */
const START = String.raw`(?<=(?:^|[,;:(–—]\s*|\b(?:and|but|so|please|also|then|just|ok|okay|again|remember|important|note)[,:]?\s+)(?:please\s+|also\s+|just\s+)?)`

/** "The demo should be …" asks; "it should work now" reports, and "not sure what it should show" wonders. */
const REQUIRED =
  String.raw`(?<!\b(?:i|what|how|which|why|when|where|who) (?:\w+ )?)(?<!\b(?:sure|know|wonder\w*|whether|think) .*)should (?:also |all |still |just |really |then |only |both )*` +
  String.raw`(?!(?:i|we|you|it|this|that|the|be (?:fine|ok(?:ay)?|good|easy|enough|fixed|done|ready|gone|there)|work(?:ing)? (?:now|again|fine)|have (?:been|\w+ed)|probably|now)\b)[a-z]+`

const ENGLISH: Language = {
  gate: /[a-z]/i,
  strong: [
    new RegExp(
      `${START}(?:do not|don['’]?t|never|always|must(?: not)?|leave \\S.* (?:alone|untouched|unchanged|as is|as it is)|hands off)\\b(?! \\w+ed\\b)(?<!\\b(?:never|always)(?= \\w*[^su\\W]s\\b))`,
      'i',
    ),
    new RegExp(
      `\\b(?:must(?: not|n['’]?t)?|(?:should|shall) (?:not|never|always|only)|shouldn['’]?t|(?:you|u) (?:can(?:not|['’]?t)|won['’]?t|shall not)(?! (?:see|find|tell|run|get|reproduce|figure|understand|read|even|click|scroll|open)\\b)|may not|(?:please|better) not|(?:not|isn['’]t|aren['’]t) allowed(?: to)?|under no circumstances|` +
        `at all costs|without (?:changing|touching|breaking|modifying|adding|using|altering)|off[- ]limits|(?:are|is) forbidden|(?:has|have|needs?) to (?:stay|remain|be|keep|work|support)|` +
        `backwards?[- ]compatib\\w+|non-negotiable|strictly)\\b`,
      'i',
    ),
    /^no (?:new|more|extra|external|additional|other|breaking|third)\b/i,
  ],
  soft: [
    new RegExp(
      `${START}(?:avoid|prefer|make sure|ensure|be sure|only|stick (?:to|with)|keep (?:the|it|all|using|our|my|this|that|everything)\\b|use \\S+(?: \\S+){0,4} (?:instead|not|rather|everywhere|only|for)|use only|no need to|wait (?:for|until)|ask (?:me|before)|follow (?:the|our|my))\\b`,
      'i',
    ),
    /\b(?:instead of|rather than|i (?:really )?(?:(?:do|did)n['’]?t )?want|i['’]?d (?:prefer|rather|like)|i would (?:prefer|rather|like)|i (?:prefer|need|expect)|we (?:need|want|don['’]?t want)|(?:you|we) should|(?:has|have|needs?) to|it['’]?s important|at (?:most|least) \d)\b/i,
    new RegExp(`\\b${REQUIRED}\\b`, 'i'),
    /\binstead[.!]?$/i,
  ],
}

const LANGUAGES: readonly Language[] = [
  ENGLISH,
  {
    // German: imperatives with a negation or limit, and modal verbs.
    gate: /\b(?:der|die|das|den|dem|des|nicht|kein\w*|und|ein\w*|ist|mit|auf|für|zu|zum|zur|bitte|niemals|immer|nur|alle|statt)\b/i,
    strong: [
      /(?:^|[,;:–—]\s*|\b(?:und|aber|bitte|also)\s+)(?:(?:änder|fass|nutz|benutz|verwend|lösch|entfern|füg|mach|schreib|behalt|lass|rühr|committ?|push|installier|nimm|greif|bau|ersetz|verschieb|teil|starte?)\w*\b.*\b(?:nicht|kein\w*|nie(?:mals)?|nur|immer|unverändert|in Ruhe)\b|(?:nie(?:mals)?|immer|kein\w*|nur|bitte nicht|nicht)\s)|\b(?:darfst?|dürfen|dürft) (?:\S+ )*?(?:nicht|kein\w*|nie|nur)\b|\b(?:muss|müssen|musst|soll(?:en|st)?|sollten?)\b|\bauf keinen Fall\b|\bunter keinen Umständen\b|\bverboten\b|\bunbedingt\b/i,
    ],
    soft: [
      /\b(?:vermeide\w*|bevorzug\w*|stell\w* sicher|achte\w* darauf|stattdessen|anstatt|statt|lieber|ausschließlich|ich (?:möchte|will|brauche)|behalte\w*)\b/i,
    ],
  },
  {
    // French: imperatives with ne … pas/jamais, falloir and devoir. The gate opens for an English "don't".
    hint: /\b(?:pas|jamais|plus|rien|aucun|faut|dois|devez|doit|toujours|interdit|sans|uniquement|assure|garde|utilise|lieu|plut|veux|voudrais|veille)|[éè]/i,
    gate: /\b(?:le|la|les|des|du|un|une|pas|et|dans|pour|que|ne|jamais|toujours|avec|sur|aux?|sans)\b|[lndcqs]['’]\p{L}/iu,
    strong: [
      /(?:^|[,;:]\s*|\b(?:et|mais|merci de|veuillez|surtout)\s+)(?:ne\s|n['’])\S+.*\b(?:pas|jamais|plus|rien|aucun\w*)\b|\bne (?:pas|jamais|rien) \p{L}+(?:er|ir|re)\b|\bil (?:ne )?faut\b|\b(?:tu|vous|on|ça|cela|il|elle) (?:ne )?(?:dois|devez|doit|peux pas|pouvez pas)\b|(?:^|[,;:]\s*)(?:toujours|jamais|surtout pas|pas de)\b|\binterdit\w*\b|\bsans (?:toucher|modifier|changer|casser|ajouter)\b|\buniquement\b/iu,
    ],
    soft: [
      /\b(?:évite[rz]?|préfère|préférez|assure[- ]toi|assurez[- ]vous|garde[rz]? (?:le|la|les)|utilise[rz]? (?:plutôt|seulement|toujours)|au lieu d|plutôt que|je (?:ne )?veux|je voudrais|veille[rz]? à)/iu,
    ],
  },
  {
    // Spanish: "no" with a subjunctive or infinitive, nunca, siempre, deber.
    gate: /\b(?:el|la|los|las|de|que|en|del|por|una?|con|para|y|al|sin|archivos?|nunca|siempre|sólo|solo)\b|[¡¿ñáéíóú]/i,
    strong: [
      /(?:^|[,;:¡]\s*|\b(?:y|pero|por favor,?)\s+)no\s+(?:l[oae]s?\s+|me\s+|te\s+|se\s+)?\p{L}+(?:es|as|en|an|ar|er|ir)(?![\p{L}])|(?:^|[,;:¡]\s*|\b(?:y|pero)\s+)(?:nunca|jamás|siempre)\s|\b(?:debes?|deben|tienes que|hay que|tiene que)\b|\bprohibid[oa]s?\b|\bsin (?:tocar|cambiar|modificar|romper|añadir|usar)\b|\b(?:solo|sólo|únicamente|solamente) (?:usa|usar|cambia|modifica|toca)\b/iu,
    ],
    soft: [
      /\b(?:evita(?:r)?|asegúrate|mantén|prefiero|(?:no )?quiero|en lugar de|en vez de|usa (?:solo|siempre|solamente)|procura)\b/i,
    ],
  },
  {
    gate: /\p{Script=Han}/u, // Chinese
    strong: [
      /不要|请勿|禁止|切勿|不得|不能|不可以?|不许|不准|不允许|必须|务必|一定要|一律|只能|只(?:用|使用|改|修改|准|允许)|始终|永远不|绝不|千万|别(?:[动改用碰删加提写再去]|修改|使用|添加|删除)/u,
    ],
    soft: [/尽量|优先|避免|保持|改用|而不是|不应|应该|确保|请使用|请用|记得|不需要|我(?:想要|希望|要)/u],
  },
  {
    gate: /[\p{Script=Hiragana}\p{Script=Katakana}]/u, // Japanese
    strong: [
      /ないで(?:ください|下さい|くれ|ね|ほしい)?|しないこと|ないこと|禁止|てはいけ|てはなら|(?:て|で)は(?:だめ|ダメ)|必ず|絶対|常に|(?:だけ|のみ)(?:を|で|に)?(?:使|変更|修正|編集|触)|(?:する|触る|変える|使う|消す|書く|変更する)な(?:[。！!よ]|$)|せずに|(?:しなければ|なければ)(?:なら|いけ)/u,
    ],
    soft: [
      /ではなく|じゃなくて|代わりに|避けて|優先|維持|べき|ようにして|てください|て下さい|てほしい|方がいい/u,
    ],
  },
]

/** Words in capitals are meant, in any language. */
const LOUD = /\b(?:NOT|NEVER|ONLY|MUST|ALWAYS|NICHT|NIE|NUR|JAMAIS|NUNCA|SOLO)\b/

/** Clauses that look like demands and are not: doubts, reports, questions about the agent. */
const NOT_A_DEMAND =
  /^(?:i (?:don['’]?t|do not) (?:know|think(?! (?:i|we) (?:want|should|need))|understand|see|believe|remember|get|have|like how)|don['’]?t (?:you|we|worry|think)|why (?:don['’]?t|do|not)|never ?mind)\b/i

/** Errands that are over once they are done: `open an issue …`, `create a PR …`, `commit …`. */
const ONE_OFF =
  /^(?:(?:please|ok(?:ay)?|now|then|and|also|next|great|thanks|can you|could you|let['’]?s|i (?:want|need) you to|i['’]?d like you to)[,.:!]?\s+)*(?:(?:open|create|file|make|submit|raise|write|update|close|merge|push)\s+(?:(?:an?|the|this|that|another|new|draft|github|gh|up)\s+)*(?:issue|pr|pull request|merge request|ticket|branch|commit|tag)s?\b|(?:commit|push|merge|rebase)(?!\s+(?:messages?|subjects?|hooks?|titles?|bodies)\b)\b)/i
/** What somebody sees, not wants: `it shows a blank page instead of the list`, `i have to reload every time`. */
const OBSERVED =
  /^(?:(?:but|and|so|now|hmm|ok),?\s+)*(?:(?:it|this|that|the (?:\S+ ){1,4}?)\s*(?:still |now |just |currently |only |also )?(?!needs?\b|has\b|this\b)(?:is|was|were|\w+[^su\W]s|\w+ed)\b(?!.*\b(?:should|must|needs?|want|(?:has|have) to)\b).*\b(?:instead|rather than)\b|i (?:see|saw|get|got|noticed|(?:still |always |now )?(?:have|had) to)\b(?!.*\b(?:should|must|need|want)\b)|(?:\S+ ){0,4}ha(?:s|ve) to do with\b)/i

/**
 * How much of a demand a sentence is: 2 forbids or requires, 1 prefers, 0 neither. Questions count only when they politely
 * ask for something (`can you please not …`, `shouldn't we use X instead of Y?`).
 */
export function demandOf(sentence: string): 0 | 1 | 2 {
  if (NOT_A_DEMAND.test(sentence)) return 0
  const question = /[?？]$/.test(sentence)
  if (
    question &&
    !/^(?:can|could|would|will) (?:you|we)\b|^(?:shouldn['’]?t|should) (?:we|it|you)\b|^please\b/i.test(
      sentence,
    ) &&
    !/[?？]$/.test(sentence.slice(0, -1))
  )
    return 0
  const level = levelOf(sentence)
  return level === 1 && (ONE_OFF.test(sentence) || OBSERVED.test(sentence)) ? 0 : level
}

function levelOf(sentence: string): 0 | 1 | 2 {
  // A sentence all in capitals says nothing by one of them.
  if (LOUD.test(sentence) && /\p{Ll}/u.test(sentence)) return 2
  const fits = (pattern: RegExp) => pattern.test(sentence)
  for (const level of [2, 1] as const)
    for (const language of LANGUAGES)
      if (
        language.hint?.test(sentence) !== false &&
        language.gate.test(sentence) &&
        language[level === 2 ? 'strong' : 'soft'].some(fits)
      )
        return level
  return 0
}

/** Whether a sentence forbids something. */
export const isProhibition = (sentence: string): boolean =>
  /\b(?:do not|don['’]?t|can(?:not|['’]?t)|never|must not|mustn['’]?t|should(?: not|n['’]?t)|may not|(?:please|better) not|not allowed|avoid|without|leave|off[- ]limits|hands off|no|not|forbidden|nicht|kein\w*|niemals|nie|ne|pas|jamais|nunca)\b|不|勿|禁止|别|ない|禁/i.test(
    sentence,
  )
