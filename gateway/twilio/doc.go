// Package twilio is the driver of Twilio's Messages API, for SMS.
//
// A Send is one form posted. The API has no idempotency key and can't be asked by a
// reference of ours, so that a post whose answer was lost is Unknown and never made
// again. Our reference stands in the path of the StatusCallback address, which
// Twilio signs together with what it posts there: so even such a message is settled
// by its receipt. The signature of each call covers address and parameters; it is
// checked before any of them is looked at.
package twilio
