// A service whose next answers a test chooses.
import { createServer } from 'node:http'
import { Client } from '../dist/index.js'

/** serve starts a service for one test. Each answer is a function (request, response, body), or {status, headers, body}. */
export async function serve(t, ...answers) {
  const requests = []
  const server = createServer(async (request, response) => {
    const parts = []
    for await (const part of request) parts.push(part)
    const body = Buffer.concat(parts).toString()
    requests.push({ method: request.method, url: request.url, headers: request.headers, body, json: () => JSON.parse(body) })
    const answer = answers.length > 1 ? answers.shift() : answers[0]
    if (typeof answer === 'function') return answer(request, response, body)
    const { status = 200, headers = {}, body: out = { success: true } } = answer ?? {}
    response.writeHead(status, { 'x-request-id': '01J9ZK3V8Q5W6X7Y8Z9A0B1C2D', ...headers })
    response.end(typeof out === 'string' ? out : JSON.stringify(out))
  })
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready))
  t.after(() => {
    server.closeAllConnections()
    return new Promise((closed) => server.close(closed))
  })
  return { url: `http://127.0.0.1:${server.address().port}`, requests }
}

/** hangUp breaks the connection. */
export const hangUp = (request) => request.socket.destroy()

/** never answers. */
export const never = () => {}

/** refusal is an answer that says no. */
export const refusal = (status, code, headers = {}, more = {}) => ({
  status,
  headers,
  body: { success: false, error: code, code, message: 'Sorry.', requestId: '01J9ZK3V8Q5W6X7Y8Z9A0B1C2D', docsUrl: `https://api.example.com/docs/errors#${code}`, ...more },
})

/** client returns a client that does not sleep, and the pauses that it would have made. */
export function client(service, options = {}) {
  const pauses = []
  const sleep = async (ms, signal) => {
    pauses.push(ms)
    signal?.throwIfAborted()
  }
  return { pauses, client: new Client(service.url, KEY, { sleep, ...options }) }
}

export const KEY = 'svc_live_' + 'k3y'.repeat(10)
