import * as client from 'openid-client'
import { verify } from './token.mjs'

export async function discover({ issuer, clientId, clientSecret, method, redirectUri, tokenEndpoint }) {
  const auth = {
    none: () => client.None(),
    client_secret_post: () => client.ClientSecretPost(clientSecret),
    client_secret_basic: () => client.ClientSecretBasic(clientSecret),
  }[method]()
  let config = await client.discovery(new URL(issuer), clientId, undefined, auth, {
    algorithm: 'oauth2',
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
      const url = client.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        state,
        code_challenge: await client.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url, state, verifier }
    },
    finish: (back, { state, verifier }) =>
      client.authorizationCodeGrant(config, back, { expectedState: state, pkceCodeVerifier: verifier }),
    verify: (token, expected = metadata) => verify(expected, clientId, token),
    metadata,
  }
}
