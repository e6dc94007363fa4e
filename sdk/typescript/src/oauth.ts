import { type CallOptions, Caller, type Options } from './call.js'
import { ArgumentError } from './errors.js'
import type { components } from './generated/auth.js'
import type { IDToken } from './id_token.js'
import { LoginError } from './login_error.js'
import { base64url, type Claims, Verifier } from './tokens.js'

export type TokenResponse = components['schemas']['TokenResponse'] & { requestId: string }
export type Introspection = components['schemas']['Introspection'] & { requestId: string }
export type Profile = components['schemas']['Profile']
export type Metadata = components['schemas']['Metadata'] & { requestId: string }

/** LoginOptions say who signs people in, and by whom. */
export interface LoginOptions extends Options {
  /** The login service, such as https://login.example.com, without a slash at the end. */
  issuer: string
  clientId: string
  /** Of a CONFIDENTIAL client. Never in a page. */
  clientSecret?: string
  /** One of the client's addresses, character for character. */
  redirectUri: string
  /** Of the client. A TEST token proves nothing: anyone can make one in the sandbox. Default: LIVE. */
  mode?: 'LIVE' | 'TEST'
  /**
   * Make each login one of OpenID Connect, with an ID token: `openid`, and `profile` (the name) and `phone` (the number)
   * beside it. Without them: a login by OAuth 2.0 alone.
   */
  scopes?: Scope[]
  /** The time, in Unix milliseconds; for tests. */
  now?: () => number
}

/** Scope is one of OpenID Connect. */
export type Scope = 'openid' | 'profile' | 'phone'

const SCOPES = ['openid', 'profile', 'phone']

/** StartOptions are of one login. */
export interface StartOptions {
  /** The languages of the waiting page, the best first: `fr en`. */
  uiLocales?: string
  /**
   * The `IDToken.raw` of the person who must sign in again. Another person ends the login with the LoginError
   * `login_required`. The hint makes the login one of OpenID Connect. A browser can leave it out, so compare `claims.sub`
   * with the person of your session.
   */
  idTokenHint?: string
}

/** Attempt is what the browser that starts a login keeps until it is back. */
export interface Attempt {
  state: string
  /** The PKCE verifier. */
  verifier: string
  /** Of a login by OpenID Connect. */
  nonce?: string
}

/** SignedIn is who has signed in, after everything was checked. */
export interface SignedIn {
  /** What the token says: `sub` is the person. */
  claims: Claims
  profile: Profile
  token: string
  /** Absent without {@link LoginOptions.scopes} and {@link StartOptions.idTokenHint}. */
  idToken?: IDToken
}

/** OAuth is one client of a login service. Pages and servers stand on it. */
export class OAuth {
  readonly issuer: string
  readonly clientId: string
  readonly redirectUri: string
  readonly #secret: string | undefined
  readonly #scope: string
  readonly #caller: Caller
  readonly #verifier: Verifier

  constructor(o: LoginOptions) {
    if (!o.clientId) throw new ArgumentError('clientId', 'there is no client id')
    if (!URL.canParse(o.redirectUri) || o.redirectUri.includes('#')) throw new ArgumentError('redirectUri', 'the redirect address must be a whole one')
    const mode = o.mode ?? 'LIVE'
    if (mode !== 'LIVE' && mode !== 'TEST') throw new ArgumentError('mode', 'the mode is LIVE or TEST')
    const scopes = o.scopes ?? []
    if ((scopes.length > 0 && !scopes.includes('openid')) || scopes.some((s) => !SCOPES.includes(s))) {
      throw new ArgumentError('scopes', 'the scopes are openid, and profile and phone beside it')
    }
    this.issuer = String(o.issuer).replace(/\/+$/, '')
    this.clientId = o.clientId
    this.redirectUri = o.redirectUri
    this.#secret = o.clientSecret || undefined
    this.#scope = scopes.join(' ')
    this.#caller = new Caller(this.issuer, {}, o, 'issuer')
    const expected = { issuer: this.issuer, clientId: this.clientId, mode }
    this.#verifier = new Verifier(this.#caller, expected, o.now ?? Date.now)
  }

  /** Makes a login: the address to send the browser to, and what the browser keeps until it is back. */
  async attempt(o: StartOptions = {}): Promise<Attempt & { url: string }> {
    const state = random()
    const verifier = random()
    const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
    const q = new URLSearchParams({
      response_type: 'code',
      client_id: this.clientId,
      redirect_uri: this.redirectUri,
      state,
      code_challenge: base64url(new Uint8Array(hash)),
      code_challenge_method: 'S256',
    })
    if (o.uiLocales) q.set('ui_locales', o.uiLocales)
    const scope = this.#scope || (o.idTokenHint ? 'openid' : '') // without it, the service does not read the hint
    const nonce = scope ? { nonce: random() } : {}
    for (const [name, value] of Object.entries({ id_token_hint: o.idTokenHint, scope, ...nonce })) if (value) q.set(name, value)
    return { url: `${this.issuer}/authorize?${q}`, state, verifier, ...nonce }
  }

  /**
   * Returns where to send the browser of a person who signs out, once their session at the application has ended. There, the
   * access token of the ID token's login ends (`IDToken.raw`; it can have ended 30 days ago), and the browser returns to
   * `returnTo`, which must be one of the client's addresses for after sign-out, with `state`. Without `returnTo` it stays at
   * a page of the service.
   */
  signOutUrl(idToken: string, o: { returnTo?: string; state?: string } = {}): string {
    const q = new URLSearchParams({ id_token_hint: idToken, client_id: this.clientId })
    if (o.returnTo) q.set('post_logout_redirect_uri', o.returnTo)
    if (o.state) q.set('state', o.state)
    return `${this.issuer}/oauth2/logout?${q}`
  }

  /** Checks the address that the browser came back to against its attempt, exchanges the code, and checks the tokens. */
  async complete(returned: URLSearchParams, attempt: Attempt, o: CallOptions = {}): Promise<SignedIn> {
    if (!attempt.state || !attempt.verifier || (this.#scope && !attempt.nonce)) throw new LoginError('no_login', 'this browser has started no login, or one that is over')
    if (returned.get('state') !== attempt.state) throw new LoginError('state_mismatch', 'this is not the return of the login that this browser started')
    if (returned.get('iss') !== this.issuer) throw new LoginError('issuer_mismatch', 'another service has sent the browser back')
    const code = returned.get('code')
    if (!code) {
      throw new LoginError(returned.get('error') ?? 'access_denied', returned.get('error_description') ?? 'the login was not completed')
    }
    const { access_token: token, profile, id_token } = await this.exchange(code, attempt.verifier, o)
    const claims = await this.verify(token)
    if (profile.id !== claims.sub) throw new LoginError('invalid_token', 'the profile is not that of the token')
    if (!attempt.nonce) return { claims, profile, token }
    return { claims, profile, token, idToken: await this.#verifier.verifyIDToken(id_token, attempt.nonce, token, claims) }
  }

  /**
   * Exchanges a code, which works once. It is not sent again when its answer is lost: that is an UnansweredError, and the
   * person starts again. Nothing of the answer is to be trusted before {@link verify} has checked the token.
   */
  async exchange(code: string, verifier: string, o: CallOptions = {}): Promise<TokenResponse> {
    const form = { grant_type: 'authorization_code', code, redirect_uri: this.redirectUri, code_verifier: verifier }
    return this.#post<TokenResponse>('/oauth2/token', form, o, true)
  }

  /** Returns what a token says, once it is this client's, of this issuer and mode, signed, and not over; else rejects with a LoginError. */
  verify(token: string): Promise<Claims> {
    return this.#verifier.verify(token)
  }

  /** Asks what one of the client's own tokens is worth now. For CONFIDENTIAL clients. */
  introspect(token: string, o: CallOptions = {}): Promise<Introspection> {
    return this.#post<Introspection>('/oauth2/introspect', { token }, o)
  }

  /** Gives one of the client's own tokens back. Whoever verifies tokens by the keys alone learns nothing of it. */
  async revoke(token: string, o: CallOptions = {}): Promise<void> {
    await this.#caller.empty(this.#form('/oauth2/revoke', { token }, o))
  }

  /**
   * Reads the service's metadata (RFC 8414). A service whose issuer is another is a LoginError `issuer_mismatch`: the
   * client's is wrong, or the service does not know its own address.
   */
  async metadata(o: CallOptions = {}): Promise<Metadata> {
    const metadata = (await this.#caller.json({ method: 'GET', path: '/.well-known/oauth-authorization-server', ...o })) as Metadata
    if (metadata.issuer !== this.issuer) throw new LoginError('issuer_mismatch', 'the service calls itself by another name')
    return metadata
  }

  async #post<T>(path: string, form: Record<string, string>, o: CallOptions, once = false): Promise<T> {
    return (await this.#caller.json({ ...this.#form(path, form, o), once })) as T
  }

  #form(path: string, form: Record<string, string>, o: CallOptions) {
    const body = new URLSearchParams({ ...form, client_id: this.clientId })
    if (this.#secret !== undefined) body.set('client_secret', this.#secret)
    // A form, which browsers send to another site without a preflight.
    return { method: 'POST' as const, path, body: body.toString(), headers: { 'content-type': 'application/x-www-form-urlencoded' }, ...o }
  }
}

function random(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

