package verbs

import (
	"context"
	"time"

	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/otp"
)

// OTP returns the table of commands for one-time codes.
func OTP(service *otp.Service, directory *account.Directory) verb.Verbs {
	return byOperator(&otpService{service, directory}, otpVerbs())
}

func otpVerbs() verb.Verbs {
	return verb.Verbs{
		verb.Define("otp.list", "Show one-time codes of the last 24 hours", verb.Reads, (*otpService).list).Explained("Show the one-time codes of the last 24 hours: how many were sent and verified by prefix, and which prefixes are blocked."),
		verb.Define("otp.lift", "Unblock one-time codes for a prefix, country, or account", verb.Changes, (*otpService).unblock).Explained("Reset this hour's count of one-time codes to a prefix or country. With --account, reset the account's count, or unblock a prefix that is blocked for it."),
	}
}

type otpService struct {
	service   *otp.Service
	directory *account.Directory
}

// OTPInput is the maximum number of entries in each list.
type OTPInput struct {
	Limit int `json:"limit" flag:"limit" default:"20" help:"number of lines per list"`
}

// OTPTraffic summarizes the recipients of codes, except for simulated ones.
type OTPTraffic struct {
	Prefixes []OTPPrefix `json:"prefixes"` // of the last 24 hours: blocked prefixes first, then those with the most unverified codes
	Caps     []OTPCap    `json:"caps"`     // for this hour, those closest to their limit first
}

// An OTPPrefix counts an account's codes to numbers with the same prefix.
type OTPPrefix struct {
	AccountID    string     `json:"accountId" col:"ACCOUNT"`
	AccountName  string     `json:"accountName"` // empty: the account is erased
	Prefix       string     `json:"prefix" col:"PREFIX"`
	Country      string     `json:"country" col:"COUNTRY"`
	Sent         int64      `json:"sent" col:"SENT"`
	Verified     int64      `json:"verified" col:"VERIFIED"`
	Percent      int64      `json:"percent" col:"PERCENT"` // verified codes, as a percentage of those sent
	BlockedUntil *time.Time `json:"blockedUntil" col:"BLOCKED UNTIL"`
}

// An OTPCap counts this hour's codes to an area, for all accounts or for one.
type OTPCap struct {
	AccountID   string `json:"accountId,omitempty" col:"ACCOUNT"`
	AccountName string `json:"accountName,omitempty"`
	Country     string `json:"country,omitempty" col:"COUNTRY"`
	Prefix      string `json:"prefix,omitempty" col:"THIS HOUR"`
	Sent        int64  `json:"sent" col:"SENT"`
	Most        *int64 `json:"most" col:"MOST"` // null: unknown, without the server
}

const (
	otpWindow = 24 * time.Hour
	maxOTP    = 1000
	percent   = 100
)

func (h *otpService) list(ctx context.Context, in *OTPInput) (OTPTraffic, error) {
	out := OTPTraffic{Prefixes: []OTPPrefix{}, Caps: []OTPCap{}}
	if in.Limit < 1 || in.Limit > maxOTP {
		return out, verb.Refuse("The limit must be 1 to %d.", maxOTP)
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
	if err != nil {
		return out, err
	}
	return out, h.name(ctx, &out)
}

// name sets the names of the accounts in a summary.
func (h *otpService) name(ctx context.Context, t *OTPTraffic) error {
	ids := verb.Each(t.Prefixes, func(p *OTPPrefix) string { return p.AccountID })
	names, err := h.directory.Names(ctx, append(ids, verb.Each(t.Caps, func(c *OTPCap) string { return c.AccountID })...))
	for i := range t.Prefixes {
		t.Prefixes[i].AccountName = names[t.Prefixes[i].AccountID]
	}
	for i := range t.Caps {
		t.Caps[i].AccountName = names[t.Caps[i].AccountID]
	}
	return err
}

// OTPUnblock identifies a prefix or a country whose limit for this hour is reset, for all accounts or for one. For
// one account, it can also be a blocked prefix.
type OTPUnblock struct {
	AccountID string `json:"accountId" flag:"account" help:"account ID, or its owner's email address (default: all accounts)"`
	Area      string `json:"area" arg:"AREA" help:"prefix, or calling code of a country"`
}

// OTPUnblocked is the result of [OTPUnblock].
type OTPUnblocked struct {
	Area      string `json:"area" row:"lifted"`
	Unblocked bool   `json:"lifted"`
}

func (h *otpService) unblock(ctx context.Context, in *OTPUnblock) (OTPUnblocked, error) {
	lifted, err := h.service.Unblock(ctx, in.AccountID, in.Area)
	if err == nil && !lifted {
		err = verb.Refuse("No codes are blocked for this prefix or country. To see blocked prefixes, run griot admin otp list.")
	}
	return OTPUnblocked{Area: in.Area, Unblocked: lifted}, err
}
