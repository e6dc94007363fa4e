// Has the client do what the cases of test/behaviour say: it reads each as a line of JSON, and writes its outcome as one.
import { createInterface } from 'node:readline'
import { ArgumentError, Client, GriotError, UnansweredError } from '@griot/client'
import { verify, WebhookError } from '@griot/client/webhook'
import { LoginError } from '@griot/client/login'

const { GRIOT_API_URL, GRIOT_API_KEY } = process.env

/** calls are the operations of the messaging API by their names in the list. */
const calls = {
  send: (c, message) => c.send(message),
  sendBatch: (c, batch) => c.sendBatch(batch),
  preview: (c, message) => c.preview(message),
  status: (c, { messageId }) => c.status(messageId),
  cancel: (c, { messageId }) => c.cancel(messageId),
  logs: (c, { all, ...filter }) => (all ? gather(c.allLogs(filter)) : c.logs(filter)),
  sendCode: (c, request) => c.sendCode(request),
  verifyCode: (c, guess) => c.verifyCode(guess),
  groups: (c) => c.groups(),
  senders: (c) => c.senders(),
  describeKey: (c) => c.describeKey(),
  pingWebhook: (c) => c.pingWebhook(),
  conversations: (c, { all, ...filter }) => (all ? gather(c.allConversations(filter)) : c.conversations(filter)),
  reply: (c, { id, ...reply }) => c.reply(id, reply),
  markRead: (c, { id }) => c.markRead(id),
  media: async (c, { id }) => {
    const { body, ...media } = await c.media(id)
    return { ...media, body: await new Response(body).text() }
  },
  optOuts: (c, { all, ...filter }) => (all ? gather(c.allOptOuts(filter)) : c.optOuts(filter)),
  addOptOut: (c, { channel, address }) => c.addOptOut(channel, address),
  removeOptOut: (c, { id }) => c.removeOptOut(id),
  'webhook.verify': async (_, { secrets, headers, body, now, toleranceMs }) => {
    const data = await verify(secrets, headers, body, { now: () => now * 1000, ...(toleranceMs && { toleranceMs }) })
    return { type: data.event, id: data.eventId, at: Date.parse(data.timestamp), data }
  },
}

async function gather(iterator) {
  const items = []
  for await (const item of iterator) items.push(item)
  return { items }
}

/** perform does one case with a client of its own. */
async function perform({ name, call, args = {}, options = {} }) {
  const pausesMs = []
  const sleep = async (ms, signal) => {
    pausesMs.push(ms)
    signal?.throwIfAborted()
  }
  try {
    if (!calls[call]) throw new Error(`this driver has no call ${call}`)
    const client = new Client(GRIOT_API_URL, GRIOT_API_KEY, { ...options, sleep })
    return { name, result: (await calls[call](client, args)) ?? {}, pausesMs }
  } catch (error) {
    return { name, error: failureOf(error), pausesMs }
  }
}

/** failureOf says of an error what the list compares. */
function failureOf(error) {
  if (error instanceof UnansweredError) return { kind: 'unanswered' }
  if (error instanceof GriotError) {
    const { code, status, field, retryAfterMs } = error
    return { kind: 'api', code, status, field, retryAfterMs }
  }
  if (error instanceof ArgumentError) return { kind: 'invalid', field: error.field }
  if (error instanceof WebhookError) return { kind: 'webhook', code: error.code }
  if (error instanceof LoginError) return { kind: 'login', code: error.code }
  return { kind: 'unknown', code: String(error) }
}

for await (const line of createInterface({ input: process.stdin })) console.log(JSON.stringify(await perform(JSON.parse(line))))
