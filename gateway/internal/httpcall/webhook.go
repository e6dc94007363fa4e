package httpcall

import (
	"errors"
	"net/http"

	"example.com/griot/internal/intake"
)

// Webhook receives a provider's calls. Until a call's signature is checked anybody may have sent it, so the size of each
// body, the time to read it, and the size of all bodies together and of each address are limited. Addresses of signed calls
// keep a share.
type Webhook struct {
	MaxBody int64                                  // bytes of one body
	MaxHeld int64                                  // bytes of all bodies in memory; beyond, 503
	Handle  func(r *http.Request, body []byte) int // checks the signature over the raw body before anything else; returns the status of the response
	bodies  intake.Budget
}

// ServeHTTP implements [http.Handler]. It answers POST only, with a status and no body.
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
