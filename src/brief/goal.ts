type GoalRule = 'empty' | 'too-long' | 'too-short' | 'vague'
type GoalVerdict = { ok: true; vague: boolean } | { ok: false; rule: GoalRule; detail: string; bytes: number }

/** Bytes of UTF-8. */
const MAX_GOAL = 4096

/**
 * Judges a goal and never changes it. `minLength` counts graphemes and is halved when more than half of them are Han,
 * Kana or Hangul. `allowVague` lets short and vague goals pass, and says so in `vague`.
 */
export function checkGoal(
  goal: string,
  { minLength, allowVague }: { minLength: number; allowVague: boolean },
): GoalVerdict {
  const bytes = Buffer.byteLength(goal)
  const fail = (rule: GoalRule, detail: string): GoalVerdict => ({ ok: false, rule, detail, bytes })
  if (goal.trim() === '') return fail('empty', 'no words')
  if (bytes > MAX_GOAL) return fail('too-long', `${bytes} bytes, at most ${MAX_GOAL} are allowed`)
  const { length, dense } = measure(goal.trim())
  const least = dense ? Math.ceil(minLength / 2) : minLength
  const short = length < least
  const vague = isVague(goal)
  if (allowVague) return { ok: true, vague: short || vague }
  if (short) return fail('too-short', `${length} characters, at least ${least} are needed`)
  if (vague) return fail('vague', 'name a file, a feature or a failure')
  return { ok: true, vague: false }
}

function measure(text: string): { length: number; dense: boolean } {
  // Each of these is a grapheme by itself; the segmenter takes milliseconds to come up.
  if (SINGLE.test(text)) return { length: text.length, dense: false }
  const graphemes = [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)]
  // Here, since to make the expression takes a third of a millisecond.
  const han = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u
  const dense = graphemes.filter(({ segment }) => han.test(segment)).length
  return { length: graphemes.length, dense: dense * 2 > graphemes.length }
}

const SINGLE = /^[\t\n\x20-\x7e]*$/

/**
 * Words that name no work of their own: a goal of nothing else tells the next thread nothing. Languages written without spaces are
 * matched as parts, all others as whole words.
 */
const WORDS = new Set(
  (
    'continue continuing continued continues carry pick going get getting before better good nice nicer well fix fixes fixed fixing fixup proceed proceeding resume resuming ' +
    'next more further finish finishing finished complete completing completed work working works job task tasks ' +
    'thing things stuff everything anything something all rest remaining left over last previous prior earlier ' +
    'bug bugs issue issues problem problems error errors todo todos wip help start begin improve improvement ' +
    'improvements update updates change changes stop done go keep make do doing did again same step steps session ' +
    'thread handoff conversation context code project stuff etc ok okay yes no ' +
    'a an the this that these those it its is are was were be been i we you he she they me us my our your their ' +
    'and or but then so with without from for to of on in at by as up out off now just only also please pls thanks ' +
    'thank where what which who how when here there any some not can could should would will let lets s t d ll re ve ' +
    'und weiter weitermachen weiterarbeiten fortsetzen fortfahren mach mache bitte beheben reparieren fertig alles das ' +
    'die der den dem und mit so arbeit rest fehler aufgabe ' +
    'vas y continuer continue continuez suite poursuivre poursuis reprendre corrige corriger tout le la les et avec svp ' +
    'travail plaît plait ' +
    'adelante continuar continúa continua assim sigue seguir siga prosigue reanudar arregla arreglar todo lo el los las y con por ' +
    'favor trabajo terminar ' +
    'vai va bene continuare prosegui avanti riprendi sistema tutto il lo gli e con lavoro prosseguir continue seguir corrigir tudo ' +
    'o os com trabalho ' +
    'продолжай продолжить продолжайте продолжим дальше далее исправь исправить всё все и работу пожалуйста ' +
    'kontynuuj dalej napraw wszystko proszę devam et lütfen ga door verder alles graag fortsätt vidare'
  ).split(/\s+/),
)
const PARTS =
  /継続|続行|続けて|続ける|続き|つづけて|つづき|再開|進めて|修正|直して|全部|すべて|作業|お願いします|お願い|ください|下さい|继续|繼續|接着|接著|下一步|修复|修復|修好|搞定|完成|剩下|全部|所有|工作|任务|任務|一下|请|請|吧|进行|進行|계속해서|계속해|계속|이어서|진행해|진행|수정해|수정|고쳐|나머지|전부|모두|작업|해주세요|해줘|주세요|부탁/gu
const PARTICLES =
  /^[をのにはがでとも、してすたなよねまじうし的了把它这這那个個和都再也就을를이가은는에의도해요하고]*$/u

/** Nothing is named, or one word said more than once. */
function isVague(goal: string): boolean {
  const lower = goal.normalize('NFKC').toLowerCase().replace(/['’`]/g, ' ')
  const words = lower.replace(PARTS, ' ').match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  const names = words.filter((word) => !WORDS.has(word) && !PARTICLES.test(word))
  return names.length === 0 || (names.length > 1 && new Set(names).size === 1)
}
