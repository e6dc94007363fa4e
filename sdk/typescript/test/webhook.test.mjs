import assert from 'node:assert/strict'
import { createHmac, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { hasFailed, isOpen } from '../dist/index.js'
import { parse, sign, verify, WebhookError } from '../dist/webhook.js'

const secret = 'whsec_' + randomBytes(32).toString('base64')
const other = 'whsec_' + randomBytes(32).toString('base64')
const at = 1772366400
const body = '{"event":"webhook.ping","eventId":"evt_1","timestamp":"2026-03-01T12:00:00.480Z","é":1}'

const signatureOf = (text, by = secret, stamp = at, id = 'evt_1') =>
  'v1,' + createHmac('sha256', Buffer.from(by.slice(6), 'base64')).update(`${id}.${stamp}.`).update(text).digest('base64')

const headersOf = (more = {}) => ({ 'webhook-id': 'evt_1', 'webhook-timestamp': String(at), 'webhook-signature': signatureOf(body), ...more })

const now = (seconds = at) => ({ now: () => seconds * 1000 })

test('a signed request is believed, whatever its body and headers are kept in', async () => {
  for (const kept of [body, Buffer.from(body), new TextEncoder().encode(body).buffer]) {
    assert.equal((await verify(secret, headersOf(), kept, now())).eventId, 'evt_1')
  }
  assert.equal((await verify(secret, new Headers(headersOf()), body, now())).event, 'webhook.ping')
  assert.equal((await verify(secret, headersOf({ 'webhook-signature': [signatureOf(body)] }), body, now())).event, 'webhook.ping')
  assert.equal((await verify(secret, headersOf(), Buffer.from(`x${body}`).subarray(1), now())).event, 'webhook.ping')
})

test('while a secret is replaced, one signature and one secret that fit are enough', async () => {
  const both = { 'webhook-signature': `v1a,xyz ${signatureOf(body, other)} ${signatureOf(body)}` }
  assert.ok(await verify(secret, headersOf(both), body, now()))
  const two = new Headers(headersOf({ 'webhook-signature': signatureOf(body, other) }))
  two.append('webhook-signature', signatureOf(body))
  assert.ok(await verify(secret, two, body, now()))
  assert.ok(await verify([other, secret], headersOf(), body, now()))
})

test('a body that a framework has parsed is named as that, and not as a wrong secret', async () => {
  for (const parsed of [JSON.parse(body), {}, [], null, undefined, 1, true]) {
    await assert.rejects(verify(secret, headersOf(), parsed, now()), (err) => err instanceof WebhookError && err.code === 'body_not_raw' && /raw body/.test(err.message), JSON.stringify(parsed))
    await assert.rejects(sign(secret, 'evt_1', parsed), { code: 'body_not_raw' })
  }
  const bytes = new TextEncoder().encode(body)
  assert.ok(await verify(secret, headersOf(), new DataView(bytes.buffer), now()))
})

test('what is not signed, too old, too new, or no event is refused', async () => {
  const cases = [
    ['another body', 'signature_mismatch', headersOf(), body.replace('1}', '2}')],
    ['another id', 'signature_mismatch', headersOf({ 'webhook-id': 'evt_2' }), body],
    ['another time', 'signature_mismatch', headersOf({ 'webhook-timestamp': String(at + 1) }), body],
    ['another secret', 'signature_mismatch', headersOf({ 'webhook-signature': signatureOf(body, other) }), body],
    ['another version', 'signature_mismatch', headersOf({ 'webhook-signature': signatureOf(body).replace('v1', 'v2') }), body],
    ['half a signature', 'signature_mismatch', headersOf({ 'webhook-signature': signatureOf(body).slice(0, 20) }), body],
    ['no base64', 'signature_mismatch', headersOf({ 'webhook-signature': 'v1,%%%' }), body],
    ['no time', 'timestamp_malformed', headersOf({ 'webhook-timestamp': 'soon' }), body],
    ['no signature', 'header_missing', headersOf({ 'webhook-signature': undefined }), body],
    ['no id', 'header_missing', headersOf({ 'webhook-id': '' }), body],
    ['no event', 'body_malformed', headersOf({ 'webhook-signature': signatureOf('[]') }), '[]'],
    ['no JSON', 'body_malformed', headersOf({ 'webhook-signature': signatureOf('{') }), '{'],
  ]
  for (const [name, code, headers, text] of cases) {
    await assert.rejects(verify(secret, headers, text, now()), (error) => {
      assert.ok(error instanceof WebhookError, `${name}: ${error}`)
      assert.equal(error.code, code, name)
      assert.ok(!error.message.includes(secret.slice(6)))
      return true
    })
  }
})

test('clocks may be five minutes apart, and no more', async () => {
  for (const [seconds, good] of [[at + 300, true], [at - 300, true], [at + 301, false], [at - 301, false]]) {
    const verified = verify(secret, headersOf(), body, now(seconds))
    if (good) await verified
    else await assert.rejects(verified, (error) => error.code === 'timestamp_skew', String(seconds))
  }
  await verify(secret, headersOf(), body, { ...now(at + 500), toleranceMs: 600_000 })
})

test('what is no secret is said to be none, and not shown', async () => {
  for (const wrong of ['', 'whsec_', 'whsec_%%', [], ['']]) {
    await assert.rejects(verify(wrong, headersOf(), body, now()), (error) => error.code === 'secret_malformed' && !error.message.includes('%'))
  }
})

test('what is signed here is verified', async () => {
  assert.deepEqual(await sign(secret, 'evt_1', body, now(at + 0.9)), headersOf())
  assert.ok(await verify(secret, await sign(secret, 'evt_1', Buffer.from(body)), body))
  await assert.rejects(sign('', 'evt_1', body), (error) => error.code === 'secret_malformed')
})

test('an event has the statuses of the client', () => {
  const event = parse('{"event":"message.status","eventId":"evt_1","status":"expired","previousStatus":"sending"}')
  assert.deepEqual([event.status, event.previousStatus, hasFailed(event.status), isOpen(event.previousStatus)], ['EXPIRED', 'SENDING', true, true])
})

test('the body of an event that is believed already can be read', () => {
  assert.equal(parse(body).event, 'webhook.ping')
  for (const wrong of ['null', '"x"', '{}', '{"event":1,"eventId":"evt_1"}', '{"event":"x","eventId":""}', Buffer.from([0xff])]) assert.throws(() => parse(wrong), WebhookError)
})
