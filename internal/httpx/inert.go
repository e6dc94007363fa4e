package httpx

import "net/http"

// MailPolicy is the content security policy of another party's HTML at an address of this service: a frame of this
// service shows it, and its scripts, external resources, forms, and links don't work.
const MailPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'none'; base-uri 'none'; frame-ancestors 'self'"

// Inert sets the headers of a response with another party's content. policy is its content security policy.
func Inert(h http.Header, contentType, policy string) {
	h.Set("Content-Type", contentType)
	h.Set("Content-Security-Policy", policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
}
