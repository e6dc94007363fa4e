// Calls both services by the types that openapi-typescript makes, with its companion openapi-fetch:
// node openapi-typescript.js API-ADDRESS LOGIN-ADDRESS, with the key in GRIOT_KEY. It prints what it got as JSON.
import createClient from "openapi-fetch";
import type { components as loginComponents, paths as LoginPaths } from "./types/auth";
import type { components, paths as APIPaths } from "./types/messaging";

type SendRequest = components["schemas"]["SendRequest"];

async function send(address: string) {
  const api = createClient<APIPaths>({ baseUrl: address, headers: { Authorization: `Bearer ${process.env.GRIOT_KEY}` } });
  // Nothing but what must be there: no member with a default may be missed by the compiler.
  const sms: SendRequest = { to: "+22376000001", channel: "sms", message: "Your order 2041 has left." };
  const sent = await api.POST("/api/send", {
    params: { header: { "Idempotency-Key": "openapi-typescript" } },
    body: { ...sms, metadata: { order: "2041" }, retry: { maxAttempts: 2 } },
  });
  if (!sent.data || "dryRun" in sent.data) throw new Error(`send: ${JSON.stringify(sent.error)}`);
  const status = await api.GET("/api/status/{messageId}", { params: { path: { messageId: sent.data.messageId } } });
  if (!status.data) throw new Error(`status: ${JSON.stringify(status.error)}`);
  const batch = await api.POST("/api/send/batch", { body: { messages: [sms, sms] } });
  if (!batch.data) throw new Error(`batch: ${JSON.stringify(batch.error)}`);
  const refused = await api.POST("/api/send", { body: { ...sms, to: "12" } });
  const code: components["schemas"]["ErrorCode"] | undefined = refused.error?.code;
  return { messageId: status.data.messageId, status: status.data.status, accepted: batch.data.accepted, refused: code };
}

async function discover(address: string) {
  const login = createClient<LoginPaths>({ baseUrl: address });
  const metadata = await login.GET("/.well-known/oauth-authorization-server");
  const keys = await login.GET("/.well-known/jwks.json");
  if (!metadata.data || !keys.data) throw new Error("no metadata, or no keys");
  const all: loginComponents["schemas"]["Key"][] = keys.data.keys;
  return { issuer: metadata.data.issuer, keys: all.length };
}

async function main([api, login]: string[]) {
  if (!api || !login) throw new Error("two addresses are wanted");
  console.log(JSON.stringify({ ...(await send(api)), ...(await discover(login)) }));
}

void main(process.argv.slice(2));
