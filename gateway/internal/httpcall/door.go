package httpcall

import (
	"errors"
	"net/http"

	"griot/internal/intake"
)

// Door takes a provider's calls to us. Before anything of a call is known to be the
// provider's, its body is bounded, in time too, and so are all bodies together.
type Door struct {
	MaxBody int64                                  // bytes of one body
	MaxHeld int64                                  // bytes of all bodies in memory; beyond, 503
	Take    func(r *http.Request, body []byte) int // checks the signature of the raw body, then acts; returns the status to answer
	bodies  intake.Budget
}

// ServeHTTP implements [http.Handler]. It answers POST only, with a status and no body.
func (d *Door) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", http.MethodPost)
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	body, release, err := d.bodies.Read(w, r, d.MaxBody, d.MaxHeld)
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
		w.WriteHeader(d.Take(r, body))
	}
}
