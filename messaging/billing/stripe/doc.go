// Package stripe implements the payment provider Stripe with Checkout, the customer portal, and webhooks.
//
// It accepts only those parts of Stripe's responses that match the configuration: prices of the allow-list, and
// objects of the secret key's mode, LIVE or TEST. The SDK logs nothing, and errors contain no text from Stripe.
package stripe
