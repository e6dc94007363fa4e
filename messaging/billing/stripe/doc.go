// Package stripe is the payment provider Stripe: Checkout, the customer portal, and webhooks.
//
// What Stripe answers is believed only as far as it fits: prices of the allow-list, and objects of the same mode, LIVE
// or TEST, as the secret key. The SDK logs nothing, and errors have no text of Stripe's.
package stripe
