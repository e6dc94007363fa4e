package api

import (
	"context"
	"net/http"

	"example.com/griot/internal/apierror"
)

// sandboxHeader requests a simulation, like the field sandbox.
const sandboxHeader = "X-Svc-Sandbox"

// sandboxed reports whether a request is simulated, because of its field or its header. It refuses a header with any
// other value than yes or no (M86), because a caller must not wrongly assume that nothing was sent.
func sandboxed(r *http.Request, member bool) (bool, error) {
	for _, h := range r.Header.Values(sandboxHeader) {
		switch h {
		case "1", "true":
			member = true
		case "0", "false":
		default:
			return false, apierror.InvalidRequest.On(sandboxHeader).Detailf("%s must be 0, 1, true, or false.", sandboxHeader)
		}
	}
	return member, nil
}

type simulated struct{} // the context key for the simulation of an assistant's calls

// simulating applies the header to messages that an assistant sends.
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
