// Package remote is the driver of gateways that are separate programs. It uses the signed gateway protocol of
// docs/gateway-protocol.md, which consists of HTTP requests from Griot and from the gateway.
//
// Griot gets the gateway's capabilities (GET /info) before it submits a message, and again every 30 seconds, because
// deduplication determines the next step after an attempt whose response was lost. Messages are sent with POST /send.
// Receipts, inbound messages, and connection states arrive as events, one per request, each acknowledged after it is
// stored. Requests in both directions contain a key ID, a time, and an HMAC of method, path, time, key, and the raw
// body, which is checked before anything is parsed. TLS authenticates the server, and the signature authenticates the
// client.
package remote
