package httpsms

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"griot/gateway"
	"griot/gateway/internal/httpgate"
	"griot/internal/clock"
	"griot/internal/phone"
	"griot/internal/sms"
)

// sender carries SMS by one HTTP gateway.
type sender struct {
	*httpgate.Gateway
	settings *settings
	parts    *parts
	sink     gateway.Sink
	now      clock.Now
}

// maxCall bounds the body of a webhook; bytes.
const maxCall = 256 << 10

func kind() httpgate.Kind {
	return httpgate.Kind{
		Channel:      gateway.SMS,
		Placeholders: []string{"from", "from_plus", "to", "to_plus", "text", "text_hex", "coding", "ttl", "ttl_minutes", "ttl_ms", "expires"},
		Required:     [][]string{{"text", "text_hex"}, {"to", "to_plus"}},
		UserText:     []string{"text"},
		MaxBody:      maxCall,
	}
}

// Open is the [gateway.Driver] of HTTP gateways for SMS. It contacts nothing yet; docs/gateways/httpsms.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, err := merge(raw)
	if err != nil {
		return nil, err
	}
	s := &sender{settings: set, parts: newParts(deps.Now), sink: deps.Sink, now: deps.Now}
	inbound := httpgate.Webhook{Path: "/inbound", Fields: inboundFields(), Settings: set.Inbound.hook(), Store: s.inbound}
	if s.Gateway, err = httpgate.New(&set.Settings, kind(), deps, inbound); err != nil {
		return nil, err
	}
	if err := set.check(s.Gateway); err != nil {
		return nil, err
	}
	return s.WithProbe(s), nil
}

// Send implements [gateway.Sender].
func (s *sender) Send(ctx context.Context, out *gateway.Outbound) (gateway.Ack, error) {
	if failure := s.Check(out); failure != nil {
		return gateway.Ack{}, failure
	}
	if out.Text == "" {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "message_empty"}
	}
	return s.Deliver(ctx, s.scope(out))
}

// Info implements [gateway.Sender].
func (s *sender) Info() gateway.Info {
	i := s.Gateway.Info()
	i.Transliterates = s.settings.Transliterate
	return i
}

// leastTTL is the least that gateways take; milliseconds.
const leastTTL = 20_000

// scope is what the placeholders stand for.
func (s *sender) scope(out *gateway.Outbound) httpgate.Scope {
	all := s.Scope(out)
	text := out.Text
	if s.settings.Transliterate {
		text = sms.Transliterate(text)
	}
	all["to"], all["to_plus"], all["text"] = out.To, "+"+out.To, text
	all["from"], all["from_plus"] = out.From, out.From
	if n, ok := phone.Parse(out.From); ok {
		all["from_plus"] = n.E164()
	}
	all["coding"], all["text_hex"] = s.settings.Coding.alphabet(text)
	if !out.ExpiresAt.IsZero() {
		left := out.ExpiresAt.Sub(s.now())
		if s.settings.MaxTTL > 0 {
			left = min(left, time.Duration(s.settings.MaxTTL)*time.Second)
		}
		round := func(unit time.Duration) string { return strconv.FormatInt(int64((left+unit-1)/unit), 10) }
		all["ttl"], all["ttl_minutes"], all["expires"] = round(time.Second), round(time.Minute), strconv.FormatInt(s.now().Add(left).Unix(), 10)
		all["ttl_ms"] = strconv.FormatInt(max(left.Milliseconds(), leastTTL), 10)
	}
	return all
}
