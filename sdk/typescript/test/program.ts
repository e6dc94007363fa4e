// An application as somebody would write it, which a test compiles and runs against a real service.
import { Client, GriotError, isCode, type LogItem, type Message } from '@griot/client'
import { parse } from '@griot/client/webhook'

declare const process: { env: Record<string, string> }

const { GRIOT_API_URL: url = '', GRIOT_API_KEY: key = '' } = process.env
const griot = new Client(url, key, { timeoutMs: 20_000 })

function check(good: boolean, what: string): asserts good {
  if (!good) throw new Error(what)
}

// What is refused is refused with a code, and says nothing of what was sent.
const wrong = await griot.send({ to: '12', channel: 'sms', message: 'Bonjour' }).catch((error: unknown) => error)
check(wrong instanceof GriotError && wrong.code === 'invalid_phone' && wrong.status === 400 && wrong.field === 'to', `refused: ${String(wrong)}`)
check((await new Client(url, 'svc_live_nonsense').health()).status === 'ok', 'health')
check(isCode(await new Client(url, 'svc_live_nonsense').describeKey().catch((error: unknown) => error), 'unauthorized'), 'another key')

const stop = new AbortController()
const stream = griot.listen({ signal: stop.signal })
const first = stream.next()

// A message is sent once, whoever asks how often.
const message: Message = { to: '+22376000001', channel: 'sms', message: 'Votre commande est partie.', idempotencyKey: 'order-2041', metadata: { order: '2041' } }
const sent = await griot.send(message)
const again = await griot.send(message)
check(sent.messageId === again.messageId && again.deduplicated === true && sent.deduplicated === undefined, 'sent twice')
const status = await griot.status(sent.messageId)
check(status.metadata?.order === '2041' && status.requestId !== '', `status ${JSON.stringify(status)}`)

const { value: event } = await first
check(event !== undefined, 'no event')
const happened = parse(event.body)
check(happened.event === 'message.status' && happened.messageId === sent.messageId && event.secret.startsWith('whsec_'), `event ${event.body}`)
stop.abort()

// A batch, a plan for later, a code, lists, and pages.
const { results } = await griot.sendBatch({ messages: [1, 2, 3].map((n) => ({ to: `+2237600000${n}`, channel: 'sms', message: `Bonjour ${n}` })) })
check(results.length === 3 && results.every((r) => r.success), `batch ${JSON.stringify(results)}`)
const later = await griot.send({ ...message, idempotencyKey: 'later', scheduledAt: new Date(Date.now() + 3_600_000) })
check(later.status === 'SCHEDULED' && (await griot.cancel(later.messageId)).status === 'CANCELED', `later ${later.status}`)
const preview = await griot.preview({ to: '+22376000001', channel: 'sms', message: 'Bonjour' })
check(preview.segments === 1, `preview ${JSON.stringify(preview)}`)
const challenge = await griot.sendCode({ to: '+22376000001', sandbox: true })
await griot.verifyCode({ challengeId: challenge.challengeId, code: '000000', sandbox: true })
check(isCode(await griot.verifyCode({ challengeId: challenge.challengeId, code: '000000', sandbox: true }).catch((error: unknown) => error), 'not_found'), 'a code works once')

const items: LogItem[] = []
for await (const item of griot.allLogs({ limit: 2, channel: 'sms', since: new Date(Date.now() - 600_000) })) items.push(item)
check(items.length >= 5, `${items.length} messages`)

const { optOut } = await griot.addOptOut('sms', '+22376000009')
check(isCode(await griot.send({ ...message, to: optOut.address, idempotencyKey: 'unwanted' }).catch((error: unknown) => error), 'recipient_opted_out'), 'opted out')
await griot.removeOptOut(optOut.id)
const { senders } = await griot.senders()
check(senders.length > 0 && (await griot.sender(senders[0]!.id)).sender.id === senders[0]!.id, 'senders')
check((await griot.presets()).presets.length > 0 && (await griot.stats({ from: new Date(Date.now() - 3_600_000), step: 'hour' })).buckets.length > 0, 'counts')
check((await griot.conversations()).conversations.length >= 0 && (await griot.webhookEvents({ limit: 1 })).events.length === 1, 'inbox and events')
console.log(`ok ${sent.messageId}`)
