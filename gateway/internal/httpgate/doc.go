// Package httpgate is the engine of the gateway kinds that are asked by one HTTP request for each message: a template
// says how that request looks, what in its answer is a yes, and how the gateway's calls back are to be read. Presets
// hold the templates of some gateways; settings can change any part of one. A driver adds what its kind carries: the
// placeholders that stand for a message, and the checks that come before.
//
// A template is made of placeholders, and each place escapes what it is given by its own rules: a path, a query, a
// form, a JSON document, XML, a header. No text can get out of its place. A template that could not work is
// refused when it is read: an unknown placeholder, a regular expression with a mistake, plain http to another
// machine, a webhook that anybody could forge.
//
// A call back is judged before it is read: a login or a token before its body is, a signature over the body's raw
// bytes before they are parsed. Only where a gateway signs within the document are a few texts picked out of it first,
// see [pick]. One request may bring many calls; it is answered with a yes once all are stored.
//
// Few such gateways know idempotency: an attempt whose answer was lost is unknown, and so is any answer that the
// template does not explain, unless its status alone says that nothing was taken.
package httpgate
