import { generators, Issuer } from 'openid-client-5'
import { verify } from './token.mjs'

export async function discover({ issuer, clientId, clientSecret, method, redirectUri, tokenEndpoint, openid }) {
  let server = await Issuer.discover(openid ? issuer : `${issuer}/.well-known/oauth-authorization-server`)
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
      const nonce = openid && generators.nonce()
      const url = client.authorizationUrl({
        scope: openid ? 'openid profile phone' : undefined,
        nonce: nonce || undefined,
        state,
        code_challenge: generators.codeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url, state, verifier, nonce }
    },
    async finish(back, { state, verifier, nonce }) {
      const params = client.callbackParams(back.href)
      const checks = { state, code_verifier: verifier, response_type: 'code' }
      if (!openid) return client.oauthCallback(redirectUri, params, checks)
      const tokens = await client.callback(redirectUri, params, { ...checks, nonce })
      return { ...tokens, id: tokens.claims(), person: await client.userinfo(tokens) }
    },
    verify: (token, expected = server.metadata) => verify(expected, clientId, token),
    metadata: server.metadata,
  }
}
