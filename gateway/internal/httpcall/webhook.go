package httpcall

import (
	"errors"
	"net/http"

	"example.com/griot/internal/intake"
)

// Webhook receives a provider's calls. Until a call's signature is checked, anyone might have sent it. Therefore, the
// size of each body, the time to read it, and the total size of all bodies and of each address are limited. A share
// is reserved for addresses of signed calls.
type Webhook struct {
	MaxBody int64                                  // of one body, in bytes
	MaxHeld int64                                  // of all bodies in memory, in bytes; above it, the response is 503
	Handle  func(r *http.Request, body []byte) int // checks the signature of the raw body before anything else; returns the response's status
	bodies  intake.Budget
}

// ServeHTTP implements [http.Handler]. It accepts only POST and responds with a status and no body.
func (h *Webhook) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, release, err := h.bodies.Read(w, r, h.MaxBody, h.MaxHeld)
	defer release()
	switch {
	case errors.Is(err, intake.ErrTooLarge):
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	case errors.Is(err, intake.ErrFull):
		w.Header().Set("Retry-After", "5")
		w.WriteHeader(http.StatusServiceUnavailable)
	case err != nil:
		w.WriteHeader(http.StatusBadRequest)
	default:
		status := h.Handle(r, body)
		if status/100 == 2 { // the signature is valid
			h.bodies.Prove(r)
		}
		w.WriteHeader(status)
	}
}
