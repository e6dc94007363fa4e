// Package cloudapi is the driver of WhatsApp's Cloud API (the Graph API of Meta).
//
// The driver composes a message before the first request. It uploads an attachment first. Nothing is submitted before
// the request for the message itself. The API has no idempotency key, so if the response to that request is lost, the
// outcome is Unknown and the driver never repeats the request. It sends our reference as biz_opaque_callback_data,
// which comes back with each status, so receipts settle such messages, too. Statuses and inbound messages arrive
// through one webhook. The driver checks the signature of the raw body before it parses anything, and responds with
// 200 after the sink has stored the whole call. Errors contain Meta's codes, never its texts.
package cloudapi
