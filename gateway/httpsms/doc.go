// Package httpsms is the driver of HTTP gateways for SMS. Templates, answers, and webhooks are those of
// gateway/internal/httpgate; this package adds numbers, the two alphabets, the validity, and inbound messages. Presets are
// templates for some gateways.
package httpsms
