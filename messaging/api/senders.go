package api

import (
	"net/http"

	"griot/gateway"
	"griot/internal/httpx"
	"griot/internal/phone"
	"griot/messaging/health"
	"griot/messaging/quota"
)

type sendersAnswer struct {
	Success bool         `json:"success"`
	Senders []senderItem `json:"senders"`
	Count   int          `json:"count"`
}

type senderItem struct {
	ID       string            `json:"id"`
	Channel  gateway.Channel   `json:"channel"`
	Address  string            `json:"address"`
	Platform bool              `json:"platform"` // every account's
	State    gateway.ConnState `json:"state"`
	Since    *string           `json:"since"` // null: it has only just become so
	Health   healthItem        `json:"health"`
	WarmUp   *warmUpItem       `json:"warmUp"` // null: there is no limit
}

type warmUpItem struct {
	Limit  int64   `json:"limit"` // of today
	Used   int64   `json:"used"`
	EndsAt *string `json:"endsAt"`
}

type healthItem struct {
	LastAcknowledgedAt  *string `json:"lastAcknowledgedAt"`
	LastFailureAt       *string `json:"lastFailureAt"`
	ConsecutiveFailures int     `json:"consecutiveFailures"`
	RestingUntil        *string `json:"restingUntil"`
}

// senders: GET /api/senders.
func (a *API) senders(w http.ResponseWriter, r *http.Request) error {
	c, err := a.owner(w, r)
	if err != nil {
		return err
	}
	connections, err := health.Connections(a.o.DB.Read(r.Context()), c.Account.ID)
	if err != nil {
		return err
	}
	day := quota.Day(a.o.Now())
	used, err := quota.SendersUsed(a.o.DB.Read(r.Context()), c.Account.ID, day)
	if err != nil {
		return err
	}
	out := sendersAnswer{Success: true, Senders: []senderItem{}, Count: len(c.Account.Senders)}
	for _, s := range c.Account.Senders {
		h := a.o.Engine.Health(s.ID)
		item := senderItem{
			ID: s.ID, Channel: s.Channel, Address: phone.Shown(s.Address), Platform: s.AccountID == "", State: a.o.Engine.State(s),
			Health: healthItem{formatTimeOrNull(h.AcknowledgedAt), formatTimeOrNull(h.FailedAt), h.Failures, formatTimeOrNull(h.PausedUntil)},
		}
		if k := connections[s.ID]; k.State == item.State {
			item.Since = formatTimeOrNull(k.Since)
		}
		if limit, ok := s.WarmUp.Allowance(day); ok {
			item.WarmUp = &warmUpItem{limit, used[s.ID], formatTimeOrNull(quota.DayStart(s.WarmUp.From + s.WarmUp.Days))}
		}
		out.Senders = append(out.Senders, item)
	}
	return httpx.WriteJSON(w, http.StatusOK, out)
}
