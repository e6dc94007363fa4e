// Package httpmail is the driver of HTTP providers for email. Templates, answers, and webhooks are those of
// gateway/internal/httpgate; this package adds addresses, headers, and the Message-ID. Presets are templates for some
// providers.
//
// Our reference is in the provider's metadata, custom arguments, or variables, and comes back with each event. Presets turn
// tracking of opens and clicks off where the provider allows it, because people haven't agreed to it and rewritten links
// break links with codes.
package httpmail
