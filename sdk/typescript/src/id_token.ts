/** IDToken is the content of an ID token that belongs to the login and to its access token. Times are Unix seconds. */
export interface IDToken {
  iss: string
  /** The person, as in `Claims`. */
  sub: string
  aud: string
  iat: number
  exp: number
  /** When the words came. */
  auth_time: number
  nonce: string
  at_hash: string
  amr: string[]
  /** Names the login. */
  sid: string
  tenant_id: string
  mode: 'LIVE' | 'TEST'
  /** In E.164, with a plus; with the scope `phone`. */
  phone_number?: string
  phone_number_verified?: boolean
  /** What the person calls themselves, unverified; with the scope `profile`. */
  name?: string
  /** The token itself. Keep it for `StartOptions.idTokenHint` and `OAuth.signOutUrl`. */
  raw: string
}

/** problemOf says why signed claims are not the answer to a login, or undefined. */
export function problemOf(claims: IDToken, of: { sub: string; nonce: string; atHash: string }): string | undefined {
  if (!same(claims.nonce, of.nonce)) return 'it is of another login'
  if (!same(claims.at_hash, of.atHash)) return 'it belongs to another access token'
  if (claims.sub !== of.sub) return 'it names somebody else than the access token'
  return undefined
}

/** same compares in a time that depends on the length of `want` only. */
function same(got: unknown, want: string): boolean {
  const text = typeof got === 'string' ? got : ''
  let differ = text.length ^ want.length
  for (let i = 0; i < want.length; i++) differ |= text.charCodeAt(i) ^ want.charCodeAt(i)
  return differ === 0
}
