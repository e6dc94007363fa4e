// Package twilio is the driver of Twilio's Messages API, for SMS.
//
// A Send posts one form. The API has neither idempotency keys nor queries by our
// reference, so a post whose answer was lost is Unknown and never repeated. Our reference
// is in the path of the StatusCallback address, which Twilio's signature covers, so that
// receipts settle such messages too. The signature of address and parameters is checked
// before any of them is read.
package twilio
