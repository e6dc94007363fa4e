// Has the client do what the cases of test/system/behaviour say: it reads each as a line of JSON, and writes its outcome as one.
import { createInterface } from 'node:readline'
import { ArgumentError, Client, GriotError, UnansweredError } from '@griot/client'
import { verify, WebhookError } from '@griot/client/webhook'
import { LoginError, OAuth } from '@griot/client/login'

const { GRIOT_API_URL, GRIOT_API_KEY, GRIOT_AUTH_URL, GRIOT_CLIENT_ID, GRIOT_CLIENT_SECRET, GRIOT_REDIRECT_URI } = process.env

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

/** logins are the operations of the login service by their names in the list. */
const logins = {
  'login.attempt': async (c, { uiLocales, idTokenHint }) => {
    const { url, state, verifier, nonce = '' } = await c.attempt({ uiLocales, idTokenHint })
    const { pathname, searchParams } = new URL(url)
    const query = Object.fromEntries(searchParams)
    return { path: pathname, query, stateLength: state.length, verifierLength: verifier.length, nonceLength: nonce.length, sameState: query.state === state, sameNonce: (query.nonce ?? '') === nonce }
  },
  'login.complete': async (c, { url, state, verifier, nonce }) => {
    const { idToken, ...signedIn } = await c.complete(new URL(url).searchParams, { state, verifier, nonce })
    return { ...signedIn, ...(idToken && { id_token: idToken }) }
  },
  'login.exchange': (c, { code, verifier }) => c.exchange(code, verifier),
  'login.verify': async (c, { token, times = 1 }) => {
    let last
    for (let i = 0; i < times; i++) last = await c.verify(token).then((claims) => () => claims, (error) => () => { throw error }) // the last outcome counts
    return last()
  },
  'login.revoke': (c, { token }) => c.revoke(token),
  'login.introspect': (c, { token }) => c.introspect(token),
  'login.metadata': (c) => c.metadata(),
}

/** loginOf makes a client of the login service. */
function loginOf({ clientId = GRIOT_CLIENT_ID, clientSecret = GRIOT_CLIENT_SECRET, mode = 'TEST', scopes, now }, options) {
  const own = { issuer: GRIOT_AUTH_URL, clientId, clientSecret, redirectUri: GRIOT_REDIRECT_URI, mode, scopes }
  return new OAuth({ ...own, ...options, ...(now && { now: () => now * 1000 }) })
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
    if (logins[call]) return { name, result: (await logins[call](loginOf(args, { ...options, sleep }), args)) ?? {}, pausesMs }
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
