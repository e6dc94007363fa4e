package api

import (
	"net/http"
	"time"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
)

type stepsOut struct {
	Started  int `json:"started"`
	Opened   int `json:"opened"`
	Verified int `json:"verified"`
	Redeemed int `json:"redeemed"`
}

type dayOut struct {
	Day string `json:"day"`
	stepsOut
}

type statsOut struct {
	Mode          tenant.Mode `json:"mode"`
	Days          []dayOut    `json:"days"`
	Today         stepsOut    `json:"today"`
	Total         stepsOut    `json:"total"`
	MedianSeconds *float64    `json:"medianSeconds"`
	Complete      bool        `json:"complete"`
}

// stats returns the number of a tenant's logins that reached each step.
func (a *API) stats(w http.ResponseWriter, r *http.Request, t *tenant.Tenant) error {
	q, err := query(r)
	if err != nil {
		return err
	}
	mode := tenant.Live
	if q.Has("mode") {
		mode = tenant.Mode(q.Get("mode"))
	}
	if mode != tenant.Live && mode != tenant.Test {
		return apierror.AuthMalformed("mode", "LIVE or TEST")
	}
	s, err := a.tenants.Stats(r.Context(), t.ID, mode)
	if err != nil {
		return err
	}
	out := statsOut{Mode: mode, Days: make([]dayOut, len(s.Days)), Today: stepsOut(s.Today()), Total: stepsOut(s.Total), Complete: s.Complete}
	for i, day := range s.Days {
		out.Days[i] = dayOut{s.First.AddDate(0, 0, i).Format(time.DateOnly), stepsOut(day)}
	}
	if s.Median > 0 {
		out.MedianSeconds = new(s.Median.Seconds())
	}
	return httpx.WriteJSON(w, http.StatusOK, &out)
}
