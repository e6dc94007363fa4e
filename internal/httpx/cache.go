package httpx

import "net/http"

var noStoreValue = []string{"no-store"}

// setNoStore keeps an answer out of caches. Every answer has it before its handler runs, because most are for one person;
// handlers of what is public replace it: a [Document], and the files that pages refer to.
func setNoStore(h http.Header) { h["Cache-Control"] = noStoreValue }

// noStore returns a handler whose answers stay out of caches unless next says otherwise.
func noStore(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setNoStore(w.Header())
		next.ServeHTTP(w, r)
	})
}
