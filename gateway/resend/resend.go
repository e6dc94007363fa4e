package resend

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/internal/clock"
)

// sender sends email from one Resend team.
type sender struct {
	*httpcall.Client
	settings   settings
	sink       gateway.Sink
	now        clock.Now
	log        *slog.Logger
	unreadable func() // counts a receipt that names no email
	unhandled  func(reason string)
}

// Open implements [gateway.Driver]. It makes no request; docs/gateways/resend.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, client, err := parse(raw)
	if err != nil {
		return nil, err
	}
	return &sender{Client: client, settings: set, sink: deps.Sink, now: deps.Now, log: deps.Log, unreadable: deps.UnreadableCounter(), unhandled: deps.UnhandledCounter()}, nil
}

// keyLifetime is the time for which Resend knows an idempotency key: 24 hours by its documentation, minus a margin
// for clock differences.
const keyLifetime = 23 * time.Hour

// Info implements [gateway.Sender].
func (s *sender) Info() gateway.Info {
	return gateway.Info{
		Channels: []gateway.Channel{gateway.Email}, Deduplicates: true, DeduplicatesFor: keyLifetime, Receipts: len(s.settings.key) > 0,
		Pace: gateway.Pace{Sender: time.Second / time.Duration(s.settings.PerSecond), Burst: s.settings.PerSecond},
	}
}

// Send implements [gateway.Sender]. The ack's ProviderID is Resend's ID of the email.
func (s *sender) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	if failure := out.Check(s.now(), gateway.Email); failure != nil {
		return gateway.Ack{}, failure
	}
	m, failure := s.settings.compose(out)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	body, err := json.Marshal(m)
	if err != nil {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	r := &httpcall.Request{Method: http.MethodPost, URL: s.settings.BaseURL + "/emails", Header: http.Header{}, Body: body}
	r.Header.Set("Authorization", "Bearer "+s.settings.APIKey)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Idempotency-Key", out.Ref)
	answer, failure := s.Call(ctx, r, answerError)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	var accepted struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(answer.Body, &accepted) != nil || accepted.ID == "" {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "answer_unreadable"}
	}
	return gateway.Ack{ProviderID: httpcall.Text(accepted.ID)}, nil
}
