import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, test } from 'vitest'
import { isNameLike } from '../../../src/secrets/classify.ts'
import { createScanner } from '../../../src/secrets/scanner.ts'
import { createFakes } from './fake.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const { random } = createFakes(20261122)
const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const UPPER = LOWER.toUpperCase()
const draw = (set: string, length: number): string =>
  Array.from({ length }, () => set[Math.floor(random() * set.length)]).join('')

/** Words of two and more languages, the spelling of each that code is written in. */
const FOREIGN = {
  German:
    'benutzer schlüssel passwort zugriff warteschlange einstellung verzeichnis zwischenspeicher anmeldung rechnung kündigung lieferschein gesellschaft wirtschaft zeitstempel durchschnitt geschwindigkeit rückmeldung überweisung berechtigung verschlüsselung schnittstelle',
  Spanish:
    'usuario contraseña clave acceso cola configuración directorio sesión factura cancelación envío empresa economía promedio velocidad respuesta transferencia permiso cifrado almacenamiento actualización',
  French:
    'utilisateur clé accès file réglage répertoire connexion facture résiliation livraison société économie horodatage moyenne vitesse réponse virement autorisation chiffrement interface enregistrement mise jour',
  Italian: 'utente chiave accesso coda impostazione cartella fattura consegna velocità risposta permesso',
  Dutch: 'gebruiker sleutel toegang wachtrij instelling bestand factuur levering snelheid antwoord rechten',
}
const plain = (word: string): string => word.normalize('NFD').replace(/\P{ASCII}/gu, '')
const large = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1)
const JOINS: readonly ((a: string, b: string, c: string) => string)[] = [
  (a, b, c) => a + large(b) + large(c),
  (a, b, c) => `${a}_${b}_${c}`,
  (a, b, c) => `${a}-${b}-${c}`,
  (a, b, c) => `${a}_${b}_${c}`.toUpperCase(),
  (a, b, c) => a + b + c,
]
const letters = (text: string): number => text.replace(/[^A-Za-z]/g, '').length

describe('random letters', () => {
  test.each([
    ['small', 16, 3, LOWER],
    ['small', 24, 1, LOWER],
    ['capital', 24, 1, UPPER],
    ['mixed', 24, 1, LOWER + UPPER],
    ['mixed', 32, 1, LOWER + UPPER],
    ['mixed with digits', 24, 1, `${LOWER}${UPPER}0123456789`],
    ['mixed with digits', 40, 1, `${LOWER}${UPPER}0123456789`],
  ])('%s, %d of them, pass for a name in less than %d of 100', (_, length, percent, set) => {
    const values = Array.from({ length: 5000 }, () => draw(set, length))
    expect(values.filter(isNameLike).length).toBeLessThan((values.length * percent) / 100)
  })

  it('are found behind every sign, and whatever the adapter leaves out', async () => {
    const forms: readonly ((value: string) => string)[] = [
      (value) => `https://api.example.org/v1/jobs?token=${value}&page=2`,
      (value) => `deploy --api-key=${value} now`,
      (value) => `deploy --api-key ${value} now`,
      (value) => `{"client_secret": "${value}"}`,
      (value) => `api_key: ${value}`,
    ]
    const counts = { values: 0, missed: 0, inBytes: 0 }
    // One for all values: each begins with an expression per mark.
    const [reader, other] = [createScanner(), createScanner()]
    for (const set of [LOWER, UPPER, LOWER + UPPER])
      for (let round = 0; round < 30; round++) {
        const value = draw(set, 24)
        const text = forms[round % forms.length]?.(value) ?? ''
        counts.values++
        if ((await other.find(text)).length === 0) counts.missed++
        if (text.includes(' --api-key ')) continue
        reader.onRaw(Buffer.from(`${JSON.stringify({ line: text })}\n`))
        if ((await reader.find(`it was ${value} once`)).length === 0) counts.inBytes++
      }
    expect(counts.values).toBe(90)
    expect(counts.missed).toBeLessThanOrEqual(2)
    expect(counts.inBytes).toBeLessThanOrEqual(2)
  })
})

describe('names', () => {
  it('of this program: at most 3 in 1,000 are taken for random letters', () => {
    const names = new Set<string>()
    for (const file of readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }))
      if (file.endsWith('.ts') && !file.startsWith('secrets'))
        for (const [name] of readFileSync(join(root, 'src', file), 'utf8').matchAll(/[A-Za-z_]\w{11,}/g))
          if (letters(name) >= 12) names.add(name)
    const wrong = [...names].filter((name) => !isNameLike(name))
    expect(names.size).toBeGreaterThan(1000)
    expect(wrong.length, wrong.join(' ')).toBeLessThanOrEqual(names.size * 0.003)
  })

  test.each(Object.entries(FOREIGN))('of three words in %s: at most 1 in 100', (_, text) => {
    const words = text.split(' ').map(plain)
    const pick = (): string => words[Math.floor(random() * words.length)] ?? ''
    const names = Array.from({ length: 2000 }, (_, at) =>
      (JOINS[at % JOINS.length] as (typeof JOINS)[number])(pick(), pick(), pick()),
    ).filter((name) => letters(name) >= 12)
    const wrong = names.filter((name) => !isNameLike(name))
    expect(names.length).toBeGreaterThan(1500)
    expect(wrong.length, wrong.slice(0, 9).join(' ')).toBeLessThanOrEqual(names.length / 100)
  })

  test.each([
    'HTTPSConnectionPool',
    'XMLHttpRequest2Factory',
    'kubectlApplyConfig',
    'nginxReverseProxyConf',
    'kubectl-nginx-xmlns',
    'npmrcAuthTokenName',
    'strncpy_fchmodat_fn',
    'mkdtempSyncOrThrow',
    'RTCPeerConnection',
    'MAX_RETRIES_PER_HOST_3',
  ])('%s', (name) => {
    expect(isNameLike(name)).toBe(true)
  })
})
