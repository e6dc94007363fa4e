package admin

import (
	"context"
	"time"

	"example.com/griot/internal/admin"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/db"
	"example.com/griot/messaging/audit"
	"example.com/griot/messaging/outbox"
)

// Sending returns the table of commands for pausing the whole deployment. changed makes the current process apply the
// change immediately; nil: no server runs.
func Sending(d *db.DB, now clock.Now, changed func(context.Context) error) admin.Verbs {
	return byOperator(&sending{d, now, changed}, sendingVerbs())
}

func sendingVerbs() admin.Verbs {
	return admin.Verbs{
		admin.Define("sending.pause", "Pause sending on every node", admin.Changes, (*sending).pause).As("pause").Explained("Pause sending on every node. Griot continues to accept messages, and they wait."),
		admin.Define("sending.resume", "Resume sending after a pause or a restore", admin.Changes, (*sending).resume).As("resume"),
	}
}

type sending struct {
	db      *db.DB
	now     clock.Now
	changed func(context.Context) error
}

// SendingState reports whether a deployment is paused.
type SendingState struct {
	PausedAt     *time.Time `json:"pausedAt" row:"paused since,always"` // null: not paused
	Reason       string     `json:"reason,omitempty" row:"paused by"`   // operator, restored
	RestoredFrom *time.Time `json:"restoredFrom" row:"restored from"`   // for a restored database: the time of its backup
	Ending       bool       `json:"ending"`                             // messages of a restored database still have to be ended
}

func shownSending(p *outbox.SendingPause) SendingState {
	if p == nil {
		return SendingState{}
	}
	return SendingState{admin.TimeOrNull(p.At), string(p.Reason), admin.TimeOrNull(p.RestoredFrom), !p.EndBefore.IsZero()}
}

func (h *sending) pause(ctx context.Context, _ *Nothing) (SendingState, error) {
	event := audit.New(ctx, h.now(), "", audit.SendingPaused, "")
	return h.change(ctx, func(tx *db.Tx) error {
		paused, err := outbox.PauseSending(tx, &outbox.SendingPause{At: h.now(), Reason: outbox.PausedByOperator})
		if err != nil || !paused {
			return err
		}
		return audit.Record(tx, event)
	})
}

func (h *sending) resume(ctx context.Context, _ *Nothing) (SendingState, error) {
	event := audit.New(ctx, h.now(), "", audit.SendingResumed, "")
	after, err := h.change(ctx, func(tx *db.Tx) error {
		resumed, err := outbox.ResumeSending(tx)
		if err != nil || !resumed {
			return err
		}
		return audit.Record(tx, event)
	})
	if err == nil && after.PausedAt != nil {
		err = admin.Refuse("The server is still ending the restored database's messages, which it does when it starts. Try again later.")
	}
	return after, err
}

// change makes a change and returns the new state.
func (h *sending) change(ctx context.Context, write func(*db.Tx) error) (SendingState, error) {
	if err := h.db.Write(ctx, write); err != nil {
		return SendingState{}, err
	}
	if h.changed != nil {
		if err := h.changed(ctx); err != nil {
			return SendingState{}, err
		}
	}
	p, err := outbox.FindSendingPause(h.db.Read(ctx))
	return shownSending(p), err
}
