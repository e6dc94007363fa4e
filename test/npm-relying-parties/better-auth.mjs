// Signs people in with better-auth and its plugin genericOAuth, without a database. The page shows the account.
import { betterAuth } from 'better-auth'
import { fromNodeHeaders, toNodeHandler } from 'better-auth/node'
import { genericOAuth } from 'better-auth/plugins'
import express from 'express'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, SESSION_KEY, PLACEHOLDER } = process.env
const { origin, port } = new URL(REDIRECT_URI)

const auth = betterAuth({
  baseURL: origin,
  secret: SESSION_KEY,
  plugins: [
    genericOAuth({
      config: [
        {
          providerId: 'griot',
          discoveryUrl: `${ISSUER}/.well-known/openid-configuration`,
          clientId: CLIENT_ID,
          clientSecret: CLIENT_SECRET,
          scopes: ['openid', 'profile', 'email'],
          mapProfileToUser: PLACEHOLDER ? ({ sub }) => ({ email: `${sub}@${PLACEHOLDER}` }) : undefined,
        },
      ],
    }),
  ],
})
const app = express()
app.all('/api/auth/*path', toNodeHandler(auth))
app.use(async (request, response) => {
  const session = await auth.api.getSession({ headers: fromNodeHeaders(request.headers) })
  response.status(session ? 200 : 401).json(session?.user)
})
app.listen(port, '127.0.0.1')
