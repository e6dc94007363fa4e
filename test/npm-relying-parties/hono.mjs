// Signs people in with Hono's middleware for OpenID Connect. The page shows the claims.
import { serve } from '@hono/node-server'
import { initOidcAuthMiddleware, getAuth, oidcAuthMiddleware, processOAuthCallback } from '@hono/oidc-auth'
import { Hono } from 'hono'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, SESSION_KEY, PEOPLE } = process.env
const { pathname, port } = new URL(REDIRECT_URI)

const app = new Hono()
app.use(initOidcAuthMiddleware({
  OIDC_ISSUER: ISSUER,
  OIDC_CLIENT_ID: CLIENT_ID,
  OIDC_CLIENT_SECRET: CLIENT_SECRET,
  OIDC_REDIRECT_URI: REDIRECT_URI,
  OIDC_AUTH_SECRET: SESSION_KEY,
  OIDC_SCOPES: 'openid profile phone',
}))
app.use(async (context, next) => {
  // By default, the session only has the sub and the email.
  context.set('oidcClaimsHook', async (previous, { sub, phone_number, name }) => previous ?? { sub, phone_number, name })
  await next()
})
app.get(pathname, (context) => processOAuthCallback(context))
app.use(oidcAuthMiddleware())
app.get('*', async (context) => {
  const { sub, phone_number, name } = await getAuth(context)
  return PEOPLE.split(' ').includes(phone_number) ? context.json({ sub, phone_number, name }) : context.text('You are not on the list.', 403)
})
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: Number(port) })
