package api

import (
	"net/http"
	"time"

	"example.com/griot/internal/httpx"
	"example.com/griot/messaging/account"
)

type otpStatsAnswer struct {
	Success   bool          `json:"success"`
	Since     string        `json:"since"`
	Complete  bool          `json:"complete"`
	Countries []countryItem `json:"countries"`
	Held      []heldPrefix  `json:"held"`
}

type countryItem struct {
	Country       string `json:"country"`
	Sent          int64  `json:"sent"`
	Delivered     int64  `json:"delivered"`
	Verified      int64  `json:"verified"`
	MedianSeconds *int64 `json:"medianSeconds"` // null: no code was verified
}

type heldPrefix struct {
	Prefix   string `json:"prefix"`
	Country  string `json:"country"`
	Sent     int64  `json:"sent"`
	Verified int64  `json:"verified"`
	Since    string `json:"since"`
	Until    string `json:"until"`
	Reason   string `json:"reason"`
}

// reasonTooFew is the reason for blocking a prefix: too few of its latest codes were verified.
const reasonTooFew = "too_few_verified"

// otpStats handles GET /api/otp/stats, for the last 24 hours.
func (a *API) otpStats(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	s, err := a.o.OTP.AccountStats(r.Context(), c, false)
	if err != nil {
		return err
	}
	out := otpStatsAnswer{Success: true, Since: formatTime(s.Since), Complete: s.Complete, Countries: []countryItem{}, Held: []heldPrefix{}}
	for _, t := range s.Countries {
		item := countryItem{Country: t.Country, Sent: t.Sent, Delivered: t.Delivered, Verified: t.Verified}
		if seconds := int64(t.Median / time.Second); t.Verified > 0 {
			item.MedianSeconds = &seconds
		}
		out.Countries = append(out.Countries, item)
	}
	for _, t := range s.Blocked {
		out.Held = append(out.Held, heldPrefix{t.Prefix, t.Country, t.Sent, t.Verified, formatTime(t.BlockedSince), formatTime(t.BlockedUntil), reasonTooFew})
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}
