import * as client from 'openid-client'
import { verify } from './token.mjs'

export async function discover({ issuer, clientId, clientSecret, method, redirectUri, tokenEndpoint, openid }) {
  const auth = {
    none: () => client.None(),
    client_secret_post: () => client.ClientSecretPost(clientSecret),
    client_secret_basic: () => client.ClientSecretBasic(clientSecret),
  }[method]()
  let config = await client.discovery(new URL(issuer), clientId, undefined, auth, {
    algorithm: openid ? 'oidc' : 'oauth2',
    execute: [client.allowInsecureRequests],
  })
  const metadata = config.serverMetadata()
  if (tokenEndpoint) {
    config = new client.Configuration({ ...metadata, token_endpoint: tokenEndpoint }, clientId, undefined, auth)
    client.allowInsecureRequests(config)
  }
  return {
    async start() {
      const verifier = client.randomPKCECodeVerifier()
      const state = client.randomState()
      const nonce = openid && client.randomNonce()
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        state,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(openid && { scope: 'openid profile phone', nonce }),
      })
      return { url, state, verifier, nonce }
    },
    async finish(back, { state, verifier, nonce }) {
      const checks = { expectedState: state, pkceCodeVerifier: verifier }
      if (!openid) return client.authorizationCodeGrant(config, back, checks)
      const tokens = await client.authorizationCodeGrant(config, back, { ...checks, expectedNonce: nonce, idTokenExpected: true })
      const claims = tokens.claims()
      return { ...tokens, id: claims, person: await client.fetchUserInfo(config, tokens.access_token, claims.sub) }
    },
    verify: (token, expected = metadata) => verify(expected, clientId, token),
    metadata,
  }
}
