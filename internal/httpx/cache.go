package httpx

import "net/http"

var noStoreValue = []string{"no-store"}

// setNoStore keeps a response out of caches. It is set for every response before its handler runs, because most are for
// one person. Handlers of public content replace it: a [Document], and the files of pages.
func setNoStore(h http.Header) { h["Cache-Control"] = noStoreValue }

// noStore returns a handler whose responses stay out of caches unless next sets another value.
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setNoStore(w.Header())
		next.ServeHTTP(w, r)
	})
}
