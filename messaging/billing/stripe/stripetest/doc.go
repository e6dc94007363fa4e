// Package stripetest is a server in Stripe's place, for tests. It answers with the SDK's own types, checks what it is sent
// as Stripe does where that matters here (keys, idempotency, customers), and signs events with the SDK's helper.
package stripetest
