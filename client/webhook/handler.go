package webhook

import (
	"context"
	"errors"
	"io"
	"net/http"
)

const maxBody = 1 << 20

// Read reads a request's body, verifies it, and returns its event. The request's body is bounded: [ErrTooLarge].
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

// Handler returns an endpoint that gives verified events to handle. An error of handle is answered with 500, after which the
// event is delivered again; so is one whose answer is lost: handle drops ids that it knows. Work that takes more than a few
// seconds is better done after handle has stored the event.
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
