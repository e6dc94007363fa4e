// A site that people sign in to by a message, with Express and Griot's client.
import { Login } from '@griot/client/login'
import { verify, WebhookError } from '@griot/client/webhook'
import express from 'express'
import { randomBytes } from 'node:crypto'

const { GRIOT_AUTH_URL, GRIOT_CLIENT_ID, GRIOT_CLIENT_SECRET, GRIOT_REDIRECT_URI, GRIOT_WEBHOOK_SECRET } = process.env
const here = new URL(GRIOT_REDIRECT_URI)

const login = new Login({ issuer: GRIOT_AUTH_URL, clientId: GRIOT_CLIENT_ID, clientSecret: GRIOT_CLIENT_SECRET, redirectUri: GRIOT_REDIRECT_URI })

const sessions = new Map() // who has signed in, by the value of their cookie; yours are in a database
const cookie = { httpOnly: true, sameSite: 'lax', secure: here.protocol === 'https:' }
const sessionOf = (request) => /(?:^|; )session=([^;]+)/.exec(request.get('cookie') ?? '')?.[1]

const app = express()

app.get('/', (request, response) => {
  const claims = sessions.get(sessionOf(request))
  response.set('cache-control', 'no-store').send(
    page(
      claims
        ? `<p>Signed in with ${claims.phone_number}.</p><form method="post" action="/logout"><button>Sign out</button></form>`
        : '<p>Your telephone number is your account.</p><p><a class="griot-button" href="/login"></a></p>',
    ),
  )
})

app.get('/login', async (request, response) => {
  const started = await login.start()
  response.append('set-cookie', started.cookie).redirect(303, started.url)
})

app.get(here.pathname, async (request, response) => {
  const finished = await login.finish(request.originalUrl, request.get('cookie')) // throws unless somebody has signed in
  const session = randomBytes(32).toString('base64url')
  sessions.set(session, finished.claims) // claims.sub is the key of your accounts: a number may change hands
  response.append('set-cookie', finished.cookie).cookie('session', session, cookie).redirect(303, '/')
})

app.post('/logout', (request, response) => {
  sessions.delete(sessionOf(request))
  response.clearCookie('session', cookie).redirect(303, '/')
})

// An event of the messaging API: store it, answer, and work afterward. The signature is over the bytes as they came.
app.post('/webhook', express.raw({ type: '*/*', limit: '1mb' }), async (request, response) => {
  const event = await verify(GRIOT_WEBHOOK_SECRET, request.headers, request.body)
  console.log('webhook', event.event, event.eventId) // drop an id that you have had
  response.status(204).end()
})

app.use((error, request, response, next) => {
  if (error instanceof WebhookError) return response.status(401).send('This is not signed by Griot.\n')
  console.error(error.message)
  response.status(400).send(page('<p>The login was not completed.</p><p><a href="/">Start again</a></p>'))
})

const page = (main) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Boutique</title>
<link rel="icon" href="data:,">
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 30rem; margin: 3rem auto; padding: 0 1rem } button { font: inherit }</style>
<link rel="stylesheet" href="${GRIOT_AUTH_URL}/button.css"><script src="${GRIOT_AUTH_URL}/button.js" async></script>
</head>
<body><main><h1>Boutique</h1>${main}</main></body>
</html>
`

app.listen(here.port, here.hostname)
