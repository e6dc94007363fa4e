package verbs

import (
	"context"
	"errors"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/internal/apierror"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
)

// PairingStart selects a sender and a method for linking its number.
type PairingStart struct {
	ID     string                `json:"id" arg:"SENDER" help:"snd_..."`
	Method gateway.PairingMethod `json:"method"` // qr or code
}

// A Pairing is the progress of linking a sender's number. Anyone who has its code can take over the number.
type Pairing struct {
	SenderID  string               `json:"senderId" row:"sender"`
	Address   string               `json:"address"`
	State     gateway.PairingState `json:"state" row:"state"`
	QR        string               `json:"qr,omitempty"`
	Code      string               `json:"code,omitempty"`
	ExpiresAt *time.Time           `json:"expiresAt"`
	Reason    string               `json:"reason,omitempty"`
}

func (h *service) startPairing(ctx context.Context, in *PairingStart) (Pairing, error) {
	if in.Method != gateway.PairByQR && in.Method != gateway.PairByCode {
		return Pairing{}, verb.Refuse("The method must be qr or code.")
	}
	return h.pairing(ctx, in.ID, func(from account.Sender) (gateway.PairingProgress, error) {
		return h.Pairing.Start(ctx, from, in.Method)
	})
}

func (h *service) showPairing(ctx context.Context, in *ByID) (Pairing, error) {
	return h.pairing(ctx, in.ID, func(from account.Sender) (gateway.PairingProgress, error) { return h.Pairing.Progress(ctx, from) })
}

func (h *service) cancelPairing(ctx context.Context, in *ByID) (Pairing, error) {
	return h.pairing(ctx, in.ID, func(from account.Sender) (gateway.PairingProgress, error) { return h.Pairing.Cancel(ctx, from) })
}

// pairing calls do for a sender's pairing and returns the progress.
func (h *service) pairing(ctx context.Context, senderID string, do func(account.Sender) (gateway.PairingProgress, error)) (Pairing, error) {
	if h.Pairing == nil {
		return Pairing{}, verb.Refuse("Only a running server can link a number. Start griot serve.")
	}
	s, err := h.namedSender(ctx, senderID)
	if err != nil {
		return Pairing{}, err
	}
	now, err := do(s.Sender)
	if e, ok := errors.AsType[*apierror.Error](err); ok {
		return Pairing{}, verb.Refuse("%s", e.Text())
	}
	return Pairing{SenderID: s.ID, Address: s.Address, State: now.State, QR: now.QR, Code: now.Code, ExpiresAt: verb.TimeOrNull(now.ExpiresAt), Reason: now.Reason}, err
}
