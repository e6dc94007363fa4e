package api

import (
	"net/http"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/sender"
)

type sendersAnswer struct {
	Success bool         `json:"success"`
	Senders []senderItem `json:"senders"`
	Count   int          `json:"count"`
}

type senderItem struct {
	ID       string          `json:"id"`
	Channel  gateway.Channel `json:"channel"`
	Address  string          `json:"address"`
	Gateway  string          `json:"gateway"`
	Platform bool            `json:"platform"` // shared by all accounts
	connectionItem
	Since    *string     `json:"since"`    // null: the state has only just started
	PausedAt *string     `json:"pausedAt"` // null: not paused
	Health   healthItem  `json:"health"`
	WarmUp   *warmUpItem `json:"warmUp"` // null: no limit
}

// A connectionItem is the state of a sender's connection.
type connectionItem struct {
	State  gateway.ConnState `json:"state"`
	Reason *string           `json:"reason"` // null: unknown
	Until  *string           `json:"until"`  // null: unknown
}

func connectionOf(d gateway.ConnDetail) connectionItem {
	return connectionItem{d.State, textOrNull(d.Reason), formatTimeOrNull(d.Until)}
}

type warmUpItem struct {
	Limit  int64   `json:"limit"` // today's limit
	Used   int64   `json:"used"`
	EndsAt *string `json:"endsAt"`
}

type healthItem struct {
	LastAcknowledgedAt  *string `json:"lastAcknowledgedAt"`
	LastFailureAt       *string `json:"lastFailureAt"`
	ConsecutiveFailures int     `json:"consecutiveFailures"`
	RestingUntil        *string `json:"restingUntil"`
}

func senderOf(s *sender.Info) senderItem {
	h := s.Health
	item := senderItem{
		ID: s.ID, Channel: s.Channel, Address: phone.Shown(s.Address), Gateway: s.Gateway, Platform: s.AccountID == "", connectionItem: connectionOf(s.ConnDetail), Since: formatTimeOrNull(s.Since), PausedAt: formatTimeOrNull(s.PausedAt),
		Health: healthItem{formatTimeOrNull(h.AcknowledgedAt), formatTimeOrNull(h.FailedAt), h.Failures, formatTimeOrNull(h.PausedUntil)},
	}
	if w := s.WarmUp; w != nil {
		item.WarmUp = &warmUpItem{w.Limit, w.Used, formatTimeOrNull(w.EndsAt)}
	}
	return item
}

// senders handles GET /api/senders.
func (a *API) senders(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	all, err := a.o.Senders.List(r.Context(), c)
	if err != nil {
		return err
	}
	out := sendersAnswer{Success: true, Senders: []senderItem{}, Count: len(all)}
	for i := range all {
		out.Senders = append(out.Senders, senderOf(&all[i]))
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

type senderAnswer struct {
	Success     bool               `json:"success"`
	Sender      senderItem         `json:"sender"`
	Queue       *queueItem         `json:"queue"`
	LastFailure *senderFailureItem `json:"lastFailure"`
	History     []stateItem        `json:"history"`
}

// A stateItem is a past state of a sender's connection.
type stateItem struct {
	connectionItem
	At string `json:"at"`
}

type queueItem struct {
	Ready int `json:"ready"`
	Later int `json:"later"`
}

type senderFailureItem struct {
	MessageID string       `json:"messageId"`
	At        *string      `json:"at"`
	Error     *statusError `json:"error"`
}

// sender handles GET /api/senders/:id.
func (a *API) sender(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	return a.writeSender(w, r, c)
}

func (a *API) writeSender(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	s, err := a.o.Senders.Find(r.Context(), c, r.PathValue("id"))
	if err != nil {
		return err
	}
	out := senderAnswer{Success: true, Sender: senderOf(&s.Info), History: []stateItem{}}
	for _, c := range s.History {
		out.History = append(out.History, stateItem{connectionOf(c.ConnDetail), formatTime(c.At)})
	}
	if s.Queue != nil {
		out.Queue = &queueItem{s.Queue.Ready, s.Queue.Later}
	}
	if m := s.LastFailure; m != nil {
		out.LastFailure = &senderFailureItem{m.ID, formatTimeOrNull(m.FailedAt), failure(m.Failure)}
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}

// pauseSender handles POST /api/senders/:id/pause.
func (a *API) pauseSender(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	return a.setSenderPaused(w, r, c, true)
}

// resumeSender handles POST /api/senders/:id/resume.
func (a *API) resumeSender(w http.ResponseWriter, r *http.Request, c *account.Caller) error {
	return a.setSenderPaused(w, r, c, false)
}

// setSenderPaused responds with the new state of the sender.
func (a *API) setSenderPaused(w http.ResponseWriter, r *http.Request, c *account.Caller, paused bool) error {
	if err := a.o.Directory.SetPausedFor(r.Context(), c, r.PathValue("id"), paused); err != nil {
		return err
	}
	of, err := a.o.Directory.Account(r.Context(), c.Account.ID)
	if err != nil {
		return err
	}
	if of == nil {
		return apierror.AccountNotFound.Err()
	}
	now := *c
	now.Account = of
	return a.writeSender(w, r, &now)
}
