package admin

import (
	"context"
	"time"

	"example.com/griot/internal/admin"
	"example.com/griot/messaging/otp"
)

// OTP returns the table of one-time codes.
func OTP(service *otp.Service) admin.Verbs {
	return byOperator(&otpService{service}, otpVerbs())
}

func otpVerbs() admin.Verbs {
	return admin.Verbs{
		admin.Define("otp.list", "Show where codes went in 24 hours, how many came back, and what is held back", admin.Reads, (*otpService).list),
		admin.Define("otp.lift", "Let codes go again to a prefix or country whose hour is used up; with an account, to its share of it, or to a prefix that is held back", admin.Changes, (*otpService).unblock),
	}
}

type otpService struct{ service *otp.Service }

// OTPInput is the number of lines in each list.
type OTPInput struct {
	Limit int `json:"limit" flag:"limit" default:"20" help:"how many lines of each list"`
}

// OTPTraffic lists where codes go, except simulated ones.
type OTPTraffic struct {
	Prefixes []OTPPrefix `json:"prefixes"` // of the last 24 hours: blocked ones first, then those with the most codes that did not come back
	Caps     []OTPCap    `json:"caps"`     // of this hour, the fullest first
}

// OTPPrefix is what an account has sent to numbers that begin alike.
type OTPPrefix struct {
	AccountID    string     `json:"accountId" col:"ACCOUNT"`
	Prefix       string     `json:"prefix" col:"PREFIX"`
	Country      string     `json:"country" col:"COUNTRY"`
	Sent         int64      `json:"sent" col:"SENT"`
	Verified     int64      `json:"verified" col:"VERIFIED"`
	Percent      int64      `json:"percent" col:"PERCENT"` // verified, of those that were sent
	BlockedUntil *time.Time `json:"blockedUntil" col:"BLOCKED UNTIL"`
}

// OTPCap counts this hour's codes to an area, of all accounts or of one.
type OTPCap struct {
	AccountID string `json:"accountId,omitempty" col:"ACCOUNT"`
	Country   string `json:"country,omitempty" col:"COUNTRY"`
	Prefix    string `json:"prefix,omitempty" col:"THIS HOUR"`
	Sent      int64  `json:"sent" col:"SENT"`
	Most      *int64 `json:"most" col:"MOST"` // null: not known, without the server
}

const (
	otpWindow = 24 * time.Hour
	maxOTP    = 1000
	percent   = 100
)

func (h *otpService) list(ctx context.Context, in *OTPInput) (OTPTraffic, error) {
	out := OTPTraffic{Prefixes: []OTPPrefix{}, Caps: []OTPCap{}}
	if in.Limit < 1 || in.Limit > maxOTP {
		return out, admin.Refuse("The limit is 1 to %d.", maxOTP)
	}
	prefixes, err := h.service.Traffic(ctx, otpWindow, in.Limit)
	if err != nil {
		return out, err
	}
	for _, t := range prefixes {
		p := OTPPrefix{AccountID: t.AccountID, Prefix: t.Prefix, Country: t.Country, Sent: t.Sent, Verified: t.Verified, Percent: t.Verified * percent / max(t.Sent, 1)}
		if !t.BlockedUntil.IsZero() {
			p.BlockedUntil = &t.BlockedUntil
		}
		out.Prefixes = append(out.Prefixes, p)
	}
	caps, err := h.service.Caps(ctx, in.Limit)
	for _, c := range caps {
		shown := OTPCap{AccountID: c.AccountID, Country: c.Country, Prefix: c.Prefix, Sent: c.Sent}
		if c.Most > 0 {
			shown.Most = &c.Most
		}
		out.Caps = append(out.Caps, shown)
	}
	return out, err
}

// OTPUnblock names a prefix or a country whose cap of this hour is to be reset, of all
// accounts or of one. Of one account it also names a blocked prefix.
type OTPUnblock struct {
	AccountID string `json:"accountId" flag:"account" help:"whose codes"`
	Area      string `json:"area" arg:"AREA" help:"a prefix, or a country's calling code"`
}

// OTPUnblocked is the result of [OTPUnblock].
type OTPUnblocked struct {
	Area      string `json:"area" row:"lifted"`
	Unblocked bool   `json:"lifted"`
}

func (h *otpService) unblock(ctx context.Context, in *OTPUnblock) (OTPUnblocked, error) {
	lifted, err := h.service.Unblock(ctx, in.AccountID, in.Area)
	if err == nil && !lifted {
		err = admin.Refuse("Nothing holds codes back there: see otp list.")
	}
	return OTPUnblocked{Area: in.Area, Unblocked: lifted}, err
}
