// Package twilio is the driver of Twilio's Messages API for SMS.
//
// A Send posts one form. The API has neither idempotency keys nor queries by our reference, so if the response to a
// post is lost, the outcome is Unknown and the post is never repeated. Our reference is in the path of the
// StatusCallback URL, which Twilio's signature covers, so receipts settle such messages, too. The driver checks the
// signature of the URL and the parameters before it reads any of them.
package twilio
