// Package griot is the client of Griot's messaging API. It sends messages with WhatsApp, SMS, and email, follows
// their delivery, and calls all other endpoints that an API key can use. It needs only the standard library. Its
// exported API is stable: fields can be added, but none are removed.
//
// The client retries a call that gets no response, or a response that asks for a retry, if the retry is safe. An
// idempotency key makes sending safe: the client adds one to each message that has none, so the message is sent once
// even if the connection breaks several times.
//
// A call returns one of three errors. An [*Error] is an error response of the service; use errors.Is to compare it
// with [ErrQuotaExceeded] and the other codes. An [*UnansweredError] means that the call got no response after all
// tries; it contains the idempotency key for sending the same message again. An [*ArgumentError] means that the
// client did not make the call.
//
// Lists are available page by page, or as iterators over all pages, such as [Client.AllLogs].
//
// Errors never contain the texts of messages, one-time codes, or API keys.
package griot
