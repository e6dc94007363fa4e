// Package httpmail is the driver of providers that take e-mail by one HTTP request for each message. The templates,
// answers and calls back are those of gateway/internal/httpgate; here is what is particular to e-mail: addresses,
// what goes into headers, and the Message-ID. Presets hold the templates of some providers.
//
// Our reference travels in what the provider calls metadata, custom arguments or variables, and comes back with each
// event: that is how delivery, bounce and complaint find their message. Presets ask for no tracking of opens and clicks
// where a provider can be asked: a pixel tells more of people than they agreed to, and a link that is rewritten is no
// link for a code.
package httpmail
