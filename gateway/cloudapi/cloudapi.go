package cloudapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/phone"
)

// sender sends from the numbers of one WhatsApp Business account.
type sender struct {
	*httpcall.Client
	settings  settings
	sink      gateway.Sink
	now       clock.Now
	log       *slog.Logger
	unhandled func(reason string)

	media     mediaBudget
	slowUntil map[string]*atomic.Int64 // by our number: the time until which it is paced down, in Unix nanoseconds
	standbyAt atomic.Int64             // the time of the last report that Meta's Business Agent has a conversation, in Unix nanoseconds; 0: none
}

// Open implements [gateway.Driver]. It makes no request; docs/gateways/cloudapi.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, client, err := parse(raw)
	if err != nil {
		return nil, err
	}
	s := &sender{Client: client, settings: set, sink: deps.Sink, now: deps.Now, log: deps.Log, unhandled: deps.UnhandledCounter(), slowUntil: map[string]*atomic.Int64{}}
	for number := range set.byNumber {
		s.slowUntil[number] = &atomic.Int64{}
	}
	return s, nil
}

// Info implements [gateway.Sender].
func (s *sender) Info() gateway.Info {
	return gateway.Info{
		Channels: []gateway.Channel{gateway.WhatsApp}, Receipts: s.settings.AppSecret != "", QuotesByProviderID: s.settings.AppSecret != "", Media: true, Replies: true,
		SendOnly: s.settings.AppSecret == "",
		Pace:     paces[0],
	}
}

// Send implements [gateway.Sender]. The ack's ProviderID is the wamid. For a message to an ID, the response has no
// number, so Meta never says whose number the ID is.
func (s *sender) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	if failure := out.Check(s.now(), gateway.WhatsApp); failure != nil {
		return gateway.Ack{}, failure
	}
	ours := strings.TrimPrefix(out.From, "+")
	from, ok := s.settings.byNumber[ours]
	if !ok {
		return gateway.Ack{}, &gateway.Error{Class: gateway.SenderDown, Code: "sender_unknown"}
	}
	m, failure := s.settings.compose(out)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	if failure := s.upload(ctx, from, out.Media, m); failure != nil {
		return gateway.Ack{}, failure
	}
	return s.postMessage(ctx, ours, m)
}

// postMessage submits a message from one of our numbers.
func (s *sender) postMessage(ctx context.Context, ours string, m *message) (gateway.Ack, error) {
	body, err := json.Marshal(m)
	if err != nil {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "message_invalid"}
	}
	answer, failure := s.Call(ctx, s.request(http.MethodPost, s.settings.byNumber[ours]+"/messages", "application/json", body), answerError)
	if failure != nil {
		s.slowDown(ours, failure)
		return gateway.Ack{}, failure
	}
	var accepted struct {
		Contacts []struct {
			WhatsAppID word `json:"wa_id"`
		} `json:"contacts"`
		Messages []struct {
			ID string `json:"id"`
		} `json:"messages"`
	}
	if json.Unmarshal(answer.Body, &accepted) != nil || len(accepted.Messages) != 1 || accepted.Messages[0].ID == "" {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "answer_unreadable"}
	}
	ack := gateway.Ack{ProviderID: httpcall.Text(accepted.Messages[0].ID), Form: m.form}
	if c := accepted.Contacts; len(c) == 1 {
		if n, ok := phone.Parse(string(c[0].WhatsAppID)); ok {
			ack.Recipient = string(n)
		}
	}
	return ack, nil
}

func (s *sender) request(method, path, contentType string, body []byte) *httpcall.Request {
	r := &httpcall.Request{Method: method, URL: s.settings.BaseURL + "/" + s.settings.APIVersion + "/" + path, Header: http.Header{}, Body: body}
	r.Header.Set("Authorization", "Bearer "+s.settings.AccessToken)
	if body != nil {
		r.Header.Set("Content-Type", contentType)
	}
	return r
}
