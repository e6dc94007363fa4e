package smsgate

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/gateway/internal/setting"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/sms"
)

// sender sends SMS with one phone.
type sender struct {
	*httpcall.Client
	settings *settings
	webhook  *httpcall.Webhook
	target   string
	header   http.Header
	sink     gateway.Sink
	now      clock.Now
	log      *slog.Logger

	unhandled func(reason string) // counts events that are acknowledged and dropped
}

// Size limits of one webhook body, and of all bodies in memory, in bytes.
const (
	maxEvent  = 256 << 10
	maxEvents = 8 << 20
)

// Open implements [gateway.Driver]. It makes no request; docs/gateways/smsgate.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, client, err := parse(raw)
	if err != nil {
		return nil, err
	}
	s := &sender{
		Client: client, settings: set, sink: deps.Sink, now: deps.Now, log: deps.Log, unhandled: deps.UnhandledCounter(), target: set.URL + "/message?skipPhoneValidation=true",
		header: http.Header{
			"Authorization": {"Basic " + base64.StdEncoding.EncodeToString([]byte(set.Username+":"+set.Password))},
			"Content-Type":  {"application/json"},
			"Accept":        {"application/json"},
		},
	}
	if set.Mode == modeCloud {
		s.target = set.URL + "/messages?skipPhoneValidation=true"
	}
	s.webhook = &httpcall.Webhook{MaxBody: maxEvent, MaxHeld: maxEvents, Handle: s.processEvent}
	return s, nil
}

// Info implements [gateway.Sender].
func (s *sender) Info() gateway.Info {
	return gateway.Info{
		Channels: []gateway.Channel{gateway.SMS}, Deduplicates: true, Receipts: s.settings.SigningKey != "" && s.settings.reports(), SendOnly: s.settings.SigningKey == "",
		Transliterates: s.settings.Transliterate, Pace: gateway.Pace{Sender: setting.Seconds(s.settings.Interval)},
	}
}

// request is the body of POST /message.
type request struct {
	ID                 string      `json:"id"`
	PhoneNumbers       []string    `json:"phoneNumbers"`
	TextMessage        textMessage `json:"textMessage"`
	TTL                int64       `json:"ttl,omitempty"` // seconds
	WithDeliveryReport bool        `json:"withDeliveryReport"`
	DeviceID           string      `json:"deviceId,omitempty"`
	SIMNumber          int         `json:"simNumber,omitempty"`
}

type textMessage struct {
	Text string `json:"text"`
}

// minTTL is the minimum of ttl, in seconds.
const minTTL = 5

// maxRef is the maximum length of a message ID in the app, in characters.
const maxRef = 36

// Send implements [gateway.Sender].
func (s *sender) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	r, failure := s.compose(out)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	body, err := json.Marshal(r)
	if err != nil {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	_, failure = s.Call(ctx, &httpcall.Request{Method: http.MethodPost, URL: s.target, Header: s.header, Body: body}, func(answer *httpcall.Answer) *gateway.Error {
		return answerError(answer, out.Ref)
	})
	if failure != nil {
		return gateway.Ack{}, failure
	}
	return gateway.Ack{ProviderID: out.Ref}, nil
}

func (s *sender) compose(out *gateway.Outbound) (*request, *gateway.Error) {
	r := &request{
		ID: out.Ref, PhoneNumbers: []string{"+" + out.To}, TextMessage: textMessage{sms.Compose(out.Text)},
		WithDeliveryReport: s.settings.reports(), DeviceID: s.settings.DeviceID,
	}
	if s.settings.Transliterate {
		r.TextMessage.Text = sms.Transliterate(out.Text)
	}
	one, known := s.simOf(out.From)
	if failure := cmp.Or(out.Check(s.now(), gateway.SMS), out.CheckTextOnly(), out.CheckRef(maxRef)); failure != nil {
		return nil, failure
	}
	if !known {
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "sender_unknown"}
	}
	r.SIMNumber = one.Slot
	if !out.ExpiresAt.IsZero() {
		remaining := out.ExpiresAt.Sub(s.now())
		r.TTL = max(int64((remaining+time.Second-1)/time.Second), minTTL)
	}
	return r, nil
}

func (s *sender) simOf(number string) (sim, bool) {
	for _, one := range s.settings.SIMs {
		if one.Number == number {
			return one, true
		}
	}
	return sim{}, false
}
