package api

import (
	"context"
	"net/http"

	"example.com/griot/internal/fault"
)

// sandboxHeader asks for a simulation, as the member sandbox does.
const sandboxHeader = "X-Svc-Sandbox"

// sandboxed reports whether a request is to be simulated, by its member or its header. A
// header that says neither yes nor no is refused (M86): nobody is to believe that nothing was sent.
func sandboxed(r *http.Request, member bool) (bool, error) {
	for _, h := range r.Header.Values(sandboxHeader) {
		switch h {
		case "1", "true":
			member = true
		case "0", "false":
		default:
			return false, fault.InvalidRequest.On(sandboxHeader).Detailf("%s is 0, 1, true, or false.", sandboxHeader)
		}
	}
	return member, nil
}

type simulated struct{} // the key, in a context, of whether an assistant's call is to be simulated

// simulating lets the header hold for what an assistant sends.
func (a *API) simulating(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		sandbox, err := sandboxed(r, false)
		if err != nil {
			a.http.Fail(w, r, err)
			return
		}
		if sandbox {
			r = r.WithContext(context.WithValue(r.Context(), simulated{}, true))
		}
		h.ServeHTTP(w, r)
	})
}

func isSimulated(ctx context.Context) bool { return ctx.Value(simulated{}) != nil }
