// Signs someone in with AppAuth-JS, as a command-line program, and prints the claims of userinfo.
import { register } from 'node:module'

// AppAuth-JS 1.4.0 imports its own files without their ending, as only bundlers allow.
register(`data:text/javascript,export const resolve = (name, context, next) => next(name, context).catch(() => next(name + '.js', context))`)
const { AuthorizationNotifier, AuthorizationRequest, AuthorizationServiceConfiguration, BaseTokenRequestHandler, GRANT_TYPE_AUTHORIZATION_CODE, TokenRequest } = await import('@openid/appauth')
const { NodeBasedHandler, NodeCrypto, NodeRequestor } = await import('@openid/appauth/built/src/node_support/index.js')

const { ISSUER, CLIENT_ID, REDIRECT_URI } = process.env
const requestor = new NodeRequestor()
const client = { client_id: CLIENT_ID, redirect_uri: REDIRECT_URI }

const service = await AuthorizationServiceConfiguration.fetchFromIssuer(ISSUER, requestor)
const notifier = new AuthorizationNotifier()
const handler = new NodeBasedHandler(Number(new URL(REDIRECT_URI).port))
handler.setAuthorizationNotifier(notifier)
notifier.setAuthorizationListener(async (request, response, error) => {
  if (!response) throw new Error(error?.error)
  const token = await new BaseTokenRequestHandler(requestor).performTokenRequest(service, new TokenRequest({
    ...client, grant_type: GRANT_TYPE_AUTHORIZATION_CODE, code: response.code, extras: { code_verifier: request.internal.code_verifier },
  }))
  const person = await fetch(service.userInfoEndpoint, { headers: { authorization: `Bearer ${token.accessToken}` } })
  console.log(await person.text())
})
handler.performAuthorizationRequest(service, new AuthorizationRequest({ ...client, scope: 'openid profile', response_type: AuthorizationRequest.RESPONSE_TYPE_CODE }, new NodeCrypto()))
