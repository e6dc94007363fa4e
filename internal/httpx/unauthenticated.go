package httpx

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"example.com/griot/internal/intake"
)

// Limits of the bodies of unauthenticated requests.
const (
	MaxUnauthenticated = 16 << 10 // bytes of one body
	AllUnauthenticated = 64 << 20 // bytes of all bodies that share a budget
)

// LimitUnauthenticated guards a route that reads its body before it authenticates the sender. Routes that share a
// budget are limited together.
func (a *API) LimitUnauthenticated(budget *intake.Budget, next http.Handler) http.Handler {
	return a.Handle(func(w http.ResponseWriter, r *http.Request) error {
		body, release, err := a.ReadUnauthenticated(budget, w, r, MaxUnauthenticated, AllUnauthenticated)
		defer release()
		if err != nil {
			return err
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
		return nil
	})
}

// ReadUnauthenticated reads a body from an unauthenticated sender. most is its maximum size in bytes, and all that of
// all bodies of the budget. The caller must call release when it no longer needs the body, also after an error.
func (a *API) ReadUnauthenticated(budget *intake.Budget, w http.ResponseWriter, r *http.Request, most, all int64) (body []byte, release func(), err error) {
	body, release, err = budget.Read(w, r, most, all)
	switch {
	case errors.Is(err, intake.ErrTooLarge):
		err = a.Kinds.TooLarge.Err()
	case errors.Is(err, intake.ErrFull):
		err = a.Kinds.Busy.After(unavailableRetry)
	case err != nil:
		err = a.Kinds.JSON.Because(err)
	}
	return body, release, err
}
