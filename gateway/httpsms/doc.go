// Package httpsms is the driver for HTTP SMS gateways. It uses the templates, responses, and webhooks of
// gateway/internal/httpgate, and adds numbers, the two alphabets, the validity period, and inbound messages. Presets
// are templates for some gateways.
package httpsms
