package httpx

import (
	"io"
	"net/http"
	"regexp"
)

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

// outward matches the start of an element that makes browsers connect to a server even if the policy forbids loading
// it, or that leads to another page. A browser can connect to the server of a link as soon as a person presses it, and
// asks the frame's policy only then.
var outward = regexp.MustCompile(`(?i)<(link|i?frame|object|embed|meta|area|math|a[\s/>])`)

// WriteMail writes an email's HTML for a frame of this service. It opens no connection, also when a person clicks.
func WriteMail(w http.ResponseWriter, html string) error {
	Inert(w.Header(), "text/html; charset=utf-8", MailPolicy)
	_, err := io.WriteString(w, outward.ReplaceAllString(html, "<x-$1"))
	return err
}
