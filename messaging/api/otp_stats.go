package api

import (
	"net/http"

	"griot/internal/httpx"
)

type otpStatsAnswer struct {
	Success   bool          `json:"success"`
	Since     string        `json:"since"`
	Complete  bool          `json:"complete"`
	Countries []countryItem `json:"countries"`
	Held      []heldPrefix  `json:"held"`
}

type countryItem struct {
	Country  string `json:"country"`
	Sent     int64  `json:"sent"`
	Verified int64  `json:"verified"`
}

type heldPrefix struct {
	Prefix   string `json:"prefix"`
	Country  string `json:"country"`
	Sent     int64  `json:"sent"`
	Verified int64  `json:"verified"`
	Until    string `json:"until"`
}

// otpStats: GET /api/otp/stats, of the last 24 hours.
func (a *API) otpStats(w http.ResponseWriter, r *http.Request) error {
	c, err := a.accountOrSession(w, r)
	if err != nil {
		return err
	}
	s, err := a.o.OTP.AccountStats(r.Context(), c.Account.ID, c.SandboxOnly())
	if err != nil {
		return err
	}
	out := otpStatsAnswer{Success: true, Since: formatTime(s.Since), Complete: s.Complete, Countries: []countryItem{}, Held: []heldPrefix{}}
	for _, t := range s.Countries {
		out.Countries = append(out.Countries, countryItem(t))
	}
	for _, t := range s.Blocked {
		out.Held = append(out.Held, heldPrefix{t.Prefix, t.Country, t.Sent, t.Verified, formatTime(t.BlockedUntil)})
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}
