package httpx

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"griot/internal/intake"
)

// Bounds of the bodies of requests that are not authenticated yet.
const (
	MaxUnauthenticated = 16 << 10 // bytes of one
	allUnauthenticated = 64 << 20 // bytes of all that share a budget
)

// LimitUnauthenticated guards a route that reads its body before it knows who sends it. Routes that share a budget are
// bounded together.
func (a *API) LimitUnauthenticated(budget *intake.Budget, next http.Handler) http.Handler {
	return a.Handle(func(w http.ResponseWriter, r *http.Request) error {
		body, release, err := budget.Read(w, r, MaxUnauthenticated, allUnauthenticated)
		defer release()
		switch {
		case errors.Is(err, intake.ErrTooLarge):
			return a.Kinds.TooLarge.Err()
		case errors.Is(err, intake.ErrFull):
			return a.Kinds.Busy.After(unavailableRetry)
		case err != nil:
			return a.Kinds.JSON.Because(err)
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
		return nil
	})
}
