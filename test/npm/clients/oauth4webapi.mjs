import * as oauth from 'oauth4webapi'
import { verify } from './token.mjs'

const http = { [oauth.allowInsecureRequests]: true }

export async function discover({ issuer, clientId, clientSecret, method, redirectUri, tokenEndpoint }) {
  const url = new URL(issuer)
  const as = await oauth.processDiscoveryResponse(url, await oauth.discoveryRequest(url, { algorithm: 'oauth2', ...http }))
  if (tokenEndpoint) as.token_endpoint = tokenEndpoint
  const client = { client_id: clientId }
  const auth = {
    none: () => oauth.None(),
    client_secret_post: () => oauth.ClientSecretPost(clientSecret),
    client_secret_basic: () => oauth.ClientSecretBasic(clientSecret),
  }[method]()
  return {
    async start() {
      const verifier = oauth.generateRandomCodeVerifier()
      const state = oauth.generateRandomState()
      const url = new URL(as.authorization_endpoint)
      url.search = new URLSearchParams({
        client_id: clientId,
        redirect_uri: redirectUri,
        response_type: 'code',
        state,
        code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
      })
      return { url, state, verifier }
    },
    async finish(back, { state, verifier }) {
      const params = oauth.validateAuthResponse(as, client, back, state)
      const response = await oauth.authorizationCodeGrantRequest(as, client, auth, params, redirectUri, verifier, http)
      return oauth.processAuthorizationCodeResponse(as, client, response)
    },
    // Both of the panva family's verifiers must agree: this one is the strictest about RFC 9068.
    async verify(token, expected = as) {
      const request = new Request('http://127.0.0.1/', { headers: { authorization: `Bearer ${token}` } })
      await oauth.validateJwtAccessToken(expected, request, clientId, http)
      return verify(expected, clientId, token)
    },
    metadata: as,
  }
}
