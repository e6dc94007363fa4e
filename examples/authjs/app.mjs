// A site that people sign in to by a message, with Auth.js and Express.
import { Auth, skipCSRFCheck } from '@auth/core'
import { ExpressAuth, getSession } from '@auth/express'
import express from 'express'
import { randomBytes } from 'node:crypto'

const { GRIOT_AUTH_URL: issuer, GRIOT_CLIENT_ID: clientId, GRIOT_CLIENT_SECRET: clientSecret } = process.env
const port = Number(process.env.PORT ?? 3000)

const griot = {
  id: 'griot',
  name: 'Griot',
  type: 'oidc',
  issuer,
  clientId,
  clientSecret,
  checks: ['pkce', 'state', 'nonce'],
  authorization: { params: { scope: 'openid phone' } },
  profile(claims) {
    if (claims.mode !== 'LIVE') throw new Error('a token of TEST, which anybody can get')
    return { id: claims.sub, name: claims.phone_number }
  },
}

const config = {
  basePath: '/auth',
  secret: process.env.AUTH_SECRET ?? randomBytes(32).toString('hex'), // its sessions end with the process without one
  trustHost: true, // behind a proxy that sets Host
  providers: [griot],
  pages: { error: '/failed' },
  callbacks: {
    // profile is there at the login only. sub is the key of your accounts: a number may change hands.
    jwt: ({ token, profile }) => (profile ? { sub: profile.sub, phone: profile.phone_number } : token),
    session: ({ session, token }) => ({ expires: session.expires, user: { id: token.sub, phone: token.phone } }),
  },
}

// act does what a form of Auth.js's own pages does, for a link or a form of ours.
const act = (action) => async (request, response) => {
  const url = `${request.protocol}://${request.get('host')}/auth/${action}`
  const headers = { cookie: request.get('cookie') ?? '', 'content-type': 'application/x-www-form-urlencoded' }
  const answer = await Auth(new Request(url, { method: 'POST', headers, body: 'callbackUrl=/' }), { ...config, skipCSRFCheck })
  for (const cookie of answer.headers.getSetCookie()) response.append('set-cookie', cookie)
  response.redirect(303, answer.headers.get('location'))
}

const app = express()
app.use('/auth', ExpressAuth(config))
app.get('/login', act('signin/griot'))
app.post('/logout', act('signout'))

app.get('/', async (request, response) => {
  const session = await getSession(request, config)
  response.set('cache-control', 'no-store').send(
    page(
      session
        ? `<p>Signed in with ${session.user.phone}.</p><form method="post" action="/logout"><button>Sign out</button></form>`
        : '<p>Your telephone number is your account.</p><p><a class="griot-button" href="/login"></a></p>',
    ),
  )
})

app.get('/failed', (request, response) => {
  response.status(400).send(page('<p>The login was not completed.</p><p><a href="/">Start again</a></p>'))
})

const page = (main) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Boutique</title>
<link rel="icon" href="data:,">
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 3rem auto; padding: 0 1rem } button { font: inherit }</style>
<link rel="stylesheet" href="${issuer}/button.css"><script src="${issuer}/button.js" async></script>
</head>
<body><main><h1>Boutique</h1>${main}</main></body>
</html>
`

app.listen(port, '127.0.0.1')
