import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, test } from 'node:test'
import { ArgumentError, Login, LoginError } from '../dist/login.js'
import { issuerOf, keyOf, tokenOf } from './issuer.mjs'

let key, second
before(async () => ([key, second] = await Promise.all([keyOf('one'), keyOf('two')])))

const returnOf = (issuer, state, more = {}) => `/callback?${new URLSearchParams({ code: 'code', state, iss: issuer.service.url, ...more })}`

/** answer sets the tokens that the service gives for a code, with changes of the ID token. */
async function answer(issuer, nonce, claims = {}, header = {}, signer = key) {
  issuer.token = await tokenOf(key, issuer.claims({ jti: nonce }))
  const at_hash = createHash('sha256').update(issuer.token).digest().subarray(0, 16).toString('base64url')
  const changes = typeof claims === 'function' ? claims(nonce) : claims
  const own = { nbf: undefined, client_id: undefined, nonce, at_hash, auth_time: issuer.time / 1000 - 3, sid: 's1', tenant_id: 'tn', name: 'Awa' }
  issuer.idToken = await tokenOf(signer, issuer.claims({ ...own, ...changes }), { typ: 'JWT', ...header })
}

test('a login by OpenID Connect has an ID token', async (t) => {
  const issuer = await issuerOf(t, key)
  const login = new Login(issuer.options({ scopes: ['openid', 'profile', 'phone'] }))
  const { url, state, verifier, nonce, cookie } = await login.start()
  const q = new URL(url).searchParams
  assert.deepEqual([q.get('scope'), q.get('nonce'), q.has('id_token_hint')], ['openid profile phone', nonce, false])
  assert.match(nonce, /^[\w-]{43}$/)
  assert.ok(cookie.includes(`=${state}.${verifier}.${nonce};`), cookie)
  assert.notEqual((await login.start()).nonce, nonce)
  await answer(issuer, nonce)
  for (const kept of [cookie.split(';')[0], { state, verifier, nonce }]) {
    const { idToken } = await login.finish(returnOf(issuer, state), kept)
    const { sub, auth_time, sid, tenant_id, mode, phone_number, name, iat, exp, raw } = idToken
    const seconds = issuer.time / 1000
    assert.deepEqual([sub, auth_time, sid, tenant_id, mode, phone_number, name, iat, exp, raw], ['01J9PERSON', seconds - 3, 's1', 'tn', 'LIVE', '+22376543210', 'Awa', seconds, seconds + 900, issuer.idToken])
  }
  await assert.rejects(login.finish(returnOf(issuer, state), { state, verifier }), (error) => error.code === 'no_login', 'an attempt that has lost its nonce')
})

test('without the scopes there is no ID token, even if the service sends one', async (t) => {
  const issuer = await issuerOf(t, key)
  const login = new Login(issuer.options())
  const { url, cookie, ...attempt } = await login.start()
  assert.deepEqual(Object.keys(attempt), ['state', 'verifier'])
  assert.doesNotMatch(url, /scope|nonce|id_token/)
  await answer(issuer, '')
  assert.deepEqual(Object.keys(await login.finish(returnOf(issuer, attempt.state), cookie.split(';')[0])), ['claims', 'profile', 'token', 'cookie'])
  for (const scopes of [['phone'], ['openid', 'email'], ['openid phone']]) {
    assert.throws(() => new Login(issuer.options({ scopes })), (error) => error instanceof ArgumentError && error.field === 'scopes', String(scopes))
  }
})

test('an ID token is believed only when it is the answer to this login', async (t) => {
  const issuer = await issuerOf(t, key)
  const login = new Login(issuer.options({ scopes: ['openid'] }))
  const seconds = issuer.time / 1000
  const forged = { kid: 'one', privateKey: second.privateKey }
  const cases = [
    ['a minute ahead', '', { iat: seconds + 59 }],
    ['a minute over', '', { exp: seconds - 59 }],
    ['over', 'has expired', { exp: seconds - 60 }],
    ['no end', 'has expired', { exp: undefined }],
    ['from the future', 'in the future', { iat: seconds + 60 }],
    ['of no time', 'in the future', { iat: undefined }],
    ['another nonce', 'another login', { nonce: 'x'.repeat(43) }],
    ['a longer nonce', 'another login', (nonce) => ({ nonce: `${nonce}x` })],
    ['a shorter nonce', 'another login', (nonce) => ({ nonce: nonce.slice(0, -1) })],
    ['no nonce', 'another login', { nonce: undefined }],
    ['another application', 'another application', { aud: 'cl_live_other' }],
    ['several applications', 'another application', { aud: [login.clientId] }],
    ['another issuer', 'another service', { iss: 'https://evil.example' }],
    ['the other mode', 'mode', { mode: 'TEST' }],
    ['somebody else', 'somebody else', { sub: 'other' }],
    ['nobody', 'somebody else', { sub: undefined }],
    ['another hash', 'another access token', { at_hash: 'A'.repeat(22) }],
    ['no hash', 'another access token', { at_hash: undefined }],
    ['the type of an access token', 'no ID token', {}, { typ: 'at+jwt' }],
    ['no type', 'no ID token', {}, { typ: undefined }],
    ['no algorithm', 'RS256', {}, { alg: 'none' }],
    ['another algorithm', 'RS256', {}, { alg: 'HS256' }],
    ['an unknown key', 'its key', {}, { kid: 'two' }],
    ['the key of a forger', 'signature', {}, {}, () => {}, forged],
    ['the access token in its place', 'no ID token', {}, {}, () => (issuer.idToken = issuer.token)],
    ["it in the access token's place", 'it is no access token', {}, {}, () => (issuer.token = issuer.idToken)],
    ['unsigned', 'no signed token', {}, {}, () => (issuer.idToken = issuer.idToken.replace(/[^.]+$/, ''))],
    ['missing', 'sent no ID token', {}, {}, () => (issuer.idToken = undefined)],
  ]
  for (const [name, problem, claims, header, change = () => {}, signer = key] of cases) {
    const { state, verifier, nonce } = await login.start()
    await answer(issuer, nonce, claims, header, signer)
    change()
    const ended = login.finish(returnOf(issuer, state), { state, verifier, nonce })
    if (problem === '') {
      assert.ok((await ended).idToken, name)
      continue
    }
    await assert.rejects(ended, (error) => {
      assert.ok(error instanceof LoginError && error.code === 'invalid_token', `${name}: ${error}`)
      assert.ok(error.message.includes(problem), `${name}: ${error.message}`)
      return true
    }, name)
  }
})

test('a hint asks for the same person again', async (t) => {
  const issuer = await issuerOf(t, key)
  for (const more of [{ scopes: ['openid', 'phone'] }, {}]) {
    const login = new Login(issuer.options(more))
    const { url, state, cookie, nonce } = await login.start({ idTokenHint: 'the.id.token' })
    const q = new URL(url).searchParams
    assert.equal(q.get('id_token_hint'), 'the.id.token')
    assert.match(q.get('scope'), /^openid/)
    await answer(issuer, nonce)
    assert.equal((await login.finish(returnOf(issuer, state), cookie.split(';')[0])).idToken.raw, issuer.idToken)
    await assert.rejects(login.finish(returnOf(issuer, state, { code: '', error: 'login_required' }), cookie.split(';')[0]), (error) => error instanceof LoginError && error.code === 'login_required')
  }
})

test('the address of a sign-out has the ID token, and what is given', async (t) => {
  const issuer = await issuerOf(t, key)
  const login = new Login(issuer.options())
  const whole = new URL(login.signOutUrl('the.id.token', { returnTo: 'https://app.example/bye', state: 'a&b' }))
  assert.equal(whole.origin + whole.pathname, `${login.issuer}/oauth2/logout`)
  assert.deepEqual(Object.fromEntries(whole.searchParams), { id_token_hint: 'the.id.token', client_id: login.clientId, post_logout_redirect_uri: 'https://app.example/bye', state: 'a&b' })
  assert.deepEqual([...new URL(login.signOutUrl('the.id.token')).searchParams.keys()], ['id_token_hint', 'client_id'])
})
