import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { before, test } from 'node:test'
import { inspect } from 'node:util'
import { ArgumentError, GriotError, Login, LoginError, UnansweredError } from '../dist/login.js'
import { issuerOf, keyOf, tokenOf } from './issuer.mjs'
import { hangUp } from './service.mjs'

let key, second
before(async () => ([key, second] = await Promise.all([keyOf('one'), keyOf('two')])))

const returnOf = (issuer, state, more = {}) => `/callback?${new URLSearchParams({ code: '7QX2M9F4T1ZB8RC6VN3K5WDJ0H', state, iss: issuer.service.url, ...more })}`

test('a login from its start to its end', async (t) => {
  const issuer = await issuerOf(t, key)
  issuer.token = await tokenOf(key, issuer.claims())
  const login = new Login(issuer.options({ clientSecret: 'cs_secret' }))
  const started = await login.start({ uiLocales: 'en fr' })
  const url = new URL(started.url)
  const { state, code_challenge, ...q } = Object.fromEntries(url.searchParams)
  assert.equal(url.origin + url.pathname, `${issuer.service.url}/authorize`)
  assert.deepEqual(q, { response_type: 'code', client_id: login.clientId, redirect_uri: login.redirectUri, code_challenge_method: 'S256', ui_locales: 'en fr' })
  assert.match(state, /^[\w-]{43}$/)
  assert.equal(code_challenge, createHash('sha256').update(started.verifier).digest('base64url'))
  assert.match(started.cookie, /^__Host-griot_login_[\w-]{8}=[\w-]{43}\.[\w-]{43}; Path=\/; Max-Age=300; HttpOnly; SameSite=Lax; Secure$/)

  const other = await login.start()
  assert.notEqual(other.state, state)
  const cookies = [other.cookie, started.cookie, 'a=b'].map((c) => c.split(';')[0]).join('; ')
  const signedIn = await login.finish(returnOf(issuer, state), cookies)
  assert.equal(signedIn.claims.sub, '01J9PERSON')
  assert.equal(signedIn.profile.id, '01J9PERSON')
  assert.equal(signedIn.cookie, `${started.cookie.split('=')[0]}=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax; Secure`)
  const sent = issuer.service.requests.find((r) => r.url === '/oauth2/token')
  assert.equal(sent.headers['content-type'], 'application/x-www-form-urlencoded')
  assert.deepEqual(Object.fromEntries(new URLSearchParams(sent.body)), {
    grant_type: 'authorization_code', code: '7QX2M9F4T1ZB8RC6VN3K5WDJ0H', redirect_uri: login.redirectUri, code_verifier: started.verifier, client_id: login.clientId, client_secret: 'cs_secret',
  })
  assert.ok(!inspect(login, { depth: 9 }).includes('cs_secret'))

  const kept = await login.finish(`${login.redirectUri}${returnOf(issuer, state).slice('/callback'.length)}`, { state, verifier: started.verifier })
  assert.equal(kept.claims.sub, '01J9PERSON')
})

test('on this machine the cookie goes by http', async (t) => {
  const login = new Login((await issuerOf(t, key)).options({ redirectUri: 'http://127.0.0.1:3000/callback' }))
  assert.match((await login.start()).cookie, /^griot_login_[\w-]{8}=[\w.-]+; Path=\/; Max-Age=300; HttpOnly; SameSite=Lax$/)
})

test('a return that is not the answer to this login exchanges nothing', async (t) => {
  const issuer = await issuerOf(t, key)
  const login = new Login(issuer.options())
  const { state, verifier, cookie } = await login.start()
  const attempt = { state, verifier }
  for (const [name, code, returned, cookies] of [
    ['no cookie', 'no_login', returnOf(issuer, state), undefined],
    ['a cookie of another login', 'no_login', returnOf(issuer, 'x'.repeat(43)), cookie],
    ['half a cookie', 'no_login', returnOf(issuer, state), { state, verifier: '' }],
    ['no state', 'no_login', '/callback?code=x', cookie],
    ['another state', 'state_mismatch', returnOf(issuer, state + 'x'), attempt],
    ['another state whose cookie is there', 'state_mismatch', returnOf(issuer, state + 'x'), cookie.split(';')[0]],
    ['another issuer', 'issuer_mismatch', returnOf(issuer, state, { iss: 'https://evil.example' }), attempt],
    ['not completed', 'access_denied', returnOf(issuer, state, { code: '', error: 'access_denied', error_description: 'The person canceled the login.' }), attempt],
    ['nothing', 'access_denied', returnOf(issuer, state, { code: '' }), attempt],
  ]) {
    await assert.rejects(login.finish(returned, cookies), (error) => {
      assert.ok(error instanceof LoginError, `${name}: ${error}`)
      assert.equal(error.code, code, name)
      return true
    })
  }
  assert.equal(issuer.service.requests.length, 0)
})

test('a code is sent once', async (t) => {
  const issuer = await issuerOf(t, key)
  const login = new Login(issuer.options())
  issuer.exchange = hangUp
  await assert.rejects(login.exchange('7QX2M9', 'verifier'), UnansweredError)
  assert.equal(issuer.service.requests.length, 1)
  issuer.exchange = (_, response) => {
    response.writeHead(400).end(JSON.stringify({ error: 'invalid_grant', error_code: 'code_already_used', error_description: 'The code has been used.', docs_url: 'https://auth.example.com/docs/errors#code_already_used', request_id: '01J9ZK' }))
  }
  await assert.rejects(login.exchange('7QX2M9', 'verifier'), (error) => {
    assert.ok(error instanceof GriotError)
    assert.deepEqual([error.code, error.status, error.requestId, error.docsUrl], ['code_already_used', 400, '01J9ZK', 'https://auth.example.com/docs/errors#code_already_used'])
    assert.ok(!inspect(error).includes('7QX2M9'))
    return true
  })
  let busy = true
  issuer.exchange = (_, response) => (busy ? response.writeHead(503, { 'retry-after': '1' }).end('{"error_code":"storage_unavailable"}') : response.end('{"access_token":"x"}'), (busy = false))
  assert.equal((await login.exchange('7QX2M9', 'verifier')).access_token, 'x')
})

test('a token is believed only when all of it is right', async (t) => {
  const issuer = await issuerOf(t, key)
  const login = new Login(issuer.options())
  const seconds = issuer.time / 1000
  const good = await tokenOf(key, issuer.claims())
  assert.equal((await login.verify(good)).phone_number, '+22376543210')
  for (const claims of [{ exp: seconds - 59 }, { nbf: seconds + 59 }]) await login.verify(await tokenOf(key, issuer.claims(claims)))
  const [head, payload, signature] = good.split('.')
  const forged = { kid: 'one', privateKey: second.privateKey }
  const wrong = {
    'another issuer': await tokenOf(key, issuer.claims({ iss: 'https://evil.example' })),
    'another client': await tokenOf(key, issuer.claims({ aud: 'cl_live_other' })),
    'several clients': await tokenOf(key, issuer.claims({ aud: [login.clientId] })),
    'of the sandbox': await tokenOf(key, issuer.claims({ mode: 'TEST' })),
    'over': await tokenOf(key, issuer.claims({ exp: seconds - 61 })),
    'without an end': await tokenOf(key, issuer.claims({ exp: undefined })),
    'not yet': await tokenOf(key, issuer.claims({ nbf: seconds + 61 })),
    'of nobody': await tokenOf(key, issuer.claims({ sub: '' })),
    'another type': await tokenOf(key, issuer.claims(), { typ: 'JWT' }),
    'no algorithm': await tokenOf(key, issuer.claims(), { alg: 'none' }),
    'another algorithm': await tokenOf(key, issuer.claims(), { alg: 'HS256' }),
    'no key': await tokenOf(key, issuer.claims(), { kid: undefined }),
    'another key': await tokenOf(forged, issuer.claims()),
    'an unknown key': await tokenOf(second, issuer.claims()),
    'other claims': `${head}.${Buffer.from(JSON.stringify(issuer.claims({ sub: 'x' }))).toString('base64url')}.${signature}`,
    'more than is known': await tokenOf(key, issuer.claims(), { crit: ['exp'] }),
    'a signature that is written in another way': good.slice(0, -1) + String.fromCharCode(good.charCodeAt(good.length - 1) + 1),
    'too long': await tokenOf(key, issuer.claims({ name: 'x'.repeat(16 << 10) })),
    'no signature': `${head}.${payload}.`,
    'nothing': '',
    'no base64': 'a.%%.c',
    'no JSON': 'YQ.YQ.YQ',
    'null': 'bnVsbA.bnVsbA.bnVsbA',
    'four parts': `${good}.x`,
  }
  for (const [name, token] of Object.entries(wrong)) {
    await assert.rejects(login.verify(token), (error) => {
      assert.ok(error instanceof LoginError, `${name}: ${error}`)
      assert.equal(error.code, 'invalid_token', name)
      assert.ok(token === '' || !error.message.includes(token))
      return true
    })
  }
  assert.equal(issuer.fetched, 1)
  const other = await tokenOf(key, issuer.claims({ mode: 'TEST' }))
  assert.equal((await new Login(issuer.options({ mode: 'TEST' })).verify(other)).mode, 'TEST')
})

test('the keys are kept, and asked for again when one is new, but not for each token', async (t) => {
  const issuer = await issuerOf(t, key)
  const login = new Login(issuer.options({ tries: 1 }))
  const tokens = async () => [await tokenOf(key, issuer.claims()), await tokenOf(second, issuer.claims())]
  let [ofFirst, ofSecond] = await tokens()
  await Promise.all([login.verify(ofFirst), login.verify(ofFirst)])
  assert.equal(issuer.fetched, 1, 'each asked for itself')
  issuer.keys = [second]
  await assert.rejects(login.verify(ofSecond), LoginError)
  assert.equal(issuer.fetched, 1, 'an unknown key is asked for at once')
  issuer.time += 61_000
  await login.verify(ofSecond)
  assert.equal(issuer.fetched, 2)
  await assert.rejects(login.verify(ofFirst), LoginError, 'the key was withdrawn')

  issuer.time += 301_000
  ;[ofFirst, ofSecond] = await tokens()
  issuer.broken = hangUp
  await login.verify(ofSecond)
  assert.equal(issuer.fetched, 3, 'old keys are asked for again')
  await assert.rejects(login.verify(ofFirst), UnansweredError)
  issuer.broken = (_, response) => response.end('{}')
  await assert.rejects(new Login(issuer.options()).verify(ofSecond), (error) => error.code === 'invalid_keys')
})

test('keys that cannot be used are left out', async (t) => {
  const issuer = await issuerOf(t, key)
  const token = await tokenOf(key, issuer.claims())
  const { kid, jwk } = key
  issuer.keys = [{ jwk: { ...jwk, kid: 'broken', n: '%' } }, { jwk: { ...jwk, kid: 'other', use: 'enc' } }, key]
  await new Login(issuer.options()).verify(token)
  for (const wrong of [{ n: 'AQAB' }, { alg: 'RS512' }, { use: 'enc' }, { kty: 'EC' }]) {
    issuer.keys = [{ jwk: { ...jwk, kid, ...wrong } }]
    await assert.rejects(new Login(issuer.options()).verify(token), (error) => error.code === 'invalid_token', JSON.stringify(wrong))
  }
  issuer.keys = Array(40).fill(key)
  await assert.rejects(new Login(issuer.options()).verify(token), (error) => error.code === 'invalid_keys')
})

test('metadata of another issuer is not believed', async (t) => {
  const issuer = await issuerOf(t, key)
  const login = new Login(issuer.options())
  issuer.exchange = (_, response) => response.end(JSON.stringify({ issuer: issuer.service.url, jwks_uri: 'x' }))
  assert.equal((await login.metadata()).jwks_uri, 'x')
  issuer.exchange = (_, response) => response.end('{"issuer":"https://evil.example"}')
  await assert.rejects(login.metadata(), (error) => error.code === 'issuer_mismatch')
})

test('a profile that is not of the token is not believed', async (t) => {
  const issuer = await issuerOf(t, key)
  issuer.token = await tokenOf(key, issuer.claims({ sub: '01J9OTHER' }))
  const login = new Login(issuer.options())
  const { state, verifier } = await login.start()
  await assert.rejects(login.finish(returnOf(issuer, state), { state, verifier }), (error) => error.code === 'invalid_token')
})

test('tokens are introspected and given back', async (t) => {
  const issuer = await issuerOf(t, key)
  const login = new Login(issuer.options({ clientSecret: 'cs_secret' }))
  assert.equal((await login.introspect('token')).active, false)
  await login.revoke('token')
  assert.deepEqual(issuer.service.requests.map((r) => [r.url, r.body]), ['/oauth2/introspect', '/oauth2/revoke'].map((path) => [path, `token=token&client_id=${login.clientId}&client_secret=cs_secret`]))
})

test('no login is made of arguments that cannot be right', () => {
  const good = { issuer: 'https://login.example.com', clientId: 'cl_live_x', redirectUri: 'https://shop.example/callback' }
  new Login(good)
  for (const [field, wrong] of [['clientId', { clientId: '' }], ['redirectUri', { redirectUri: '/callback' }], ['redirectUri', { redirectUri: 'https://shop.example/#x' }], ['mode', { mode: 'live' }], ['issuer', { issuer: 'login.example.com' }]]) {
    assert.throws(() => new Login({ ...good, ...wrong }), (error) => error instanceof ArgumentError && error.field === field)
  }
})
