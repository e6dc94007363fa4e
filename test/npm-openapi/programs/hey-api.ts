// Calls both services by the clients that @hey-api/openapi-ts makes: node hey-api.js API-ADDRESS LOGIN-ADDRESS, with the key
// in GRIOT_KEY. It prints what it got as JSON.
import { getKeys, getMetadata } from "./hey/auth";
import { createClient as createLoginClient } from "./hey/auth/client";
import { getMessageStatus, sendBatch, sendMessage, type SendRequest } from "./hey/messaging";
import { createClient } from "./hey/messaging/client";

async function send(baseUrl: string) {
  const client = createClient({ baseUrl, auth: process.env.GRIOT_KEY ?? "" });
  const sms: SendRequest = { to: "+22376000001", channel: "sms", message: "Your order 2041 has left." };
  const sent = await sendMessage({
    client,
    headers: { "Idempotency-Key": "hey-api" },
    body: { ...sms, metadata: { order: "2041" }, retry: { maxAttempts: 2 } },
  });
  if (!sent.data || "dryRun" in sent.data) throw new Error(`send: ${JSON.stringify(sent.error)}`);
  const status = await getMessageStatus({ client, path: { messageId: sent.data.messageId } });
  if (!status.data) throw new Error(`status: ${JSON.stringify(status.error)}`);
  const batch = await sendBatch({ client, body: { messages: [sms, sms] } });
  if (!batch.data) throw new Error(`batch: ${JSON.stringify(batch.error)}`);
  const refused = await sendMessage({ client, body: { ...sms, to: "12" } });
  return { messageId: status.data.messageId, status: status.data.status, accepted: batch.data.accepted, refused: refused.error?.code };
}

async function discover(baseUrl: string) {
  const client = createLoginClient({ baseUrl });
  const metadata = await getMetadata({ client });
  const keys = await getKeys({ client });
  if (!metadata.data || !keys.data) throw new Error("no metadata, or no keys");
  return { issuer: metadata.data.issuer, keys: keys.data.keys.length };
}

async function main([api, login]: string[]) {
  if (!api || !login) throw new Error("two addresses are wanted");
  console.log(JSON.stringify({ ...(await send(api)), ...(await discover(login)) }));
}

void main(process.argv.slice(2));
