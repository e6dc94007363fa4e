package web

import (
	"net/http"
	"strings"
)

// CSP is the content security policy of every page: only files and addresses of this service are loaded, run, or called.
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// framesCSP lets a page show emails in frames, from this service only. The frames' own policy is [httpx.MailPolicy].
const framesCSP = CSP + "; frame-src 'self'"

// phonesCSP lets the page of the virtual phones show what is on them, from this service too: mails in frames, sounds, and films.
const phonesCSP = framesCSP + "; media-src 'self'"

// formCSP lets the forms of a page lead to other sites too: browsers hold form-action for where a form's answer leads.
func formCSP(origins []string) string {
	const own = "form-action 'self'"
	return strings.Replace(CSP, own, own+" "+strings.Join(origins, " "), 1)
}

// isOfLogin reports whether a path is one of the pages through which an application signs a person in. An application can open
// them in a pop-up window and wait there for its callback.
func isOfLogin(path string) bool {
	return path == "/waiting.html" || path == "/authorize" || strings.HasPrefix(path, "/authorize/")
}

// Headers sets the headers of a page at a path, except for caching, which its handler sets.
func Headers(h http.Header, path string) {
	Secure(h, path)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept-Language")
}

// Secure sets the security headers of a page or a redirect at a path. The opener policy separates a page from the pages of
// other sites that open it. Each response of a login is without it, because one would separate the callback, too.
func Secure(h http.Header, path string) {
	h.Set("Content-Security-Policy", CSP)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, forms and fetches would send "Origin: null"
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	if !isOfLogin(path) {
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
}
