package twilio

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpcall"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/sms"
)

// sender sends SMS from one Twilio account.
type sender struct {
	*httpcall.Client
	settings settings
	sink     gateway.Sink
	now      clock.Now
	log      *slog.Logger

	unhandled func(reason string) // counts messages that are dropped
}

// Open implements [gateway.Driver]. It makes no request; docs/gateways/twilio.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, client, err := parse(raw)
	if err != nil {
		return nil, err
	}
	return &sender{Client: client, settings: set, sink: deps.Sink, now: deps.Now, log: deps.Log, unhandled: deps.UnhandledCounter()}, nil
}

// Info implements [gateway.Sender]. It has no pace, because Twilio queues messages.
func (s *sender) Info() gateway.Info {
	return gateway.Info{Channels: []gateway.Channel{gateway.SMS}, Receipts: s.settings.WebhookURL != "", SendOnly: s.settings.WebhookURL == "", Transliterates: s.settings.Transliterate}
}

const (
	maxText           = 1600           // in characters, of all segments
	maxValidity       = 10 * time.Hour // of ValidityPeriod, and its default
	sensitiveValidity = 5 * time.Minute
)

// Send implements [gateway.Sender]. The ack's ProviderID is the message's SID.
func (s *sender) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	if failure := out.Check(s.now(), gateway.SMS); failure != nil {
		return gateway.Ack{}, failure
	}
	form, failure := s.compose(out)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	r := &httpcall.Request{
		Method: http.MethodPost, URL: s.settings.BaseURL + "/2010-04-01/Accounts/" + s.settings.AccountSID + "/Messages.json",
		Header: http.Header{}, Body: []byte(form.Encode()),
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", s.settings.authorization())
	answer, failure := s.Call(ctx, r, answerError)
	if failure != nil {
		return gateway.Ack{}, failure
	}
	var accepted struct {
		SID    string `json:"sid"`
		Status string `json:"status"`
		Error  int    `json:"error_code"`
	}
	if json.Unmarshal(answer.Body, &accepted) != nil || accepted.SID == "" {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Unknown, Code: "answer_unreadable"}
	}
	if accepted.Status == "failed" || accepted.Status == "undelivered" {
		return gateway.Ack{}, codeError(accepted.Error)
	}
	return gateway.Ack{ProviderID: httpcall.Text(accepted.SID)}, nil
}

// compose returns the form of a message.
func (s *sender) compose(out *gateway.Outbound) (url.Values, *gateway.Error) {
	to, ok := phone.Parse(out.To)
	text := sms.Compose(out.Text)
	if s.settings.Transliterate {
		text = sms.Transliterate(text)
	}
	if !ok {
		return nil, &gateway.Error{Class: gateway.Unreachable, Code: "recipient_invalid"}
	}
	if failure := out.CheckTextOnly(); failure != nil {
		return nil, failure
	}
	if utf8.RuneCountInString(text) > maxText {
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	}
	form := url.Values{"To": {to.E164()}, "From": {formatSender(out.From)}, "Body": {text}}
	if s.settings.MessagingServiceSID != "" {
		form.Set("MessagingServiceSid", s.settings.MessagingServiceSID)
	}
	if s.settings.WebhookURL != "" {
		form.Set("StatusCallback", s.settings.WebhookURL+statusPath+url.PathEscape(out.Ref))
	}
	if out.ExpiresAt.IsZero() {
		return form, nil
	}
	validity := out.ExpiresAt.Sub(s.now())
	if out.Sensitive {
		validity = min(validity, sensitiveValidity)
	}
	if validity < time.Second { // the minimum of ValidityPeriod
		return nil, &gateway.Error{Class: gateway.Permanent, Code: "expired"}
	}
	if validity < maxValidity {
		form.Set("ValidityPeriod", strconv.Itoa(int(validity/time.Second)))
	}
	return form, nil
}

// formatSender returns a number with a plus sign, and a name unchanged.
func formatSender(from string) string {
	if n, ok := phone.Parse(strings.TrimSpace(from)); ok {
		return n.E164()
	}
	return from
}

// CheckName implements [gateway.Namer].
func (*sender) CheckName(name string) (problem string) {
	if problem = gateway.CheckName(name); problem == "" && strings.ContainsFunc(name, notInName) {
		problem = "Twilio takes names of ASCII letters, digits, spaces, and + - _ &."
	}
	return problem
}

func notInName(r rune) bool {
	return (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && !strings.ContainsRune(" +-_&", r)
}
