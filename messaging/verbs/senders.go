package verbs

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaystore"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/verb"
	"example.com/griot/messaging/account"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
	"example.com/griot/messaging/quota"
)

// A Sender is a sender as operators see it.
type Sender struct {
	ID       string  `json:"id" col:"SENDER"`
	Channel  string  `json:"channel" col:"CHANNEL"`
	Address  string  `json:"address" col:"ADDRESS"`
	Gateway  string  `json:"gateway" col:"GATEWAY"`
	Position int     `json:"position" col:"POSITION"`
	Platform bool    `json:"platform" col:"PLATFORM"` // shared by all accounts
	WarmUp   *WarmUp `json:"warmUp" col:"WARM-UP"`    // null: none
}

// A WarmUp increases the daily limit of a new sender: First messages on the first day, twice as many on each
// following day, and no limit after Days days.
type WarmUp struct {
	First int64      `json:"first" flag:"warm-up" help:"messages that it can send today; the limit doubles each day"`
	Days  int64      `json:"days" flag:"warm-up-days" help:"number of days until the limit ends"` // 0: no warm-up
	Since *time.Time `json:"since,omitempty"`
}

// Cell returns the warm-up in one line.
func (u WarmUp) Cell() string {
	if u.Days == 0 {
		return "none"
	}
	s := fmt.Sprintf("%d, doubled for %d days", u.First, u.Days)
	if u.Since != nil {
		s += ", from " + u.Since.Format(time.DateOnly)
	}
	return s
}

func shownSender(s *account.Sender) Sender {
	out := Sender{ID: s.ID, Channel: string(s.Channel), Address: s.Address, Gateway: s.Gateway, Position: s.Position, Platform: s.AccountID == ""}
	if s.WarmUp.Days > 0 {
		since := quota.DayStart(s.WarmUp.From)
		out.WarmUp = &WarmUp{s.WarmUp.First, s.WarmUp.Days, &since}
	}
	return out
}

// SenderInput describes a new sender.
type SenderInput struct {
	Account  string  `json:"account" flag:"account" help:"account ID, or its owner's email address (default: the platform, for every account)"` // empty: the platform's
	Channel  string  `json:"channel" flag:"channel,required" oneof:"whatsapp sms email" help:"whatsapp, sms, or email"`
	Address  string  `json:"address" flag:"address,required" number:"short" help:"E.164 number or email address; for SMS, also a short code or a name"`
	Gateway  string  `json:"gateway" flag:"gateway,required" of:"gateways" help:"name of a gateway from griot admin gateways list"`
	Position *int    `json:"position" flag:"position" help:"position among the account's senders of the channel (default: last)"`               // null: after the existing ones
	WarmUp   *WarmUp `json:"warmUp"`                                                                                                            // null: none; it starts today
	Request  string  `json:"request" form:"-" flag:"request" help:"ID of the account's request that this fulfills (griot admin requests list)"` // the completed request; empty: none

	LoginNumber bool `json:"loginNumber" flag:"login-number" help:"add the number although people sign in with it"`
	Shared      bool `json:"shared" flag:"shared" help:"add the number although another account has it on another channel"`
}

func (h *service) addSender(ctx context.Context, in *SenderInput) (Sender, error) {
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
		var err error
		if s.Address, err = h.phoneAddress(ctx, s.Channel, in); err != nil {
			return Sender{}, err
		}
	case gateway.Email:
		if err := checkEmail(in.Address); err != nil {
			return Sender{}, err
		}
		s.Address = strings.TrimSpace(in.Address)
		if !message.IsEmail(s.Address) {
			return Sender{}, verb.Refuse("The email address is invalid.")
		}
	default:
		return Sender{}, verb.Refuse("The channel must be whatsapp, sms, or email.")
	}
	if !in.LoginNumber && h.isLoginNumber(s.Address) {
		return Sender{}, verb.Refuse("People sign in by writing to this number, so its account could read their messages and write to them from it. To add it anyway, confirm that people sign in with it (--login-number).")
	}
	if err := h.checkGateway(ctx, s.Gateway, s.Channel); err != nil {
		return Sender{}, err
	}
	if in.Position != nil {
		if s.Position = *in.Position; s.Position < 0 {
			return Sender{}, verb.Refuse("The position must be 0 or more.")
		}
	}
	if in.WarmUp != nil {
		var err error
		if s.WarmUp, err = h.warmUp(in.WarmUp); err != nil {
			return Sender{}, err
		}
	}
	var made *account.Sender
	err := h.carryOut(ctx, in.Request, s.AccountID, false, func() (err error) {
		made, err = h.Directory.AddSender(ctx, s, in.Shared, h.Gateways.Lock)
		return err
	})
	if err != nil {
		return Sender{}, err
	}
	return shownSender(made), nil
}

// isLoginNumber reports whether people send the words of logins to an address.
func (h *service) isLoginNumber(address string) bool {
	return slices.ContainsFunc(h.LoginNumbers, func(number string) bool { return person.Form(number) == person.Form(address) })
}

// phoneAddress parses a sender's address for display on phones: a number, or, for SMS, a short code or a name if the
// gateway supports it.
func (h *service) phoneAddress(ctx context.Context, channel gateway.Channel, in *SenderInput) (string, error) {
	typed := strings.TrimSpace(in.Address)
	number, err := phone.Lookup(typed)
	if err == nil {
		return string(number), nil
	}
	switch {
	case channel == gateway.SMS && phone.IsShortCode(typed):
		return typed, nil
	case channel != gateway.SMS || !strings.ContainsFunc(typed, unicode.IsLetter):
		return "", verb.Refuse("The address must be an E.164 number. For SMS, it can also be a short code of 3 to 7 digits or a name. The number %s.", err)
	}
	if err := h.checkGateway(ctx, in.Gateway, channel); err != nil {
		return "", err
	}
	problem, err := h.Gateways.CheckName(ctx, in.Gateway, typed)
	switch {
	case errors.Is(err, gatewaystore.ErrNotFound):
		return "", verb.Refuse("Only a running server knows whether this gateway accepts a name as a sender. Start the server, or use a number.")
	case err != nil:
		return "", err
	case problem != "":
		return "", verb.Refuse("%s", problem)
	}
	return typed, nil
}

func (h *service) listSenders(ctx context.Context, in *OfAccount) ([]Sender, error) {
	id := ""
	if in.Account != "" {
		a, err := h.existing(ctx, in.Account)
		if err != nil {
			return nil, err
		}
		id = a.ID
	}
	found, err := h.Directory.Senders(ctx, id)
	return verb.Each(found, shownSender), err
}

// SenderWarmUp is a sender's new warm-up, which starts today.
type SenderWarmUp struct {
	ID     string `json:"id" arg:"SENDER" help:"snd_..." row:"sender"`
	WarmUp `row:"warm-up"`
}

func (h *service) setWarmUp(ctx context.Context, in *SenderWarmUp) (SenderWarmUp, error) {
	w, err := h.warmUp(&in.WarmUp)
	if err != nil {
		return SenderWarmUp{}, err
	}
	found, err := h.Directory.SetWarmUp(ctx, in.ID, w)
	if err == nil && !found {
		err = noSender()
	}
	return *in, err
}

func (h *service) warmUp(in *WarmUp) (account.WarmUp, error) {
	switch {
	case in.Days == 0 && in.First == 0:
		return account.WarmUp{}, nil
	case in.Days < 0 || in.Days > account.MaxWarmUpDays || in.First < 1 || in.First > account.MaxWarmUpFirst:
		return account.WarmUp{}, verb.Refuse("A warm-up must have 1 to %d messages on its first day, and 1 to %d days.", account.MaxWarmUpFirst, account.MaxWarmUpDays)
	}
	return account.WarmUp{From: quota.Day(h.Directory.Now()), First: in.First, Days: in.Days}, nil
}

// ByID identifies an item.
type ByID struct {
	ID string `json:"id" arg:"SENDER" help:"snd_..."`
}
