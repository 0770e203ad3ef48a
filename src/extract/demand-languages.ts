import type { Rule } from './cues.ts'

/**
 * What counts as a demand or preference of the person, in languages other than English. `gate` keeps a pattern to texts of
 * its language.
 */
export interface DemandRule extends Rule {
  /** 2 forbids or requires, 1 prefers. */
  level: 1 | 2
  gate?: RegExp
  /** Counts only where a clause begins; its pattern is global. */
  opens?: true
  /** Its pattern, which is global then, ends with a group; no fit counts where this is true of the text from the group on. */
  except?: (from: string) => boolean
}

const GERMAN =
  /\b(?:der|die|das|den|dem|des|nicht|kein\w*|und|ein\w*|ist|mit|auf|für|zu|zum|zur|bitte|niemals|immer|nur|alle|statt)\b/i
const GERMAN_CUE =
  'der die das den dem des nicht kein* und ein* ist mit auf für zu zum zur bitte niemals immer nur alle statt'

/** The gate opens for an English "don't". */
const FRENCH =
  /\b(?:le|la|les|des|du|un|une|pas|et|dans|pour|que|ne|jamais|toujours|avec|sur|aux?|sans)\b|[lndcqs]['’]\p{L}/iu

const SPANISH =
  /\b(?:el|la|los|las|de|que|en|del|por|una?|con|para|y|al|sin|archivos?|nunca|siempre|sólo|solo)\b|[¡¿ñáéíóú]/i
const SPANISH_CUE =
  'el la los las de que en del por un una con para y al sin archivo archivos nunca siempre solo ¡ ¿ ñ á é í ó ú'

const CHINESE = /\p{Script=Han}/u
const JAPANESE = /[\p{Script=Hiragana}\p{Script=Katakana}]/u

export const OTHER_LANGUAGES: readonly DemandRule[] = [
  {
    // German: imperatives with a negation or limit, and modal verbs.
    level: 2,
    gate: GERMAN,
    cue: [
      'nicht nie niemals nur immer kein* ruhe muss musst soll sollen sollst sollte sollten verboten unbedingt unverändert müssen',
      GERMAN_CUE,
    ],
    shape:
      /(?:^|[,;:–—]\s*|\b(?:und|aber|bitte|also)\s+)(?:(?:änder|fass|nutz|benutz|verwend|lösch|entfern|füg|mach|schreib|behalt|lass|rühr|committ?|push|installier|nimm|greif|bau|ersetz|verschieb|teil|starte?)\w*\b.*\b(?:nicht|kein\w*|nie(?:mals)?|nur|immer|unverändert|in Ruhe)\b|(?:nie(?:mals)?|immer|kein\w*|nur|bitte nicht|nicht)\s)|\b(?:darfst?|dürfen|dürft) (?:\S+ )*?(?:nicht|kein\w*|nie|nur)\b|\b(?:muss|müssen|musst|soll(?:en|st)?|sollten?)\b|\bauf keinen Fall\b|\bunter keinen Umständen\b|\bverboten\b|\bunbedingt\b/i,
  },
  {
    level: 1,
    gate: GERMAN,
    cue: [
      'vermeide* bevorzug* stell* achte* behalte* stattdessen anstatt statt lieber will brauche ausschließlich möchte',
      GERMAN_CUE,
    ],
    shape:
      /\b(?:vermeide\w*|bevorzug\w*|stell\w* sicher|achte\w* darauf|stattdessen|anstatt|statt|lieber|ausschließlich|ich (?:möchte|will|brauche)|behalte\w*)\b/i,
  },
  {
    // French: imperatives with ne … pas/jamais, falloir and devoir.
    level: 2,
    gate: FRENCH,
    cue: ['ne n faut dois devez doit peux pouvez toujours jamais pas interdit* sans uniquement'],
    shape:
      /(?:^|[,;:]\s*|\b(?:et|mais|merci de|veuillez|surtout)\s+)(?:ne\s|n['’])\S+.*\b(?:pas|jamais|plus|rien|aucun\w*)\b|\bne (?:pas|jamais|rien) \p{L}+(?:er|ir|re)\b|\bil (?:ne )?faut\b|\b(?:tu|vous|on|ça|cela|il|elle) (?:ne )?(?:dois|devez|doit|peux pas|pouvez pas)\b|(?:^|[,;:]\s*)(?:toujours|jamais|surtout pas|pas de)\b|\binterdit\w*\b|\bsans (?:toucher|modifier|changer|casser|ajouter)\b|\buniquement\b/iu,
  },
  {
    level: 1,
    gate: FRENCH,
    cue: [
      'assure assurez garde garder gardez utilise utiliser utilisez lieu veux* voudrais* veille veiller veillez évite préf plutôt',
    ],
    shape:
      /\b(?:évite[rz]?|préfère|préférez|assure[- ]toi|assurez[- ]vous|garde[rz]? (?:le|la|les)|utilise[rz]? (?:plutôt|seulement|toujours)|au lieu d|plutôt que|je (?:ne )?veux|je voudrais|veille[rz]? à)/iu,
  },
  {
    // Spanish: "no" with a subjunctive or infinitive, nunca, siempre, deber.
    level: 2,
    gate: SPANISH,
    cue: [
      'no nunca siempre debe debes deben que prohibido prohibida prohibidos prohibidas sin solo solamente jamás sólo únicamente',
      SPANISH_CUE,
    ],
    shape:
      /(?:^|[,;:¡]\s*|\b(?:y|pero|por favor,?)\s+)no\s+(?:l[oae]s?\s+|me\s+|te\s+|se\s+)?\p{L}+(?:es|as|en|an|ar|er|ir)(?![\p{L}])|(?:^|[,;:¡]\s*|\b(?:y|pero)\s+)(?:nunca|jamás|siempre)\s|\b(?:debes?|deben|tienes que|hay que|tiene que)\b|\bprohibid[oa]s?\b|\bsin (?:tocar|cambiar|modificar|romper|añadir|usar)\b|\b(?:solo|sólo|únicamente|solamente) (?:usa|usar|cambia|modifica|toca)\b/iu,
  },
  {
    level: 1,
    gate: SPANISH,
    cue: ['evita evitar prefiero quiero lugar vez usa procura asegúrate mantén', SPANISH_CUE],
    shape:
      /\b(?:evita(?:r)?|asegúrate|mantén|prefiero|(?:no )?quiero|en lugar de|en vez de|usa (?:solo|siempre|solamente)|procura)\b/i,
  },
  {
    level: 2,
    gate: CHINESE,
    cue: ['不 勿 禁 必 务 一 只 始终 绝 千万 别 永远'],
    shape:
      /不要|请勿|禁止|切勿|不得|不能|不可以?|不许|不准|不允许|必须|务必|一定要|一律|只能|只(?:用|使用|改|修改|准|允许)|始终|永远不|绝不|千万|别(?:[动改用碰删加提写再去]|修改|使用|添加|删除)/u,
  },
  {
    level: 1,
    gate: CHINESE,
    cue: ['尽量 优先 避免 保持 改用 不 应 确保 请 记得 我'],
    shape: /尽量|优先|避免|保持|改用|而不是|不应|应该|确保|请使用|请用|记得|不需要|我(?:想要|希望|要)/u,
  },
  {
    level: 2,
    gate: JAPANESE,
    cue: ['な 禁止 て で 必ず 絶対 常に だけ のみ せずに'],
    shape:
      /ないで(?:ください|下さい|くれ|ね|ほしい)?|しないこと|ないこと|禁止|てはいけ|てはなら|(?:て|で)は(?:だめ|ダメ)|必ず|絶対|常に|(?:だけ|のみ)(?:を|で|に)?(?:使|変更|修正|編集|触)|(?:する|触る|変える|使う|消す|書く|変更する)な(?:[。！!よ]|$)|せずに|(?:しなければ|なければ)(?:なら|いけ)/u,
  },
  {
    level: 1,
    gate: JAPANESE,
    cue: ['ではなく じゃなくて 代わりに 避けて 優先 維持 べき ように て 方がいい'],
    shape:
      /ではなく|じゃなくて|代わりに|避けて|優先|維持|べき|ようにして|てください|て下さい|てほしい|方がいい/u,
  },
]
