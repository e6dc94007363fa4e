import type { CallOptions } from './call.js'
import { ArgumentError } from './errors.js'
import { LoginError } from './login_error.js'
import { type Attempt, type LoginOptions, OAuth, type SignedIn, type StartOptions } from './oauth.js'

/**
 * PageLogin signs people in to a single page without a server, as a PUBLIC client. The state and the verifier are in
 * `sessionStorage` until the browser is back. Where there is any server, let that exchange the code: a token in a page
 * belongs to every script of that page.
 */
export class PageLogin extends OAuth {
  constructor(o: LoginOptions) {
    if (o.clientSecret) throw new ArgumentError('clientSecret', 'a page keeps no secret: use a PUBLIC client')
    super(o)
  }

  /** Sends the browser to the login service. */
  async signIn(o: StartOptions = {}): Promise<void> {
    const { url, ...kept } = await this.attempt(o)
    sessionStorage.setItem(this.#name, JSON.stringify(kept))
    location.assign(url)
  }

  /**
   * Handles the return, when the page loads: undefined when nobody came back from this issuer, else who has signed in. It
   * takes the code out of the address, so that a reload does not exchange it again. It rejects as `Login.finish` does.
   */
  async handleReturn(o: CallOptions = {}): Promise<SignedIn | undefined> {
    const here = new URL(location.href)
    const returned = new URLSearchParams(here.search)
    const own = new URL(this.redirectUri)
    if (here.origin + here.pathname !== own.origin + own.pathname) return undefined
    if (returned.get('iss') !== this.issuer || !(returned.has('code') || returned.has('error'))) return undefined
    for (const name of ['code', 'state', 'iss', 'error', 'error_description']) here.searchParams.delete(name)
    history.replaceState(history.state, '', here)
    const kept = sessionStorage.getItem(this.#name)
    sessionStorage.removeItem(this.#name)
    if (kept === null) throw new LoginError('no_login', 'this tab has started no login')
    return this.complete(returned, JSON.parse(kept) as Attempt, o)
  }

  get #name(): string {
    return `griot.login.${this.clientId}`
  }
}
