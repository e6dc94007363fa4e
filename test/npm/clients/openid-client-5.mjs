import { generators, Issuer } from 'openid-client-5'
import { verify } from './token.mjs'

export async function discover({ issuer, clientId, clientSecret, method, redirectUri, tokenEndpoint }) {
  let server = await Issuer.discover(`${issuer}/.well-known/oauth-authorization-server`)
  if (tokenEndpoint) server = new Issuer({ ...server.metadata, token_endpoint: tokenEndpoint })
  const client = new server.Client({
    client_id: clientId,
    client_secret: clientSecret,
    token_endpoint_auth_method: method,
    redirect_uris: [redirectUri],
    response_types: ['code'],
  })
  return {
    async start() {
      const verifier = generators.codeVerifier()
      const state = generators.state()
      const url = client.authorizationUrl({
        scope: undefined,
        state,
        code_challenge: generators.codeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url, state, verifier }
    },
    finish: (back, { state, verifier }) =>
      client.oauthCallback(redirectUri, client.callbackParams(back.href), { state, code_verifier: verifier, response_type: 'code' }),
    verify: (token, expected = server.metadata) => verify(expected, clientId, token),
    metadata: server.metadata,
  }
}
