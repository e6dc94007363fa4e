package verbs

import (
	"context"
	"fmt"

	"example.com/griot/internal/verb"
)

// SenderRemoval is the input of senders.remove. Without Cancel and Reroute, a sender is not removed while messages wait for it.
type SenderRemoval struct {
	ID       string       `json:"id" arg:"SENDER" help:"snd_..."`
	Cancel   bool         `json:"cancel" flag:"cancel" help:"cancel the messages that wait for the sender"`          // cancel the messages that wait for it
	Reroute  bool         `json:"reroute" flag:"reroute" help:"move waiting messages to other senders, if possible"` // move the queued messages to other senders if possible
	Continue *RemovalStep `json:"continue" again:"true"`                                                             // from the previous call; null: the first call
}

// SenderRemoved is the result of senders.remove.
type SenderRemoved struct {
	ID       string       `json:"id" row:"removed"`
	Changed  int64        `json:"changed" row:"changed"` // messages that were canceled or moved, including by earlier calls
	Continue *RemovalStep `json:"continue,omitempty"`    // for the next call; null: the sender is removed
}

// A RemovalStep is the progress of removing a sender.
type RemovalStep struct {
	After   string `json:"after"`   // the last examined message; empty: all were examined
	InPass  int64  `json:"inPass"`  // messages changed since the first one
	Changed int64  `json:"changed"` // messages changed in total
}

const removalStep = 500 // messages per call

// removeSender removes a sender or makes progress toward it: each call changes a few hundred queued messages.
func (h *service) removeSender(ctx context.Context, in *SenderRemoval) (SenderRemoved, error) {
	if in.Cancel && in.Reroute {
		return SenderRemoved{}, verb.Refuse("Choose either to cancel the messages or to move them to other senders.")
	}
	var at RemovalStep
	if in.Continue != nil {
		at = *in.Continue
	}
	if in.Cancel || in.Reroute {
		changed, next, err := h.Delivery.ClearSender(ctx, in.ID, in.Reroute, at.After, removalStep)
		at = RemovalStep{After: next, InPass: at.InPass + changed, Changed: at.Changed + changed}
		if err != nil || next != "" {
			return SenderRemoved{in.ID, at.Changed, &at}, err
		}
	}
	found, waiting, err := h.Delivery.RemoveSender(ctx, in.ID)
	switch {
	case err != nil:
		return SenderRemoved{}, err
	case waiting > 0 && at.InPass > 0: // some were accepted meanwhile
		at.InPass = 0
		return SenderRemoved{in.ID, at.Changed, &at}, nil
	case waiting > 0:
		return SenderRemoved{}, verb.Refuse("%s", whyItStays(in, waiting))
	case !found:
		return SenderRemoved{}, noSender()
	}
	return SenderRemoved{ID: in.ID, Changed: at.Changed}, nil
}

// whyItStays explains that n messages prevent the removal of a sender.
func whyItStays(in *SenderRemoval, n int) string {
	wait := fmt.Sprint(n, " messages wait for this sender")
	if n == 1 {
		wait = "1 message waits for this sender"
	}
	switch {
	case in.Reroute:
		return wait + " and can't be moved. A gateway was called, the request names a sender, a group, or a message to answer, or no other connected sender can send it. Cancel the remaining messages (--cancel), or wait until they are sent."
	case in.Cancel:
		return wait + " and can't be canceled now. Try again."
	}
	return wait + ". Cancel them (--cancel), move them to other senders (--reroute), or wait until they are sent."
}
