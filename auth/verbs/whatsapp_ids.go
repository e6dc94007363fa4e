package verbs

import (
	"context"
	"strings"
	"time"

	"example.com/griot/gateway/identity"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/verb"
	"example.com/griot/internal/whatsappid"
)

// WhatsAppIDsInput selects WhatsApp IDs.
type WhatsAppIDsInput struct {
	Of    string `json:"of" flag:"of" number:"true" help:"phone number or WhatsApp ID"`                      // empty: all
	Only  string `json:"only" flag:"only" oneof:"conflicts" help:"conflicts: only IDs with several numbers"` // empty: all
	After string `json:"after" flag:"after" help:"PAIR of the last line of the previous page"`               // empty: from the start
	Limit int    `json:"limit" flag:"limit" default:"100" help:"number of lines, at most 1000"`
}

// A WhatsAppID is a WhatsApp ID with a phone number that was reported with it.
type WhatsAppID struct {
	Pair        string     `json:"pair" col:"PAIR"` // identifies it in commands
	Portfolio   string     `json:"portfolio" col:"PORTFOLIO"`
	ID          string     `json:"id" col:"ID"`
	Number      string     `json:"number" col:"NUMBER"`
	Source      string     `json:"source" col:"SOURCE"` // message, receipt, change, gateway, or shared
	LearnedAt   time.Time  `json:"learnedAt" col:"LEARNED AT"`
	ConfirmedAt time.Time  `json:"confirmedAt" col:"CONFIRMED AT"`
	WithdrawnAt *time.Time `json:"withdrawnAt" col:"WITHDRAWN AT"` // null: in use
	Reason      string     `json:"reason" col:"REASON"`            // newer_id, moved, or operator; empty: in use
}

const (
	maxWhatsAppIDs = 1000
	onlyConflicts  = "conflicts"
	pairSeparator  = "~" // in no part of a pair
)

func pairOf(p *identity.Pair) string {
	return strings.Join([]string{p.Portfolio, p.ID, p.Number}, pairSeparator)
}

// parsePair returns the parts of a pair's name.
func parsePair(s string) (p identity.Pair, ok bool) {
	parts := strings.Split(s, pairSeparator)
	if len(parts) != 3 {
		return p, false
	}
	return identity.Pair{Portfolio: parts[0], ID: parts[1], Number: parts[2]}, true
}

func (s *service) listWhatsAppIDs(ctx context.Context, in *WhatsAppIDsInput) ([]WhatsAppID, error) {
	filter := identity.Filter{Half: strings.TrimSpace(in.Of), Conflicts: in.Only == onlyConflicts}
	if in.Only != "" && in.Only != onlyConflicts {
		return nil, verb.Refuse("Only must be %s.", onlyConflicts)
	}
	if in.Limit < 1 || in.Limit > maxWhatsAppIDs {
		return nil, verb.Refuse("The limit must be 1 to %d.", maxWhatsAppIDs)
	}
	if number, err := phone.Lookup(filter.Half); err == nil {
		filter.Half = string(number)
	} else if filter.Half != "" && !whatsappid.Is(filter.Half) {
		return nil, verb.Refuse("Specify a phone number with its country code, or a WhatsApp ID such as ML.9001 or 123456789@lid.")
	}
	if in.After != "" {
		after, ok := parsePair(in.After)
		if !ok {
			return nil, verb.Refuse("Specify a pair from the list, such as shops~ML.9001~22376000001.")
		}
		filter.After = after
	}
	pairs, err := s.logins.ListIDs(ctx, &filter, in.Limit)
	out := []WhatsAppID{}
	for i := range pairs {
		p := &pairs[i]
		shown := WhatsAppID{
			Pair: pairOf(p), Portfolio: p.Portfolio, ID: p.ID, Number: phone.Shown(p.Number), Source: string(p.Source),
			LearnedAt: p.LearnedAt, ConfirmedAt: p.ConfirmedAt, Reason: string(p.Reason),
		}
		if !p.WithdrawnAt.IsZero() {
			shown.WithdrawnAt = &p.WithdrawnAt
		}
		out = append(out, shown)
	}
	return out, err
}

// WhatsAppPairInput identifies a WhatsApp ID and a number.
type WhatsAppPairInput struct {
	Pair string `json:"pair" arg:"PAIR" help:"portfolio, ID, and number, as in the list"`
}

// WithdrawnPair is the result of a withdrawal.
type WithdrawnPair struct {
	Pair string `json:"pair" row:"withdrawn"`
}

func (s *service) withdrawWhatsAppID(ctx context.Context, in *WhatsAppPairInput) (WithdrawnPair, error) {
	p, ok := parsePair(in.Pair)
	if !ok || !whatsappid.Is(p.ID) {
		return WithdrawnPair{}, verb.Refuse("Specify a pair from the list, such as shops~ML.9001~22376000001.")
	}
	done, err := s.logins.WithdrawID(ctx, &p)
	if err == nil && !done {
		err = verb.Refuse("This WhatsApp ID and number aren't in use together. To see those that are, run griot admin people ids list.")
	}
	return WithdrawnPair{in.Pair}, err
}
