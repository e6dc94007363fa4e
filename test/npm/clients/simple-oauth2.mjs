import { createHash, randomBytes } from 'node:crypto'
import { AuthorizationCode } from 'simple-oauth2'
import { verify } from './token.mjs'

// It knows neither discovery nor RFC 9207: the application hands it the addresses, and iss is checked in the token.
export async function discover({ issuer, clientId, clientSecret, method, redirectUri, tokenEndpoint }) {
  const metadata = await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()
  const path = (address) => new URL(address).pathname
  const client = new AuthorizationCode({
    client: { id: clientId, secret: clientSecret ?? '' },
    auth: { tokenHost: metadata.issuer, tokenPath: path(tokenEndpoint ?? metadata.token_endpoint), authorizePath: path(metadata.authorization_endpoint) },
    options: { authorizationMethod: method === 'client_secret_basic' ? 'header' : 'body' },
  })
  return {
    async start() {
      const verifier = randomBytes(32).toString('base64url')
      const state = randomBytes(16).toString('base64url')
      const url = client.authorizeURL({
        redirect_uri: redirectUri,
        state,
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      })
      return { url, state, verifier }
    },
    async finish(back, { verifier }) {
      const { token } = await client.getToken({ code: back.searchParams.get('code'), redirect_uri: redirectUri, code_verifier: verifier })
      return token
    },
    verify: (token, expected = metadata) => verify(expected, clientId, token),
    metadata,
  }
}
