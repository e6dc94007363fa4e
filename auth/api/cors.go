package api

import (
	"net/http"
	"slices"
	"strings"

	"example.com/griot/internal/httpx"
)

// anyOrigin lets scripts of any site read the response, without credentials. They can also read the headers for the
// retry time and the request ID.
func anyOrigin(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Access-Control-Expose-Headers", "Retry-After, X-Request-Id")
		next.ServeHTTP(w, r)
	})
}

// preflight returns the route for the preflight requests that browsers send before a script of another site
// calls a path with a method.
func preflight(path, method string) httpx.Route {
	return httpx.Route{Method: http.MethodOptions, Path: path, Access: httpx.Anyone, Handler: anyOrigin(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Access-Control-Allow-Methods", method)
		h.Set("Access-Control-Allow-Headers", allowedHeaders(r))
		h.Set("Access-Control-Max-Age", "600")
		h.Add("Vary", requestHeaders)
		w.WriteHeader(http.StatusNoContent)
	}))}
}

// requestHeaders is the header in which a browser names the headers that a script wants to send.
const requestHeaders = "Access-Control-Request-Headers"

// maxRequestHeaders bounds the names that a preflight's response repeats, in bytes.
const maxRequestHeaders = 1024

// allowedHeaders returns the headers that a script can send: those of the endpoints, and the ones that the browser asks
// for, such as traceparent. These endpoints read no cookie, and Griot ignores unknown headers, so none of them does
// harm.
func allowedHeaders(r *http.Request) string {
	allowed := []string{"Authorization", "Content-Type"}
	asked := strings.Join(r.Header.Values(requestHeaders), ",")
	if len(asked) > maxRequestHeaders {
		asked = ""
	}
	for name := range strings.SplitSeq(asked, ",") {
		name = strings.Trim(name, " \t")
		if isToken(name) && !slices.ContainsFunc(allowed, func(a string) bool { return strings.EqualFold(a, name) }) {
			allowed = append(allowed, name)
		}
	}
	return strings.Join(allowed, ", ")
}

// isToken reports whether s is a valid header name (RFC 9110 §5.6.2).
func isToken(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune("!#$%&'*+-.^_`|~", r)
	})
}
