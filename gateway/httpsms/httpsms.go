package httpsms

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/httpgate"
	"example.com/griot/internal/clock"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/sms"
)

// sender sends SMS through one HTTP gateway.
type sender struct {
	*httpgate.Gateway
	settings *settings
	parts    *reassembly
	sink     gateway.Sink
	now      clock.Now
}

// maxCall is the size limit of a webhook body, in bytes.
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

// Open implements [gateway.Driver]. It makes no request; docs/gateways/httpsms.md lists the settings.
func Open(raw json.RawMessage, deps gateway.Deps) (gateway.Sender, error) {
	set, err := merge(raw)
	if err != nil {
		return nil, err
	}
	s := &sender{settings: set, parts: newReassembly(deps.Now), sink: deps.Sink, now: deps.Now}
	inbound := httpgate.Webhook{Path: "/inbound", Fields: inboundFields(), Settings: set.Inbound.webhook(), Store: s.inbound}
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
	values := s.values(out)
	if _, segments, _ := sms.Measure(values["text"]); s.settings.MaxSegments > 0 && segments > s.settings.MaxSegments {
		return gateway.Ack{}, &gateway.Error{Class: gateway.Permanent, Code: "message_too_long"}
	}
	return s.Deliver(ctx, values)
}

// Notices implements [gateway.Noticer]. Kannel's configuration can't be read from outside, and nothing that it reports
// shows that it has cut a text. Therefore, the operator states its limit.
func (s *sender) Notices() []gateway.Notice {
	if s.settings.Preset != "kannel" || s.settings.MaxSegments > 0 {
		return nil
	}
	return []gateway.Notice{{
		Text: "Kannel cuts texts to one segment and reports them as delivered, unless its sendsms-user has max-messages",
		Hint: "set concatenation = true and max-messages in kannel.conf, and max_segments of this gateway to the value of max-messages",
	}}
}

// Info implements [gateway.Sender].
func (s *sender) Info() gateway.Info {
	i := s.Gateway.Info()
	i.Transliterates, i.SendOnly = s.settings.Transliterate, !s.settings.Inbound.webhook().Enabled()
	return i
}

// minTTL is the minimum of ttl_ms that gateways accept, in milliseconds.
const minTTL = 20_000

// values returns the values of the placeholders.
func (s *sender) values(out *gateway.Outbound) httpgate.Values {
	values := s.Values(out)
	text := sms.Compose(out.Text)
	if s.settings.Transliterate {
		text = sms.Transliterate(text)
	}
	values["to"], values["to_plus"], values["text"] = out.To, "+"+out.To, text
	values["from"], values["from_plus"] = out.From, out.From
	if n, ok := phone.Parse(out.From); ok {
		values["from_plus"] = n.E164()
	}
	values["coding"], values["text_hex"] = s.settings.Coding.alphabet(text)
	if !out.ExpiresAt.IsZero() {
		remaining := out.ExpiresAt.Sub(s.now())
		if s.settings.MaxTTL > 0 {
			remaining = min(remaining, time.Duration(s.settings.MaxTTL)*time.Second)
		}
		round := func(unit time.Duration) string { return strconv.FormatInt(int64((remaining+unit-1)/unit), 10) }
		values["ttl"], values["ttl_minutes"], values["expires"] = round(time.Second), round(time.Minute), strconv.FormatInt(s.now().Add(remaining).Unix(), 10)
		values["ttl_ms"] = strconv.FormatInt(max(remaining.Milliseconds(), minTTL), 10)
	}
	return values
}

// CheckName implements [gateway.Namer]. Other requirements of the gateway are unknown.
func (*sender) CheckName(name string) (problem string) { return gateway.CheckName(name) }
