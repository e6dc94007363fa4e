// Signs people in with the defaults of Auth.js, without a database. The page shows the account.
import { ExpressAuth, getSession } from '@auth/express'
import express from 'express'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, SESSION_KEY } = process.env

const config = {
  basePath: '/auth',
  secret: SESSION_KEY,
  trustHost: true,
  providers: [{ id: 'griot', name: 'Griot', type: 'oidc', issuer: ISSUER, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET }],
  callbacks: {
    // The default session only has a name, an email, and a picture.
    jwt: ({ token, account }) => (account ? { ...token, account: account.providerAccountId, user: token.sub } : token),
    session: ({ session, token }) => ({ ...session, user: { account: token.account, user: token.user, name: token.name } }),
  },
}
const app = express()
app.use('/auth', ExpressAuth(config))
app.use(async (request, response) => {
  const session = await getSession(request, config)
  response.status(session ? 200 : 401).json(session?.user)
})
app.listen(new URL(REDIRECT_URI).port, '127.0.0.1')
