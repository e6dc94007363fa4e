// Package systemtest starts the real program for the tests below test/system, and uses it as people do. [StartDev] and
// [StartServe] start it, [Operator] and [Terminal] run its commands, and [Person] signs in. [RemoteGateway], [Peer],
// [Relay], and [WebhookServer] are servers that it calls.
package systemtest
