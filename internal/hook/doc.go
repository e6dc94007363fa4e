// Package hook is the part of delivering a webhook that knows no service: the
// secrets and signatures of Standard Webhooks, one POST and how it ended, when to
// try again, and the breaker that spares an endpoint that is down.
package hook
