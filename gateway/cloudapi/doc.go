// Package cloudapi is the driver of WhatsApp's Cloud API (the Graph API of Meta).
//
// A message is written as the API wants it before anything is contacted; an
// attachment is uploaded first, and only then is the message itself posted: up to
// that post nothing has been handed over. The API has no idempotency key, so that a
// post whose answer was lost is Unknown and never made again; our reference goes
// along as biz_opaque_callback_data and comes back with each status, which is how
// such a message is still settled. Statuses and people's messages come in through
// one webhook: the signature is checked over the raw bytes before anything is
// parsed, all that a call carries is given to the sink, and only then is it
// answered with 200. What Meta says in words stays here, its codes don't.
package cloudapi
