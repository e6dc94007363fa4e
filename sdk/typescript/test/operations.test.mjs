import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import { load } from 'js-yaml'
import { hasFailed, isOpen } from '../dist/index.js'
import { documents, pathOf, typesOf } from '../scripts/generate.mjs'
import { client, hangUp, refusal, serve } from './service.mjs'

const page = { body: { nextCursor: null, logs: [], conversations: [], messages: [], optOuts: [], events: [] } }

// Every operation of the document that a key may call, but for /mcp, which assistants speak by a protocol of their own.
const calls = {
  sendMessage: (c) => c.send({ to: '+22370112233', channel: 'sms', message: 'x' }),
  sendBatch: (c) => c.sendBatch({ messages: [] }),
  getMessageStatus: (c) => c.status('id/1'),
  listGroups: (c) => c.groups(),
  sendCode: (c) => c.sendCode({ to: '+22370112233' }),
  verifyCode: (c) => c.verifyCode({ to: '+22370112233', code: '000000' }),
  getAnalytics: (c) => c.analytics(100),
  listMessages: (c) => c.logs(),
  listConversations: (c) => c.conversations(),
  listConversationMessages: (c) => c.conversationMessages('id/1', { q: 'ignored', limit: 2 }),
  markConversationRead: (c) => c.markRead('id/1'),
  markConversationUnread: (c) => c.markUnread('id/1'),
  replyToConversation: (c) => c.reply('id/1', { text: 'x' }),
  searchInboxMessages: (c) => c.searchInbox({ q: 'order' }),
  getMedia: (c) => c.media('id/1').then((media) => media.body.cancel()),
  getInboxRevision: (c) => c.inboxRevision(),
  cancelMessage: (c) => c.cancel('id/1'),
  listSenders: (c) => c.senders(),
  getSender: (c) => c.sender('id/1'),
  pauseSender: (c) => c.pauseSender('id/1'),
  resumeSender: (c) => c.resumeSender('id/1'),
  getWebhook: (c) => c.webhook(),
  listWebhookEvents: (c) => c.webhookEvents(),
  getWebhookEvent: (c) => c.webhookEvent('id/1'),
  resendWebhookEvent: (c) => c.resendWebhookEvent('id/1'),
  resendFailedWebhookEvents: (c) => c.resendFailedWebhookEvents(new Date(0)),
  pingWebhook: (c) => c.pingWebhook(),
  enableWebhook: (c) => c.enableWebhook(),
  setWebhook: (c) => c.setWebhook('https://shop.example/hooks'),
  rotateWebhookSecret: (c) => c.rotateWebhookSecret(),
  listenToWebhookEvents: (c) => c.listen().next(),
  rotateStreamSecret: (c) => c.rotateStreamSecret(),
  listOptOuts: (c) => c.optOuts(),
  addOptOut: (c) => c.addOptOut('sms', '+22370112233'),
  removeOptOut: (c) => c.removeOptOut('id/1'),
  getStats: (c) => c.stats(),
  getOTPStats: (c) => c.codeStats(),
  describeKey: (c) => c.describeKey(),
  listPresets: (c) => c.presets(),
  getHealth: (c) => c.health(),
}

test('every operation that a key may call has a method, which calls it', async (t) => {
  const { paths } = load(await readFile(new URL('../../../openapi/messaging.yaml', import.meta.url), 'utf8'))
  const found = {}
  for (const [path, item] of Object.entries(paths)) {
    for (const [method, operation] of Object.entries(item)) {
      if (operation.security?.some((s) => 'apiKey' in s) || operation.operationId === 'getHealth') {
        found[operation.operationId] = { method: method.toUpperCase(), path: path.replace(/\{\w+\}/g, 'id%2F1') }
      }
    }
  }
  assert.deepEqual(Object.keys(calls).sort(), Object.keys(found).sort())
  for (const [id, call] of Object.entries(calls)) {
    const service = await serve(t, id === 'listenToWebhookEvents' ? refusal(403, 'forbidden') : page)
    await call(client(service).client).catch((error) => assert.equal(error.code, 'forbidden', `${id}: ${error}`))
    const [request] = service.requests
    assert.deepEqual({ method: request.method, path: request.url.split('?')[0] }, found[id], id)
    assert.equal(service.requests.length, 1)
  }
})

test('the types are those that the generator writes of the documents today', async () => {
  for (const name of documents) {
    assert.ok((await readFile(pathOf(name), 'utf8')) === (await typesOf(name)), `src/generated/${name}.ts is old: npm run generate`)
  }
})

test('all pages are read, and a page that leads to itself ends it', async (t) => {
  const logs = (ids, nextCursor) => ({ body: { success: true, logs: ids.map((messageId) => ({ messageId })), count: ids.length, nextCursor } })
  const service = await serve(t, logs(['a', 'b'], 'two'), hangUp, logs([], 'three'), logs(['c'], null))
  const got = []
  for await (const item of client(service).client.allLogs({ channel: 'sms' })) got.push(item.messageId)
  assert.deepEqual(got, ['a', 'b', 'c'])
  assert.deepEqual(service.requests.map((r) => r.url.slice('/api/svc-logs'.length)), ['?channel=sms', '?channel=sms&cursor=two', '?channel=sms&cursor=two', '?channel=sms&cursor=three'])

  const circle = await serve(t, logs(['a'], 'same'))
  await assert.rejects(async () => {
    for await (const _ of client(circle).client.allLogs());
  }, /leads from a page to itself/)
  assert.equal(circle.requests.length, 2)

  const one = await serve(t, logs(['a', 'b'], 'two'))
  for await (const _ of client(one).client.allLogs()) break
  assert.equal(one.requests.length, 1, 'a page was read that nobody wants')
})

test('a batch has one key, or each of its messages has', async (t) => {
  const service = await serve(t, { body: { results: [] } })
  const { client: c } = client(service)
  const result = await c.sendBatch({ messages: [{}, {}] })
  const own = { messages: [{ idempotencyKey: 'mine' }, {}], continueOnError: true }
  const second = await c.sendBatch(own)
  const [first, mixed] = service.requests.map((r) => r.json())
  assert.match(first.idempotencyKey, /^griot-ts-/)
  assert.equal(result.idempotencyKey, first.idempotencyKey)
  assert.equal(mixed.idempotencyKey, undefined)
  assert.equal(second.idempotencyKey, undefined)
  assert.deepEqual([mixed.messages[0].idempotencyKey, mixed.continueOnError], ['mine', true])
  assert.match(mixed.messages[1].idempotencyKey, /^griot-ts-/)
  assert.deepEqual(own, { messages: [{ idempotencyKey: 'mine' }, {}], continueOnError: true }, 'the argument was changed')
})

test('a preview is refused by a service that sends instead', async (t) => {
  const service = await serve(t, { body: { success: true, dryRun: true, segments: 1 } }, { body: { success: true, messageId: 'msg_1' } })
  const { client: c } = client(service)
  assert.equal((await c.preview({ to: '+22370112233', channel: 'sms', message: 'x' })).segments, 1)
  assert.equal(service.requests[0].json().dryRun, true)
  await assert.rejects(c.preview({ to: '+22370112233', channel: 'sms', message: 'x' }), /knows no dry runs/)
})

test('a status says whether the message is on its way, or has failed', () => {
  const statuses = ['SCHEDULED', 'QUEUED', 'SENDING', 'SENT', 'DELIVERED', 'READ', 'FAILED', 'EXPIRED', 'CANCELED', 'SANDBOX']
  assert.deepEqual(statuses.filter(isOpen), ['SCHEDULED', 'QUEUED', 'SENDING'])
  assert.deepEqual(statuses.filter(hasFailed), ['FAILED', 'EXPIRED'])
})

test('an attachment is opened by its address, with its name', async (t) => {
  const picture = (disposition) => ({ headers: { 'content-type': 'image/jpeg', 'content-length': '3', 'content-disposition': disposition }, body: 'abc' })
  const service = await serve(t, hangUp, picture('inline; filename="a \\"b\\".jpg"'), picture("attachment; filename=x; filename*=utf-8''re%C3%A7u.jpg"), picture('inline'))
  const { client: c } = client(service)
  const media = await c.media('https://api.example.com/api/media/med_1')
  assert.equal(await new Response(media.body).text(), 'abc')
  assert.deepEqual([media.contentType, media.size, media.fileName], ['image/jpeg', 3, 'a "b".jpg'])
  assert.equal(service.requests[1].url, '/api/media/med_1')
  assert.equal((await c.media('med_1')).fileName, 'reçu.jpg')
  assert.equal((await c.media('med_1')).fileName, undefined)
})

test('an attachment that stalls ends with the signal, long after its beginning', async (t) => {
  const service = await serve(t, (_, response) => response.writeHead(200).write('abc'))
  const controller = new AbortController()
  const media = await client(service, { timeoutMs: 50 }).client.media('med_1', { signal: controller.signal })
  const reader = media.body.getReader()
  assert.equal((await reader.read()).value.length, 3)
  setTimeout(() => controller.abort(new Error('enough')), 120)
  await assert.rejects(reader.read(), /enough/)
})

test('listening goes on behind the last event, until the key is refused', async (t) => {
  const stream = (...lines) => (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    for (const line of lines) response.write(line)
    setTimeout(() => request.socket.destroy(), 20)
  }
  const event = (id) => `event: event\ndata: {"eventId":"${id}","type":"webhook.ping","body":"{\\"é\\":1}"}\n\n`
  const service = await serve(
    t,
    stream(': hello\n\nevent: hello\r\ndata:{"secret":"whsec_a"}\r\n\r\n', event('evt_1').slice(0, 30), event('evt_1').slice(30)),
    refusal(503, 'overloaded'),
    stream('event: hello\ndata: {"secret":"whsec_b"}\n\n', event('evt_2')),
    refusal(401, 'unauthorized'),
  )
  const secrets = []
  const lost = []
  const got = []
  await assert.rejects(async () => {
    for await (const e of client(service).client.listen({ after: 'evt_0', onSecret: (s) => secrets.push(s), onLost: (e) => lost.push(e) })) got.push(e)
  }, /unauthorized/)
  assert.deepEqual(got, [
    { eventId: 'evt_1', type: 'webhook.ping', body: '{"é":1}', secret: 'whsec_a' },
    { eventId: 'evt_2', type: 'webhook.ping', body: '{"é":1}', secret: 'whsec_b' },
  ])
  assert.deepEqual(secrets, ['whsec_a', 'whsec_b'])
  assert.deepEqual(service.requests.map((r) => r.headers['last-event-id']), ['evt_0', 'evt_1', 'evt_1', 'evt_2'])
  assert.equal(lost.length, 2)
})

test('listening ends with its signal', async (t) => {
  const service = await serve(t, (_, response) => response.writeHead(200).write(': hello\n\n'))
  const reason = new Error('enough')
  const controller = new AbortController()
  setTimeout(() => controller.abort(reason), 50)
  await assert.rejects(client(service).client.listen({ signal: controller.signal }).next(), reason)
})
