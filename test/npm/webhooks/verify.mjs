// Reads deliveries on standard input, one JSON object a line: {secret, headers, body}.
// Prints for each what the libraries say: {"standardwebhooks": "" | reason, "svix": "" | reason}.
import { createInterface } from 'node:readline'
import { Webhook as Standard } from 'standardwebhooks'
import { Webhook as Svix } from 'svix'

const verify = (Library, d) => {
  try {
    const payload = new Library(d.secret).verify(d.body, d.headers)
    return JSON.stringify(payload) === JSON.stringify(JSON.parse(d.body)) ? '' : 'another body'
  } catch (e) {
    return e.message
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const d = JSON.parse(line)
  console.log(JSON.stringify({ standardwebhooks: verify(Standard, d), svix: verify(Svix, d) }))
}
