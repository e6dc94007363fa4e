import { text } from 'node:stream/consumers'
import { signIn } from './browser.mjs'

// Standard input: {issuer, redirectUri, client: {clientId, clientSecret, method}, other: {the same}, openid: with OpenID Connect}.
const { issuer, redirectUri, client: own, other, openid } = JSON.parse(await text(process.stdin))
const { discover } = await import(`./${process.argv[2]}.mjs`)
const client = await discover({ issuer, redirectUri, openid, ...own })

async function signedIn(as = client) {
  const pending = await as.start()
  const back = await signIn(pending.url)
  return { pending, back }
}

async function token(as = client) {
  const { pending, back } = await signedIn(as)
  return (await as.finish(back, pending)).access_token
}

// forged changes a part of a token: 0 is its header, 1 what it claims, 2 the signature.
function forged(token, part, change) {
  const parts = token.split('.')
  parts[part] = Buffer.from(change(Buffer.from(parts[part], 'base64url'))).toString('base64url')
  return parts.join('.')
}
const json = (change) => (bytes) => JSON.stringify({ ...JSON.parse(bytes), ...change })

const scenarios = {
  async 'sign in'() {
    const { pending, back } = await signedIn()
    const answer = await client.finish(back, pending)
    return { answer, claims: await client.verify(answer.access_token) }
  },
  async 'iss of another service in the redirect'() {
    const { pending, back } = await signedIn()
    back.searchParams.set('iss', 'https://attacker.example')
    await client.finish(back, pending)
  },
  async 'no iss in the redirect'() {
    const { pending, back } = await signedIn()
    back.searchParams.delete('iss')
    await client.finish(back, pending)
  },
  async 'state of another login in the redirect'() {
    const { pending, back } = await signedIn()
    back.searchParams.set('state', (await client.start()).state)
    await client.finish(back, pending)
  },
  async 'token of another service'() {
    await client.verify(await token(), { ...client.metadata, issuer: 'http://127.0.0.1:9' })
  },
  async 'token of another client'() {
    await client.verify(await token(await discover({ issuer, redirectUri, openid, ...other })))
  },
  async 'token with other claims'() {
    await client.verify(forged(await token(), 1, json({ phone_number: '+22376543210' })))
  },
  async 'token with another signature'() {
    await client.verify(forged(await token(), 2, (bytes) => { bytes[0] ^= 1; return bytes }))
  },
  async 'token without a signature'() {
    await client.verify(forged(forged(await token(), 0, json({ alg: 'none' })), 2, () => ''))
  },
  async 'code a second time'() {
    const { pending, back } = await signedIn()
    await client.finish(back, pending)
    await client.finish(back, pending)
  },
  async 'verifier of another login'() {
    const { pending, back } = await signedIn()
    await client.finish(back, { ...pending, verifier: (await client.start()).verifier })
  },
  async 'exchange at /token'() {
    await token(await discover({ issuer, redirectUri, openid, ...own, tokenEndpoint: `${issuer}/token` }))
  },
}

// why collects what a library says about a refusal, with what it wraps.
function why(error) {
  const said = []
  for (let e = error, depth = 0; e && depth < 3; e = e.cause, depth++) {
    const body = e.data?.payload ?? {} // simple-oauth2's name for the answer
    said.push(e.name, e.code, e.message, e.error, e.error_code, e.error_description, body.error, body.error_code)
  }
  return [...new Set(said.filter(Boolean))].join(' ')
}

for (const [name, play] of Object.entries(scenarios)) {
  let line
  try {
    line = { ...(await play()), accepted: true }
  } catch (error) {
    line = { refused: why(error) }
  }
  console.log(JSON.stringify({ name, ...line }))
}
