// Package httpgate is the template engine of the gateway kinds that make one HTTP request for each message: a template
// describes that request, which answers are acknowledgments, and how the gateway's webhooks are read. Presets
// hold the templates of some gateways; settings can change any part of one. A driver adds the placeholders of its kind of
// message, and the checks before sending.
//
// A template consists of text and placeholders. The value of a placeholder is escaped for its place: a path, a query, a
// form, a JSON document, XML, a header. No value can change anything outside its place. A template that could not work is
// refused when it is compiled: an unknown placeholder, an invalid regular expression, plain http to another
// machine, a webhook without authentication.
//
// A webhook request is authenticated before it is parsed: a login or a token before the body is read, a signature over the
// raw body. Only where the signature is within the document are a few texts read from it before,
// see [pick]. One request may have many events; it is acknowledged after all are stored.
//
// Few such gateways deduplicate: the outcome of an attempt whose answer was lost is unknown, and so is that of any answer to
// which no rule applies, unless its status alone says that nothing was taken.
package httpgate
