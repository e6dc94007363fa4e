import type { CallOptions } from './call.js'
import { LoginError } from './login_error.js'
import { type Attempt, OAuth, type SignedIn, type StartOptions } from './oauth.js'

export type { CallOptions, Options } from './call.js'
export { ArgumentError, GriotError, isCode, UnansweredError } from './errors.js'
export type { IDToken } from './id_token.js'
export { LoginError } from './login_error.js'
export { OAuth } from './oauth.js'
export type { Attempt, Introspection, LoginOptions, Metadata, Profile, Scope, SignedIn, StartOptions, TokenResponse } from './oauth.js'
export { PageLogin } from './page_login.js'
export type { Claims } from './tokens.js'

const COOKIE_SECONDS = 300 // a login lasts 90 seconds, and its code is handed back for 120 more at most

/** Login signs people in to a website with a server. */
export class Login extends OAuth {
  /**
   * Starts a login. Answer with 303 to `url`, and with `cookie` as Set-Cookie: it holds the state and the verifier for
   * this browser. Each login has a cookie of its own, so that two tabs don't disturb each other.
   */
  async start(o: StartOptions = {}): Promise<Attempt & { url: string; cookie: string }> {
    const made = await this.attempt(o)
    const kept = [made.state, made.verifier, made.nonce].filter(Boolean).join('.')
    return { ...made, cookie: this.#cookie(made.state, kept, COOKIE_SECONDS) }
  }

  /**
   * Ends a login, at the redirect address: `returned` is the request's address, whole or from its path on, and `cookies`
   * its Cookie header, or what {@link start} gave where you have kept that yourself. It resolves with who has signed in,
   * and with a `cookie` that removes the login's; or rejects with a {@link LoginError}, a GriotError when the service
   * refuses the code, or an UnansweredError. In all these the person starts again.
   */
  async finish(returned: string | URL, cookies: string | null | undefined | Attempt, o: CallOptions = {}): Promise<SignedIn & { cookie: string }> {
    const q = new URL(returned, this.redirectUri).searchParams
    const state = q.get('state') ?? ''
    const attempt = typeof cookies === 'object' && cookies !== null ? cookies : this.#attemptOf(state, cookies ?? '')
    const signedIn = await this.complete(q, attempt, o)
    return { ...signedIn, cookie: this.#cookie(state, '', 0) }
  }

  #attemptOf(state: string, cookies: string): Attempt {
    const name = this.#cookieName(state)
    for (const pair of cookies.split(';')) {
      const [own, value = ''] = pair.trim().split('=', 2)
      const [kept, verifier, nonce] = value.split('.', 3)
      if (own === name && kept && verifier) return { state: kept, verifier, ...(nonce && { nonce }) }
    }
    throw new LoginError('no_login', 'this browser has started no login, or one that is over')
  }

  #cookieName(state: string): string {
    return `${this.#secure ? '__Host-' : ''}griot_login_${state.slice(0, 8)}`
  }

  #cookie(state: string, value: string, seconds: number): string {
    return `${this.#cookieName(state)}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${this.#secure ? '; Secure' : ''}`
  }

  get #secure(): boolean {
    return this.redirectUri.startsWith('https:')
  }
}
