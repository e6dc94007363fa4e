package api

import (
	"context"
	"net/http"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/fault"
	"example.com/griot/internal/httpx"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/delivery"
	"example.com/griot/messaging/health"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/outbox"
	"example.com/griot/messaging/quota"
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

// A SenderState is a sender with the state of its connection.
type SenderState struct {
	account.Sender
	gateway.ConnDetail
	Since  time.Time // zero: the state has only just started
	Health delivery.Health
	WarmUp *WarmUpState // nil: no limit
}

// A WarmUpState is the progress of a sender's warm-up.
type WarmUpState struct {
	Limit, Used int64 // today's
	EndsAt      time.Time
}

// Senders lists an account's senders in the order in which they are tried, followed by the platform's.
func (a *API) Senders(ctx context.Context, of *account.Account) ([]SenderState, error) {
	connections, err := health.Connections(a.o.DB.Read(ctx), of.ID)
	if err != nil {
		return nil, err
	}
	day := quota.Day(a.o.Now())
	used, err := quota.SendersUsed(a.o.DB.Read(ctx), of.ID, day)
	if err != nil {
		return nil, err
	}
	out := make([]SenderState, 0, len(of.Senders))
	for _, s := range of.Senders {
		state := SenderState{Sender: s, ConnDetail: a.o.Engine.Detail(s), Health: a.o.Engine.Health(s.ID)}
		if k := connections[s.ID]; k.State == state.State {
			state.Since = k.Since
		}
		if limit, ok := s.WarmUp.Allowance(day); ok {
			state.WarmUp = &WarmUpState{limit, used[s.ID], quota.DayStart(s.WarmUp.From + s.WarmUp.Days)}
		}
		out = append(out, state)
	}
	return out, nil
}

// SenderDetails are a sender with the data that only its own account can see.
type SenderDetails struct {
	SenderState
	Queue       *outbox.Depth    // nil: a sender of the platform
	History     []health.Change  // the latest states of its connection, newest first
	LastFailure *message.Message // its latest failed message, among the latest messages of the account; nil: none
}

// Sender returns one of an account's senders or of the platform's. For missing senders and those of other accounts,
// the error is sender_not_found.
func (a *API) Sender(ctx context.Context, of *account.Account, senderID string) (*SenderDetails, error) {
	all, err := a.Senders(ctx, of)
	if err != nil {
		return nil, err
	}
	for _, s := range all {
		if s.ID != senderID {
			continue
		}
		out := &SenderDetails{SenderState: s}
		failed, _, err := message.List(a.o.DB.Read(ctx), &message.Filter{AccountID: of.ID, SenderID: s.ID, Status: message.Failed, Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(failed) == 1 {
			out.LastFailure = failed[0]
		}
		if out.History, err = health.History(a.o.DB.Read(ctx), s.ID); err != nil || s.AccountID == "" {
			return out, err
		}
		depth, err := a.o.Engine.Depth(ctx, s.ID)
		out.Queue = &depth
		return out, err
	}
	return nil, fault.SenderNotFound.Err().Detailf("The account doesn't have this sender.")
}

// PauseSender pauses or resumes one of an account's own senders. Only operators manage the platform's senders.
func (a *API) PauseSender(ctx context.Context, of *account.Account, senderID string, paused bool) error {
	for _, s := range of.Senders {
		if s.ID == senderID && s.AccountID == "" {
			return fault.Forbidden.Err().Detailf("All accounts share this sender, so only the operator can change it.")
		}
	}
	set := a.o.Directory.ResumeSender
	if paused {
		set = a.o.Directory.PauseSender
	}
	found, err := set(ctx, of.ID, senderID)
	if err == nil && !found {
		err = fault.SenderNotFound.Err().Detailf("The account doesn't have this sender.")
	}
	return err
}

func senderOf(s *SenderState) senderItem {
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
	all, err := a.Senders(r.Context(), c.Account)
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
	return a.writeSender(w, r, c.Account)
}

func (a *API) writeSender(w http.ResponseWriter, r *http.Request, of *account.Account) error {
	s, err := a.Sender(r.Context(), of, r.PathValue("id"))
	if err != nil {
		return err
	}
	out := senderAnswer{Success: true, Sender: senderOf(&s.SenderState), History: []stateItem{}}
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
	if err := a.PauseSender(r.Context(), c.Account, r.PathValue("id"), paused); err != nil {
		return err
	}
	of, err := a.o.Directory.Account(r.Context(), c.Account.ID)
	if err != nil {
		return err
	}
	if of == nil {
		return fault.AccountNotFound.Err()
	}
	return a.writeSender(w, r, of)
}
