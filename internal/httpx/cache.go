package httpx

import "net/http"

var noStore = []string{"no-store"}

// keepOut keeps an answer out of caches. It is said of every answer before its handler
// runs, because most are somebody's own; those that are everybody's say so themselves:
// a [Document], and the files that pages refer to.
func keepOut(h http.Header) { h["Cache-Control"] = noStore }

// uncached is a handler whose answers stay out of caches unless they say otherwise.
func uncached(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		keepOut(w.Header())
		next.ServeHTTP(w, r)
	})
}
