package httpx

import (
	"bytes"
	"errors"
	"io"
	"net/http"

	"griot/internal/intake"
)

// Bounds of the bodies of those who are not known yet, as the doors of providers have them.
const (
	MaxStranger  = 16 << 10 // bytes of one
	allStrangers = 64 << 20 // of all in a room
)

// Strangers guards a route that reads its body before it knows who sends it: bodies of routes with one room are bounded together.
func (a *API) Strangers(room *intake.Room, next http.Handler) http.Handler {
	return a.Handle(func(w http.ResponseWriter, r *http.Request) error {
		body, release, err := room.Read(w, r, MaxStranger, allStrangers)
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
