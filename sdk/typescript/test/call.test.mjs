import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { ArgumentError, Client, GriotError, isCode, UnansweredError } from '../dist/index.js'
import { client, hangUp, KEY, never, refusal, serve } from './service.mjs'

const message = { to: '+22370112233', channel: 'sms', message: 'Order 2041 has left.' }
const accepted = { body: { success: true, messageId: 'msg_1', status: 'SENT', deduplicated: true } }

test('a connection that breaks is tried again under the same idempotency key', async (t) => {
  const service = await serve(t, hangUp, hangUp, accepted)
  const { client: c, pauses } = client(service)
  const result = await c.send(message)
  const keys = service.requests.map((r) => r.json().idempotencyKey)
  assert.equal(keys.length, 3)
  assert.equal(new Set(keys).size, 1)
  assert.match(keys[0], /^griot-ts-[A-Z2-7]{26}$/)
  assert.deepEqual({ ...result }, { success: true, messageId: 'msg_1', status: 'SENT', requestId: '01J9ZK3V8Q5W6X7Y8Z9A0B1C2D', idempotencyKey: keys[0] })
  assert.ok(pauses[0] >= 125 && pauses[0] <= 250 && pauses[1] >= 250 && pauses[1] <= 500, `pauses ${pauses}`)
})

test("the caller's own key is kept, and so is what it finds", async (t) => {
  const service = await serve(t, accepted)
  const result = await client(service).client.send({ ...message, idempotencyKey: 'order-2041' })
  assert.equal(service.requests[0].json().idempotencyKey, 'order-2041')
  assert.equal(result.deduplicated, true)
})

test('a call without an answer ends with its key, and says nothing of the message', async (t) => {
  const service = await serve(t, hangUp)
  await assert.rejects(client(service).client.send({ ...message, idempotencyKey: 'order-2041' }), (error) => {
    assert.ok(error instanceof UnansweredError)
    assert.equal(error.idempotencyKey, 'order-2041')
    assert.equal(error.tries, 4)
    assertSecret(error)
    return true
  })
  assert.equal(service.requests.length, 4)
})

test('what is said about time is kept to, where it is short enough', async (t) => {
  for (const [name, answer, want] of [
    ['503', refusal(503, 'overloaded', { 'retry-after': '7' }), 4],
    ['503 without a time', refusal(503, 'storage_unavailable'), 4],
    ['429 with a time', refusal(429, 'rate_limited', { 'retry-after': '1' }), 4],
    ['429 with a long time', refusal(429, 'quota_exceeded', { 'retry-after': '3600' }), 1],
    ['429 without a time', refusal(429, 'recipient_limit_reached'), 1],
    ["a proxy's 502", { status: 502, body: '<html>' }, 4],
    ["a proxy's 504", { status: 504, body: '' }, 4],
    ["the service's 502", refusal(502, 'provider_error'), 1],
    ['500', refusal(500, 'internal'), 1],
    ['400', refusal(400, 'invalid_phone'), 1],
  ]) {
    await t.test(name, async (t) => {
      const service = await serve(t, answer)
      const { client: c, pauses } = client(service)
      await assert.rejects(c.send(message), GriotError)
      assert.equal(service.requests.length, want)
      if (name === '503') assert.deepEqual(pauses, [7000, 7000, 7000])
    })
  }
})

test('a guess is not repeated when its answer is lost, only when it was not taken', async (t) => {
  const lost = await serve(t, hangUp)
  await assert.rejects(client(lost).client.verifyCode({ to: message.to, code: '123456' }), UnansweredError)
  assert.equal(lost.requests.length, 1)
  const busy = await serve(t, refusal(503, 'overloaded'), { body: { valid: true } })
  await client(busy).client.verifyCode({ to: message.to, code: '123456' })
  assert.equal(busy.requests.length, 2)
})

test('what was removed by a try whose answer was lost is removed', async (t) => {
  const service = await serve(t, hangUp, refusal(404, 'opt_out_not_found'))
  await client(service).client.removeOptOut('c21z')
  const never = await serve(t, refusal(404, 'opt_out_not_found'))
  await assert.rejects(client(never).client.removeOptOut('c21z'), (error) => isCode(error, 'opt_out_not_found'))
})

test('an error has everything that was said', async (t) => {
  const service = await serve(t, refusal(429, 'quota_exceeded', { 'retry-after': '3600' }, { messagesUsed: 10, limit: 10, upgradeUrl: 'https://api.example.com/dashboard/billing', field: 'to', messageId: 'msg_1', status: 'FAILED', reason: 'busy', to: message.to }))
  await assert.rejects(client(service).client.send(message), (error) => {
    const { code, status, field, requestId, docsUrl, retryAfterMs, messagesUsed, limit, upgradeUrl, messageId, messageStatus, reason } = error
    assert.deepEqual({ code, status, field, requestId, docsUrl, retryAfterMs, messagesUsed, limit, upgradeUrl, messageId, messageStatus, reason }, {
      code: 'quota_exceeded', status: 429, field: 'to', requestId: '01J9ZK3V8Q5W6X7Y8Z9A0B1C2D', docsUrl: 'https://api.example.com/docs/errors#quota_exceeded',
      retryAfterMs: 3_600_000, messagesUsed: 10, limit: 10, upgradeUrl: 'https://api.example.com/dashboard/billing', messageId: 'msg_1', messageStatus: 'FAILED', reason: 'busy',
    })
    assert.equal(error.message, 'quota_exceeded (HTTP 429): Sorry. [to] (request 01J9ZK3V8Q5W6X7Y8Z9A0B1C2D)')
    assert.ok(error.body.includes(message.to))
    assertSecret(error)
    return true
  })
})

test('what is no answer of a Griot is said to be none', async (t) => {
  for (const answer of [{ status: 200, body: '<html>' }, { status: 200, body: '[]' }, { status: 302, headers: { location: '/elsewhere' }, body: '' }, { status: 404, body: 'null' }]) {
    const service = await serve(t, answer)
    await assert.rejects(client(service).client.status('msg_1'), (error) => isCode(error, 'unexpected_answer') && error.status === answer.status)
    assert.equal(service.requests.length, 1, 'a redirect was followed')
  }
})

test('a try that takes too long is none, and a call ends with its signal', async (t) => {
  const slow = await serve(t, never, accepted)
  await client(slow, { timeoutMs: 100 }).client.send(message)
  assert.equal(slow.requests.length, 2)
  await client(await serve(t, accepted), { timeoutMs: Infinity }).client.send(message)

  const silent = await serve(t, (_, response) => response.writeHead(200).write('{'))
  await assert.rejects(client(silent, { timeoutMs: 50, tries: 1 }).client.status('msg_1'), UnansweredError)

  const service = await serve(t, never)
  const reason = new Error('enough')
  const controller = new AbortController()
  const call = client(service).client.send(message, { signal: controller.signal })
  setTimeout(() => controller.abort(reason), 50)
  await assert.rejects(call, (error) => error instanceof UnansweredError && error.cause === reason && error.tries === 1 && error.idempotencyKey.startsWith('griot-ts-'))
  await assert.rejects(client(service).client.send(message, { signal: AbortSignal.abort(reason) }), UnansweredError)
  assert.equal(service.requests.length, 1)
})

test('a pause ends with the signal of the call', async (t) => {
  const service = await serve(t, hangUp)
  const c = new Client(service.url, KEY, {})
  const began = Date.now()
  await assert.rejects(c.status('msg_1', { signal: AbortSignal.timeout(60) }), (error) => error instanceof UnansweredError && error.cause.name === 'TimeoutError')
  assert.ok(Date.now() - began < 2000)
})

test('an answer that is longer than any is broken off', async (t) => {
  const service = await serve(t, (_, response) => {
    response.writeHead(200)
    for (let i = 0; i < 20; i++) response.write('x'.repeat(1 << 20))
    response.end()
  })
  await assert.rejects(client(service, { tries: 1 }).client.status('msg_1'), UnansweredError)
})

test('no request is made with arguments that cannot be right', async (t) => {
  for (const base of ['', 'api.example.com', 'ftp://api.example.com', 'https://a:b@api.example.com', 'https://api.example.com/?x', 'https://api.example.com/#x']) {
    assert.throws(() => new Client(base, KEY), (error) => error instanceof ArgumentError && error.field === 'baseUrl', base)
  }
  for (const key of ['', 'a b', 'clé', 'a\n']) {
    assert.throws(() => new Client('https://api.example.com', key), (error) => error instanceof ArgumentError && error.field === 'key')
  }
  const service = await serve(t)
  for (const id of ['', '.', '..']) await assert.rejects(client(service).client.status(id), ArgumentError)
  assert.equal(service.requests.length, 0)
  await client(service).client.status('a/../b?c')
  assert.equal(service.requests[0].url, '/api/status/a%2F..%2Fb%3Fc')
})

test('a base address may have a path, and the key is sent and shown nowhere', async (t) => {
  const service = await serve(t)
  const c = new Client(service.url + '/griot/', KEY, { userAgent: 'shop/1.0' })
  await c.logs({ limit: 3, to: '', since: new Date(0), metadata: { order: '2041' } })
  const [request] = service.requests
  assert.equal(request.url, '/griot/api/svc-logs?limit=3&since=1970-01-01T00%3A00%3A00.000Z&metadata%5Border%5D=2041')
  assert.equal(request.headers.authorization, `Bearer ${KEY}`)
  assert.equal(request.headers['user-agent'], 'shop/1.0')
  assertSecret(c)
})

function assertSecret(value) {
  const shown = inspect(value, { depth: 10, showHidden: false }) + JSON.stringify(value)
  for (const secret of [KEY, message.message, message.to, '70112233']) assert.ok(!shown.includes(secret), `${secret} is shown`)
}
