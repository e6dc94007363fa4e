// Package remote is the driver of gateways that are programs of their own: it speaks the signed gateway
// protocol of docs/gateway-protocol.md, so that whoever can answer four HTTP requests and make one can be a
// gateway of Griot.
//
// Griot asks the gateway what it can do (GET /info) before it hands anything over, and again every half minute:
// whether it deduplicates our references decides what may be done after an attempt whose answer was lost. A
// message goes out by POST /send; receipts, inbound messages and the states of connections come in as events,
// one a request, each answered only once it is stored. Requests in both directions carry a key id, a time and an
// HMAC over method, path, time, key and the raw body, checked before anything is parsed. TLS tells the caller
// whom it asks; the signature tells the asked who calls.
package remote
