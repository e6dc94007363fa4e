// Signs people in with openid-client, in the steps of its README.
import express from 'express'
import session from 'express-session'
import * as client from 'openid-client'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, SESSION_KEY, PEOPLE } = process.env
const { origin, pathname, port } = new URL(REDIRECT_URI)
const people = PEOPLE.split(' ')

const config = await client.discovery(new URL(ISSUER), CLIENT_ID, CLIENT_SECRET)
const app = express()
app.use(session({ secret: SESSION_KEY, resave: false, saveUninitialized: false }))
app.get('/login', async (request, response) => {
  const code_verifier = client.randomPKCECodeVerifier()
  const parameters = {
    redirect_uri: REDIRECT_URI,
    scope: 'openid profile phone',
    code_challenge: await client.calculatePKCECodeChallenge(code_verifier),
    code_challenge_method: 'S256',
  }
  let state
  if (!config.serverMetadata().supportsPKCE()) parameters.state = state = client.randomState()
  request.session.login = { code_verifier, state }
  response.redirect(client.buildAuthorizationUrl(config, parameters).href)
})
app.get(pathname, async (request, response) => {
  const { login } = request.session
  if (!login) return response.status(400).send('This browser started no login.')
  delete request.session.login
  const tokens = await client.authorizationCodeGrant(config, new URL(request.originalUrl, origin), {
    pkceCodeVerifier: login.code_verifier,
    expectedState: login.state,
  })
  request.session.regenerate(() => {
    request.session.person = tokens.claims()
    response.redirect('/')
  })
})
app.use((request, response) => {
  const { person } = request.session
  if (!person) response.redirect('/login')
  else if (people.includes(person.phone_number)) response.json(person)
  else response.status(403).send('You are not on the list.')
})
app.listen(port, '127.0.0.1')
