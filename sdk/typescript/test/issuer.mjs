// A login service that signs whatever a test wants.
import { serve } from './service.mjs'

const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) }
const base64url = (data) => Buffer.from(data).toString('base64url')

/** keyOf makes a signing key. */
export async function keyOf(kid) {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
  const { kty, n, e } = await crypto.subtle.exportKey('jwk', publicKey)
  return { kid, privateKey, jwk: { kty, n, e, kid, alg: 'RS256', use: 'sig' } }
}

/** tokenOf signs claims. */
export async function tokenOf(key, claims, header = {}) {
  const signed = [{ alg: 'RS256', typ: 'at+jwt', kid: key.kid, ...header }, claims].map((part) => base64url(JSON.stringify(part))).join('.')
  return `${signed}.${base64url(await crypto.subtle.sign('RSASSA-PKCS1-v1_5', key.privateKey, new TextEncoder().encode(signed)))}`
}

export const clientId = 'cl_live_01J9ZK3V8Q5W6X7Y8Z9A0B1C2D'

/** issuerOf starts a login service whose keys and whose tokens a test may change. */
export async function issuerOf(t, first) {
  const issuer = { keys: [first], token: '', idToken: undefined, fetched: 0, exchange: undefined, time: 1772366400_000 }
  const service = await serve(t, async (request, response, body) => {
    response.setHeader('content-type', 'application/json')
    if (request.url === '/.well-known/jwks.json') {
      issuer.fetched++
      if (issuer.broken) return issuer.broken(request, response)
      return response.end(JSON.stringify({ keys: [{ kty: 'EC' }, ...issuer.keys.map((k) => k.jwk)] }))
    }
    if (issuer.exchange) return issuer.exchange(request, response, body)
    if (request.url === '/oauth2/introspect') return response.end('{"active":false}')
    if (request.url === '/oauth2/revoke') return response.end()
    response.end(JSON.stringify({ token: issuer.token, access_token: issuer.token, id_token: issuer.idToken, profile: { id: '01J9PERSON' } }))
  })
  issuer.service = service
  issuer.claims = (more = {}) => ({
    iss: service.url, sub: '01J9PERSON', aud: clientId, client_id: clientId, mode: 'LIVE', iat: issuer.time / 1000, nbf: issuer.time / 1000, exp: issuer.time / 1000 + 900,
    phone_number: '+22376543210', phone_number_verified: true, ...more,
  })
  issuer.options = (more = {}) => ({
    issuer: service.url, clientId, redirectUri: 'https://shop.example/callback', now: () => issuer.time, sleep: async () => {}, ...more,
  })
  return issuer
}
