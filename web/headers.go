package web

import (
	"net/http"
	"strings"
)

// CSP is the content security policy of every page: only files and addresses of this service are loaded, run or called.
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// phonesCSP lets the page of the virtual phones show what is on them, from this service too: mails in frames, sounds and films.
const phonesCSP = CSP + "; frame-src 'self'; media-src 'self'"

// formCSP lets the forms of a page lead to other sites too: browsers hold form-action for where a form's answer leads.
func formCSP(origins []string) string {
	const own = "form-action 'self'"
	return strings.Replace(CSP, own, own+" "+strings.Join(origins, " "), 1)
}

// Headers sets the headers of every page, except for caching, which its handler sets.
func Headers(h http.Header) {
	Secure(h)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept-Language")
}

// Secure sets the security headers of every page, and of every redirect.
func Secure(h http.Header) {
	h.Set("Content-Security-Policy", CSP)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, forms and fetches would send "Origin: null"
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
}
