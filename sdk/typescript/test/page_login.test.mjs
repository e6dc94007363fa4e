import assert from 'node:assert/strict'
import { before, beforeEach, test } from 'node:test'
import { ArgumentError, LoginError, PageLogin } from '../dist/login.js'
import { issuerOf, keyOf, tokenOf } from './issuer.mjs'

let key
before(async () => (key = await keyOf('one')))

// What a page has of its browser.
let page
beforeEach(() => {
  page = { kept: new Map(), address: 'https://shop.example/' }
  globalThis.sessionStorage = {
    setItem: (name, value) => page.kept.set(name, value),
    getItem: (name) => page.kept.get(name) ?? null,
    removeItem: (name) => page.kept.delete(name),
  }
  globalThis.location = {
    assign: (url) => (page.address = url),
    get href() {
      return page.address
    },
  }
  globalThis.history = { state: { own: 1 }, replaceState: (state, _, url) => Object.assign(page, { state, address: String(url) }) }
})

async function signedOut(t) {
  const issuer = await issuerOf(t, key)
  issuer.token = await tokenOf(key, issuer.claims())
  return { issuer, login: new PageLogin(issuer.options()) }
}

test('a page signs somebody in, once, and its address keeps nothing of it', async (t) => {
  const { issuer, login } = await signedOut(t)
  assert.equal(await login.handleReturn(), undefined)
  await login.signIn()
  const { state } = Object.fromEntries(new URL(page.address).searchParams)
  page.address = `https://shop.example/callback?tab=2&code=7QX2M9&state=${state}&iss=${encodeURIComponent(issuer.service.url)}#top`
  const signedIn = await login.handleReturn()
  assert.equal(signedIn.claims.sub, '01J9PERSON')
  assert.equal(page.address, 'https://shop.example/callback?tab=2#top')
  assert.deepEqual(page.state, { own: 1 })
  assert.equal(page.kept.size, 0)
  assert.equal(await login.handleReturn(), undefined, 'a reload is no return')
  const sent = issuer.service.requests.find((r) => r.url === '/oauth2/token')
  assert.equal(new URLSearchParams(sent.body).get('client_secret'), null)
})

test('a return of no login of this tab is refused, and takes its code along', async (t) => {
  const { issuer, login } = await signedOut(t)
  for (const other of ['?code=7QX2M9&state=x', '?code=7QX2M9&state=x&iss=https://other.example', `?tab=2&iss=${issuer.service.url}`]) {
    page.address = `https://shop.example/callback${other}`
    assert.equal(await login.handleReturn(), undefined)
    assert.equal(page.address, `https://shop.example/callback${other}`, 'a return of another login')
  }
  page.address = `https://shop.example/callback?code=7QX2M9&state=x&iss=${issuer.service.url}`
  await assert.rejects(login.handleReturn(), (error) => error instanceof LoginError && error.code === 'no_login')
  assert.equal(page.address, 'https://shop.example/callback')
  await login.signIn()
  page.address = `https://shop.example/callback?error=access_denied&state=other&iss=${issuer.service.url}`
  await assert.rejects(login.handleReturn(), (error) => error.code === 'state_mismatch')
  assert.equal(page.kept.size, 0)
  assert.equal(issuer.service.requests.length, 0)
})

test('a page keeps no secret', async (t) => {
  const { issuer } = await signedOut(t)
  assert.throws(() => new PageLogin(issuer.options({ clientSecret: 'cs_secret' })), (error) => error instanceof ArgumentError && !error.message.includes('cs_secret'))
})
