import { findByRules } from './find.ts'
import { tellingOf } from './names.ts'
import { isNameLike } from './public-value.ts'

/** True where a variable's name says that its value is secret; the name of a service alone does not. */
export function namesSecret(name: string): boolean {
  const telling = tellingOf(name, null)
  return telling !== null && telling !== 'vendor'
}

/** Names that hold a login or lead to one: `SSH_AUTH_SOCK`, `GOOGLE_APPLICATION_CREDENTIALS`. */
const LEADS_TO_LOGIN = /(?:^|_)(?:AUTH|KEYS?|TOKENS?|PASS|CREDS?|CREDENTIALS?|SECRETS?)(?:_|$)/i
/** Without its login no agent behind such a proxy reaches its model. */
const PROXY = /_PROXY$/i
/** A user and a password in an address. */
const LOGIN_IN_ADDRESS = /:\/\/[^\s/?#@]*:[^\s/?#]+@/

/** True where the name or the value of a variable shows that nobody but its owner should read it. */
export function isSecretVariable(name: string, value: string): boolean {
  if (PROXY.test(name)) return false
  if (LEADS_TO_LOGIN.test(name) || LOGIN_IN_ADDRESS.test(value)) return true
  const telling = tellingOf(name, null)
  if (telling === 'password' || telling === 'secret') return true
  if (telling === 'hint' && !isNameLike(value)) return true
  return findByRules(`${name}=${value}`).length > 0
}
