package verbs

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/quota"
)

// A FoundSender is a sender with its account and its state.
type FoundSender struct {
	Sender
	Connection

	AccountID   string     `json:"accountId" col:"ACCOUNT"` // empty: a sender of the platform
	AccountName string     `json:"accountName" col:"NAME"`
	PausedAt    *time.Time `json:"pausedAt" col:"PAUSED SINCE"`
	WarmLimit   *int64     `json:"warmLimit" page:"limit today"` // messages that the warm-up allows today; null: no warm-up
}

// A SenderSearch selects a page of the senders of all accounts, newest first.
type SenderSearch struct {
	Text   string `json:"text" flag:"find" help:"account ID, or part of an address or of an account's name"` // part of an address or of an account's name, or an account's ID; empty: all
	Before string `json:"before" flag:"before" help:"last sender of the previous page"`                      // the last ID of the previous page
	Limit  int    `json:"limit" flag:"limit" default:"100" help:"number of senders, at most 1000"`
}

// A SenderPage is a page of search results.
type SenderPage struct {
	Senders []FoundSender `json:"senders"`
	Next    string        `json:"next"` // empty after the last page
}

func (h *service) foundSender(s *account.NamedSender) FoundSender {
	out := FoundSender{Sender: shownSender(&s.Sender), AccountID: s.AccountID, AccountName: s.AccountName, Connection: h.connection(&s.Sender), PausedAt: verb.TimeOrNull(s.PausedAt)}
	if limit, warming := s.WarmUp.Allowance(quota.Day(h.Directory.Now())); warming {
		out.WarmLimit = &limit
	}
	return out
}

func (h *service) findSenders(ctx context.Context, in *SenderSearch) (SenderPage, error) {
	switch {
	case in.Limit < 1 || in.Limit > maxListed:
		return SenderPage{}, verb.Refuse("The limit must be 1 to %d.", maxListed)
	case utf8.RuneCountInString(in.Text) > maxSearch:
		return SenderPage{}, verb.Refuse("A search can have at most %d characters.", maxSearch)
	}
	found, next, err := h.Directory.FindSenders(ctx, account.SenderSearch{Text: strings.TrimSpace(in.Text), Before: in.Before, Limit: in.Limit})
	return SenderPage{Senders: verb.Each(found, h.foundSender), Next: next}, err
}

func (h *service) showSender(ctx context.Context, in *ByID) (FoundSender, error) {
	s, err := h.namedSender(ctx, in.ID)
	if err != nil {
		return FoundSender{}, err
	}
	return h.foundSender(s), nil
}

func (h *service) namedSender(ctx context.Context, senderID string) (*account.NamedSender, error) {
	if senderID == "" {
		return nil, noSender()
	}
	found, _, err := h.Directory.FindSenders(ctx, account.SenderSearch{ID: senderID, Limit: 1})
	if err == nil && len(found) == 0 {
		err = noSender()
	}
	if err != nil {
		return nil, err
	}
	return &found[0], nil
}

func noSender() error { return verb.Refuse("The sender doesn't exist.") }

func (h *service) pauseSender(ctx context.Context, in *ByID) (FoundSender, error) {
	return h.setPaused(ctx, in, h.Directory.PauseSender)
}

func (h *service) resumeSender(ctx context.Context, in *ByID) (FoundSender, error) {
	return h.setPaused(ctx, in, h.Directory.ResumeSender)
}

func (h *service) setPaused(ctx context.Context, in *ByID, set func(ctx context.Context, accountID, senderID string) (bool, error)) (FoundSender, error) {
	s, err := h.namedSender(ctx, in.ID)
	if err != nil {
		return FoundSender{}, err
	}
	found, err := set(ctx, s.AccountID, s.ID)
	if err == nil && !found {
		err = noSender()
	}
	if err != nil {
		return FoundSender{}, err
	}
	return h.showSender(ctx, in)
}
