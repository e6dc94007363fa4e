/** LoginError says why nobody was signed in. */
export class LoginError extends Error {
  override readonly name = 'LoginError'
  /**
   * `access_denied`: the login was not completed, and the message says why; offer to start again.
   * `login_required`: another person than that of the `idTokenHint` has sent the words.
   * `no_login`: this browser started no login, or one that is long over. `state_mismatch`, `issuer_mismatch`: the return
   * is not the answer to it. `invalid_token`: the token is not for this application. `invalid_keys`: what the issuer
   * publishes are no keys.
   */
  readonly code: 'access_denied' | 'login_required' | 'no_login' | 'state_mismatch' | 'issuer_mismatch' | 'invalid_token' | 'invalid_keys' | (string & {})

  constructor(code: LoginError['code'], problem: string) {
    super(problem)
    this.code = code
  }
}
