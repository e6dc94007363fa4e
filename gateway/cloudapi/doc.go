// Package cloudapi is the driver of WhatsApp's Cloud API (the Graph API of Meta).
//
// A message is composed before the first request. An attachment is uploaded first;
// nothing is handed over before the post of the message itself. The API has no
// idempotency key, so a post whose answer was lost is Unknown and never repeated. Our
// reference is sent as biz_opaque_callback_data and comes back with each status, so that
// receipts settle such messages too. Statuses and inbound messages come in through one
// webhook: the signature over the raw body is checked before anything is parsed, and a
// call is answered with 200 once the sink has stored all of it. Errors have Meta's codes,
// never its texts.
package cloudapi
