package verbs

import (
	"context"
	"time"

	"example.com/griot/internal/verb"
	"example.com/griot/messaging/outbox"
)

// Sending returns the table of commands for pausing the whole deployment.
func Sending(d *outbox.Deployment) verb.Verbs { return byOperator(&sending{d}, sendingVerbs()) }

func sendingVerbs() verb.Verbs {
	return verb.Verbs{
		verb.Define("sending.pause", "Pause sending on every node", verb.Changes, (*sending).pause).As("pause").Explained("Pause sending on every node. Griot continues to accept messages, and they wait."),
		verb.Define("sending.resume", "Resume sending after a pause or a restore", verb.Changes, (*sending).resume).As("resume"),
	}
}

type sending struct{ deployment *outbox.Deployment }

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
	return SendingState{verb.TimeOrNull(p.At), string(p.Reason), verb.TimeOrNull(p.RestoredFrom), !p.EndBefore.IsZero()}
}

func (h *sending) pause(ctx context.Context, _ *Nothing) (SendingState, error) {
	p, err := h.deployment.Pause(ctx)
	return shownSending(p), err
}

func (h *sending) resume(ctx context.Context, _ *Nothing) (SendingState, error) {
	p, err := h.deployment.Resume(ctx)
	if err == nil && p != nil {
		err = verb.Refuse("The server is still ending the restored database's messages, which it does when it starts. Try again later.")
	}
	return shownSending(p), err
}
