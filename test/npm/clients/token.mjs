import { createRemoteJWKSet, jwtVerify } from 'jose'

// verify is what docs/login.md asks of an application's server, with jose.
export async function verify(metadata, clientId, token) {
  const { payload } = await jwtVerify(token, createRemoteJWKSet(new URL(metadata.jwks_uri)), {
    algorithms: ['RS256'],
    typ: 'at+jwt',
    issuer: metadata.issuer,
    audience: clientId,
    requiredClaims: ['exp', 'iat', 'sub', 'mode', 'phone_number'],
  })
  return payload
}
