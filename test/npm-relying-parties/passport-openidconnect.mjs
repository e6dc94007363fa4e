// Signs people in with passport-openidconnect.
import express from 'express'
import session from 'express-session'
import passport from 'passport'
import Strategy from 'passport-openidconnect'

const { ISSUER, CLIENT_ID, CLIENT_SECRET, REDIRECT_URI, SESSION_KEY, PEOPLE } = process.env
const { pathname, port } = new URL(REDIRECT_URI)
const people = PEOPLE.split(' ')
const metadata = await (await fetch(`${ISSUER}/.well-known/openid-configuration`)).json()

passport.use('griot', new Strategy({
  issuer: ISSUER,
  authorizationURL: metadata.authorization_endpoint,
  tokenURL: metadata.token_endpoint,
  userInfoURL: metadata.userinfo_endpoint,
  clientID: CLIENT_ID,
  clientSecret: CLIENT_SECRET,
  callbackURL: REDIRECT_URI,
  scope: 'profile phone', // the library adds openid
  nonce: true,
}, (issuer, profile, idProfile, context, idToken, accessToken, refreshToken, params, done) => {
  const person = profile._json // the claims of userinfo
  done(null, person.sub === idProfile.id && person)
}))
passport.serializeUser((person, done) => done(null, person))
passport.deserializeUser((person, done) => done(null, person))

const app = express()
app.use(session({ secret: SESSION_KEY, resave: false, saveUninitialized: false }))
app.use(passport.session())
app.get(pathname, passport.authenticate('griot', { successRedirect: '/' }))
app.use((request, response, next) => {
  if (!request.user) passport.authenticate('griot')(request, response, next)
  else if (people.includes(request.user.phone_number)) next()
  else response.status(403).send('You are not on the list.')
})
app.use((request, response) => response.json(request.user))
app.listen(port, '127.0.0.1')
