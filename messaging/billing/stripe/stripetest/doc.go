// Package stripetest is a server that simulates Stripe in tests. It responds with the SDK's own types, makes Stripe's
// checks of requests that matter here (keys, idempotency, customers), and signs events with the SDK's helper.
package stripetest
