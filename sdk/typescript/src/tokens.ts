import type { Caller } from './call.js'
import { type IDToken, problemOf } from './id_token.js'
import { LoginError } from './login_error.js'

/** Claims are the content of a token. Times are Unix seconds. */
export interface Claims {
  iss: string
  /** The person: stable for the tenant and its mode. Keep it as the key of your accounts, not the number. */
  sub: string
  aud: string
  client_id: string
  iat: number
  nbf: number
  exp: number
  jti: string
  /** When the words came. */
  auth_time: number
  amr: string[]
  tenant_id: string
  mode: 'LIVE' | 'TEST'
  provider: 'whatsapp' | 'sandbox' | (string & {})
  /** In E.164, with a plus. */
  phone_number: string
  phone_number_verified: boolean
  /** What the person calls themselves; unverified. */
  name?: string
}

/** Expected is what a token must say. */
export interface Expected {
  issuer: string
  clientId: string
  mode: 'LIVE' | 'TEST'
}

const CACHE_MS = 5 * 60_000 // as the service says of its keys
const AGAIN_MS = 60_000 // for a key that is not known, no sooner
const LEEWAY_S = 60
const MAX_TOKEN = 16 << 10
const MAX_KEYS = 32

interface Key {
  kty?: string
  kid?: string
  alg?: string
  use?: string
  n?: string
  e?: string
}

/** Verifier checks tokens by the service's keys, which it keeps. */
export class Verifier {
  readonly #caller: Caller
  readonly #expected: Expected
  readonly #now: () => number
  #keys = new Map<string, CryptoKey>()
  #fetchedAt = -Infinity
  #fetching: Promise<void> | undefined

  constructor(caller: Caller, expected: Expected, now: () => number) {
    this.#caller = caller
    this.#expected = expected
    this.#now = now
  }

  /** verify returns what a token says, once everything about it is right; or rejects with a LoginError `invalid_token`. */
  async verify(token: string): Promise<Claims> {
    const claims = await this.#signed<Claims>(token, /^(application\/)?at\+jwt$/i, 'it is no access token')
    this.#check(claims)
    if (!(typeof claims.nbf === 'number' && this.#now() / 1000 > claims.nbf - LEEWAY_S)) throw invalid('it is not valid yet: is the clock right?')
    if (typeof claims.sub !== 'string' || claims.sub === '') throw invalid('it names nobody')
    return claims
  }

  /** verifyIDToken returns the content of the ID token that came with an access token, once it answers the login of the nonce. */
  async verifyIDToken(token: string | undefined, nonce: string, accessToken: string, { sub }: Claims): Promise<IDToken> {
    if (!token) throw invalid('the service has sent no ID token')
    const claims = await this.#signed<IDToken>(token, /^jwt$/i, 'it is no ID token')
    this.#check(claims)
    if (!(typeof claims.iat === 'number' && this.#now() / 1000 > claims.iat - LEEWAY_S)) throw invalid('it was issued in the future: is the clock right?')
    const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(accessToken)))
    const problem = problemOf(claims, { sub, nonce, atHash: base64url(hash.subarray(0, hash.length / 2)) })
    if (problem) throw invalid(problem)
    return { ...claims, raw: token }
  }

  /** #signed returns the claims of a token of a type that the service has signed. */
  async #signed<T>(token: string, type: RegExp, another: string): Promise<T> {
    const parts = typeof token === 'string' && token.length <= MAX_TOKEN ? token.split('.') : []
    const [head, payload, signature] = parts
    if (parts.length !== 3 || !head || !payload || !signature) throw invalid('it is no signed token')
    const header = jsonOf<{ alg?: unknown; typ?: unknown; kid?: unknown; crit?: unknown }>(head)
    if (header.alg !== 'RS256') throw invalid('its algorithm is not RS256')
    if (typeof header.typ !== 'string' || !type.test(header.typ)) throw invalid(another)
    if (typeof header.kid !== 'string') throw invalid('it names no key')
    if (header.crit !== undefined) throw invalid('it asks for more than this client knows')
    const key = await this.#key(header.kid)
    if (!key) throw invalid('its key is not one of the service')
    const signed = new TextEncoder().encode(`${head}.${payload}`)
    if (!(await crypto.subtle.verify('RSASSA-PKCS1-v1_5', key, bytesOf(signature), signed))) throw invalid('its signature is wrong')
    return jsonOf<T>(payload)
  }

  /** #check refuses claims of either kind that are not for this client now. */
  #check(claims: Pick<Claims, 'iss' | 'aud' | 'mode' | 'exp'>): void {
    const { issuer, clientId, mode } = this.#expected
    const seconds = this.#now() / 1000
    if (claims.iss !== issuer) throw invalid('another service has issued it')
    if (claims.aud !== clientId) throw invalid('it is for another application')
    if (claims.mode !== mode) throw invalid(`its mode is not ${mode}`)
    if (!(typeof claims.exp === 'number' && seconds < claims.exp + LEEWAY_S)) throw invalid('it has expired')
  }

  async #key(kid: string): Promise<CryptoKey | undefined> {
    const age = Math.abs(this.#now() - this.#fetchedAt)
    if (age < (this.#keys.has(kid) ? CACHE_MS : AGAIN_MS)) return this.#keys.get(kid)
    try {
      this.#fetching ??= this.#fetch().finally(() => (this.#fetching = undefined))
      await this.#fetching
    } catch (error) {
      const known = this.#keys.get(kid)
      if (!known) throw error
      return known // the service cannot be reached: keys change slowly
    }
    return this.#keys.get(kid)
  }

  async #fetch(): Promise<void> {
    const { keys } = await this.#caller.json({ method: 'GET', path: '/.well-known/jwks.json' }) // for all who wait, so by nobody's signal
    if (!Array.isArray(keys) || keys.length > MAX_KEYS) throw new LoginError('invalid_keys', 'the service has no keys: is the issuer right?')
    const imported = new Map<string, CryptoKey>()
    for (const key of keys as (Key | null)[]) {
      const usable = key && (await importKey(key))
      if (usable && key.kid) imported.set(key.kid, usable)
    }
    this.#keys = imported
    this.#fetchedAt = this.#now()
  }
}

/** importKey returns undefined for a key that signs no tokens. */
async function importKey({ kty, alg = 'RS256', use = 'sig', n, e }: Key): Promise<CryptoKey | undefined> {
  if (kty !== 'RSA' || alg !== 'RS256' || use !== 'sig' || !n || !e) return undefined
  try {
    const key = await crypto.subtle.importKey('jwk', { kty, n, e, alg, ext: true }, { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }, false, ['verify'])
    const bits = (key.algorithm as RsaHashedKeyAlgorithm).modulusLength
    return bits >= 2048 && bits <= 8192 ? key : undefined
  } catch {
    return undefined
  }
}

function invalid(problem: string): LoginError {
  return new LoginError('invalid_token', `the token is not to be trusted: ${problem}`)
}

function jsonOf<T>(part: string): T {
  try {
    const value: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytesOf(part)))
    if (typeof value === 'object' && value !== null) return value as T
  } catch {
    // Refused below.
  }
  throw invalid('it cannot be read')
}

/** bytesOf reads base64url, of which there is one way to write each. */
function bytesOf(part: string): Uint8Array<ArrayBuffer> {
  if (!/^[A-Za-z0-9_-]+$/.test(part) || part.length % 4 === 1) throw invalid('it cannot be read')
  const bytes = Uint8Array.from(atob(part.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0))
  if (base64url(bytes) !== part) throw invalid('it cannot be read')
  return bytes
}

/** base64url writes bytes so that they fit into addresses. */
export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes)).replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')
}
