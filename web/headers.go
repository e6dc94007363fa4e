package web

import (
	"net/http"
	"strings"
)

// CSP is the content security policy of every page: only files and URLs of this service can be loaded, run, or called.
const CSP = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; " +
	"font-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"

// framesCSP lets a page show emails in frames, from this service only. The frames' own policy is [httpx.MailPolicy].
const framesCSP = CSP + "; frame-src 'self'"

// phonesCSP lets the page of the virtual phones show their content, also from this service only: emails in frames,
// sounds, and videos.
const phonesCSP = framesCSP + "; media-src 'self'"

// formCSP lets the forms of a page redirect to other sites, because browsers also apply form-action to the redirect
// after a form.
func formCSP(origins []string) string {
	const own = "form-action 'self'"
	return strings.Replace(CSP, own, own+" "+strings.Join(origins, " "), 1)
}

// isOfLogin reports whether a path is a page for signing in to an application. An application can open these pages in a
// pop-up window and wait there for its callback.
func isOfLogin(path string) bool {
	return path == "/waiting.html" || path == "/authorize" || strings.HasPrefix(path, "/authorize/")
}

// Headers sets the headers of a page at a path, except for caching, which its handler sets.
func Headers(h http.Header, path string) {
	Secure(h, path)
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Add("Vary", "Accept-Language")
}

// Secure sets the security headers of a page or a redirect at a path. The opener policy separates a page from the pages
// of other sites that open it. No response of a login has it, because a single one would separate the callback, too.
func Secure(h http.Header, path string) {
	h.Set("Content-Security-Policy", CSP)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "same-origin") // with no-referrer, forms and fetches would send "Origin: null"
	h.Set("Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=(), usb=()")
	if !isOfLogin(path) {
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
	}
}
