package webhook

import (
	"context"
	"errors"
	"io"
	"net/http"
)

const maxBody = 1 << 20

// Read reads the body of a request, verifies it, and returns the event. If the body exceeds the size limit, the error
// is [ErrTooLarge].
func (v *Verifier) Read(r *http.Request) (*Event, error) {
	body, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, maxBody))
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return nil, ErrTooLarge
	}
	if err != nil {
		return nil, err
	}
	return v.Event(r.Header, body)
}

// Handler returns an endpoint that passes verified events to handle. If handle returns an error, Handler responds
// with 500, and Griot delivers the event again. Griot also repeats an event if the response is lost, so handle must
// ignore IDs that it has already handled. For work that takes more than a few seconds, let handle store the event and
// process it later.
func (v *Verifier) Handler(handle func(ctx context.Context, e *Event) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.Header().Set("Allow", http.MethodPost)
			http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
			return
		}
		e, err := v.Read(r)
		switch {
		case errors.Is(err, ErrTooLarge):
			http.Error(w, "too large", http.StatusRequestEntityTooLarge)
		case errors.Is(err, ErrBody):
			http.Error(w, "no event", http.StatusBadRequest)
		case err != nil:
			http.Error(w, "invalid signature", http.StatusUnauthorized)
		case handle(r.Context(), e) != nil:
			http.Error(w, "try again", http.StatusInternalServerError)
		default:
			w.WriteHeader(http.StatusNoContent)
		}
	})
}
