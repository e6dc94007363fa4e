// Package httpgate is the template engine for kinds of gateways that make one HTTP request per message. A template
// describes the request, the responses that are acknowledgments, and the format of the gateway's webhooks. Presets
// contain templates for some gateways. Settings can change any part of a preset. A driver adds the placeholders of
// its kind of message and the checks before sending.
//
// A template consists of text and placeholders. The value of a placeholder is escaped for its place: a path, a query,
// a form, a JSON document, XML, or a header. No value can change anything outside its place. A template that cannot
// work is refused when it is compiled, for example because of an unknown placeholder, an invalid regular expression,
// plain HTTP to another machine, or a webhook without authentication.
//
// A webhook request is authenticated before it is parsed: a login or a token before the body is read, and a signature
// over the raw body. Only if the signature is within the document, a few texts are read from it before the check, see
// [pick]. One request can contain many events. It is acknowledged after all of them are stored.
//
// Few of these gateways deduplicate. If the response is lost, the outcome of the attempt is unknown. The outcome is
// also unknown for a response to which no rule applies, unless its status shows that the message was not accepted.
package httpgate
