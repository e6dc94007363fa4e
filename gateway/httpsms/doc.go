// Package httpsms is the driver of SMS gateways that are asked by one HTTP request for each message. The templates, answers
// and calls back are those of gateway/internal/httpgate; here is what is particular to SMS: numbers, the two alphabets, how
// long a message may live, and messages from people. Presets hold the templates of some gateways.
package httpsms
