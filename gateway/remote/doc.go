// Package remote is the driver of gateways that are separate programs, by the signed gateway protocol of
// docs/gateway-protocol.md: HTTP requests of Griot, and one of the gateway.
//
// Griot gets the gateway's capabilities (GET /info) before it hands anything over, and again every half minute, because
// deduplication decides what may be done after an attempt whose answer was lost. Messages are sent with POST /send.
// Receipts, inbound messages, and connection states come in as events, one a request, each acknowledged once it is
// stored. Requests in both directions have a key id, a time, and an HMAC of method, path, time, key, and the raw body,
// which is checked before anything is parsed. TLS authenticates the server, the signature the client.
package remote
