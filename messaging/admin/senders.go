package admin

import (
	"context"
	"strings"

	"griot/gateway"
	"griot/internal/admin"
	"griot/internal/phone"
	"griot/messaging/account"
	"griot/messaging/message"
)

// Sender is a sender as operators see it.
type Sender struct {
	ID       string `json:"id"`
	Channel  string `json:"channel"`
	Address  string `json:"address"`
	Gateway  string `json:"gateway"`
	Position int    `json:"position"`
	Platform bool   `json:"platform"` // every account's
}

func shownSender(s *account.Sender) Sender {
	return Sender{s.ID, string(s.Channel), s.Address, s.Gateway, s.Position, s.AccountID == ""}
}

// SenderInput is what a sender is made of.
type SenderInput struct {
	Account  string `json:"account"` // empty: the platform's
	Channel  string `json:"channel"`
	Address  string `json:"address"`
	Gateway  string `json:"gateway"`
	Position *int   `json:"position"` // null: after those that are there
}

func (h *house) addSender(ctx context.Context, in *SenderInput) (Sender, error) {
	s := account.Sender{Channel: gateway.Channel(in.Channel), Gateway: in.Gateway, Position: -1}
	if in.Account != "" {
		a, err := h.existing(ctx, in.Account)
		if err != nil {
			return Sender{}, err
		}
		s.AccountID = a.ID
	}
	switch s.Channel {
	case gateway.WhatsApp, gateway.SMS:
		number, ok := phone.Parse(in.Address)
		if !ok {
			return Sender{}, admin.Refuse("The address is not an E.164 number.")
		}
		s.Address = string(number)
	case gateway.Email:
		if err := isEmail(in.Address); err != nil {
			return Sender{}, err
		}
		s.Address = strings.TrimSpace(in.Address)
		if !message.IsEmail(s.Address) {
			return Sender{}, admin.Refuse("That is not an e-mail address.")
		}
	default:
		return Sender{}, admin.Refuse("The channel is whatsapp, sms or email.")
	}
	if err := h.isGateway(ctx, s.Gateway); err != nil {
		return Sender{}, err
	}
	if in.Position != nil {
		if s.Position = *in.Position; s.Position < 0 {
			return Sender{}, admin.Refuse("A position is 0 or more.")
		}
	}
	made, err := h.Directory.AddSender(ctx, s, h.Gateways.Hold)
	if err != nil {
		return Sender{}, refused(err)
	}
	return shownSender(made), nil
}

func (h *house) listSenders(ctx context.Context, in *OfAccount) ([]Sender, error) {
	id := ""
	if in.Account != "" {
		a, err := h.existing(ctx, in.Account)
		if err != nil {
			return nil, err
		}
		id = a.ID
	}
	found, err := h.Directory.Senders(ctx, id)
	return each(found, shownSender), err
}

// ByID names one thing.
type ByID struct {
	ID string `json:"id"`
}

func (h *house) removeSender(ctx context.Context, in *ByID) (Done, error) {
	found, err := h.Directory.RemoveSender(ctx, in.ID)
	if err == nil && !found {
		err = admin.Refuse("There is no such sender.")
	}
	return Done{in.ID}, err
}
