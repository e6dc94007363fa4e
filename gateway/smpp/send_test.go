package smpp

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smpp/pdu"
	"example.com/griot/gateway/smpp/smpptest"
)

func TestSend_Encodings(t *testing.T) {
	long := strings.Repeat("Été à Ségou. ", 20) // 260 septets
	for _, tt := range []struct {
		name, text string
		settings   map[string]any
		coding     byte
		segments   []int // octets of each, header included
		header     string
		want       string // "" if it is the text
	}{
		{name: "GSM", text: "Ça ? {€}", coding: 0, segments: []int{11}},
		{name: "GSM lacks a letter", text: "ça", coding: 8, segments: []int{4}},
		{name: "transliterated", text: "ça — l’été", settings: map[string]any{"transliterate": true}, coding: 0, segments: []int{10}, want: "ca - l'été"},
		{name: "decomposed", text: "L'e\u0301te\u0301", coding: 0, segments: []int{5}, want: "L'été"},
		{name: "transliterated to Latin-1", text: "fe\u0302te — l’été", settings: map[string]any{"alphabet": "latin1", "transliterate": true}, coding: 3, segments: []int{12}, want: "fête - l'été"},
		{name: "transliterated to the default Latin-1", text: "ça coûte", settings: map[string]any{"alphabet": "latin1_default", "transliterate": true}, coding: 0, segments: []int{8}},
		{name: "more than Latin-1", text: "ça — 5 €", settings: map[string]any{"alphabet": "latin1", "transliterate": true}, coding: 8, segments: []int{16}},
		{name: "not transliterated", text: "ça", settings: map[string]any{"alphabet": "latin1"}, coding: 8, segments: []int{4}},
		{name: "two segments of Latin-1", text: strings.Repeat("ê", 141), settings: map[string]any{"alphabet": "latin1", "transliterate": true}, coding: 3, segments: []int{140, 13}, header: ""},
		{name: "Latin-1", text: "à {€", settings: map[string]any{"alphabet": "latin1"}, coding: 8, segments: []int{8}}, // no € there
		{name: "Latin-1 holds it", text: "à {", settings: map[string]any{"alphabet": "latin1"}, coding: 3, segments: []int{3}},
		{name: "Latin-1 by default", text: "A {", settings: map[string]any{"alphabet": "latin1_default"}, coding: 0, segments: []int{3}},
		{name: "two segments", text: long, coding: 0, segments: []int{159, 113}, header: "\x05\x00\x03"},
		{name: "16-bit reference", text: long, settings: map[string]any{"long_messages": "udh16"}, coding: 0, segments: []int{159, 115}, header: "\x06\x08\x04"},
		{name: "payload", text: long, settings: map[string]any{"long_messages": "payload"}, coding: 0, segments: []int{260}},
		{name: "two of UCS-2", text: strings.Repeat("☀", 71), coding: 8, segments: []int{140, 14}, header: "\x05\x00\x03"},
		{name: "UCS-2 where Latin-1 won't do", text: strings.Repeat("a", 69) + "€", settings: map[string]any{"alphabet": "latin1"}, coding: 8, segments: []int{140}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := smpptest.Start(t, smpptest.Options{})
			r := start(t, settingsFor(c.Port(), tt.settings))
			ack, err := r.Send(testContext(t), text(tt.text))
			r.must(err)
			submits := c.Submits()
			if len(submits) != len(tt.segments) || ack.ProviderID != fmt.Sprint(len(tt.segments)) {
				t.Fatalf("%d units, acknowledged as %q; want %d and the id of the last", len(submits), ack.ProviderID, len(tt.segments))
			}
			whole, reference := "", ""
			for i, s := range submits {
				if s.DataCoding != tt.coding || len(s.Message.Text()) != tt.segments[i] {
					t.Errorf("data_coding %d, %d octets; want %d, %d", s.DataCoding, len(s.Message.Text()), tt.coding, tt.segments[i])
				}
				whole += decoded(s, tt.settings)
				if tt.header == "" {
					continue
				}
				h := string(s.Short[:s.Short[0]+1])
				count, ok := strings.CutPrefix(h, tt.header)
				if !ok || !strings.HasSuffix(count, string([]byte{byte(len(submits)), byte(i + 1)})) || s.ESMClass != pdu.ESMHeader {
					t.Errorf("header % x, esm_class %x", h, s.ESMClass)
				}
				if count = count[:len(count)-2]; reference != "" && count != reference {
					t.Errorf("reference % x after % x", count, reference)
				}
				reference = count
			}
			if want := cmp.Or(tt.want, tt.text); whole != want {
				t.Errorf("received %q, want %q", whole, want)
			}
		})
	}
}

func decoded(s smpptest.Submit, settings map[string]any) string {
	if settings["alphabet"] == "latin1_default" && s.DataCoding == 0 {
		s.DataCoding = 3
	}
	return s.Text()
}

func TestSend_Addresses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		from     string
		settings map[string]any
		want     pdu.Address
	}{
		{griot, nil, pdu.Address{TON: 1, NPI: 1, Addr: griot}},
		{"36000", nil, pdu.Address{TON: 3, NPI: 0, Addr: "36000"}},
		{"GRIOT", nil, pdu.Address{TON: 5, NPI: 0, Addr: "GRIOT"}},
		{"GRIOT", map[string]any{"source_ton": 0, "source_npi": 9}, pdu.Address{TON: 0, NPI: 9, Addr: "GRIOT"}},
	} {
		c := smpptest.Start(t, smpptest.Options{})
		r := start(t, settingsFor(c.Port(), tt.settings))
		out := text("Bonjour")
		out.From = tt.from
		_, err := r.Send(testContext(t), out)
		r.must(err)
		s := c.Submits()[0]
		if to := (pdu.Address{TON: 1, NPI: 1, Addr: aissata}); s.Source != tt.want || s.Destination != to || s.RegisteredDelivery != 1 {
			t.Errorf("from %+v to %+v, registered_delivery %d", s.Source, s.Destination, s.RegisteredDelivery)
		}
	}
}

// Rules: M25.
func TestSend_Validity(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		form      string
		sensitive bool
		ttl       time.Duration // 0: ExpiresAt is zero
		want      string
	}{
		{"relative", false, 0, ""},
		{"relative", false, 26*time.Hour + 3*time.Minute + 4*time.Second, "000001020304000R"},
		{"relative", false, 90 * 24 * time.Hour, "000030000000000R"},
		{"relative", false, time.Millisecond, "000000000001000R"},
		{"relative", true, 0, "000000000500000R"},
		{"relative", true, time.Hour, "000000000500000R"},
		{"relative", true, time.Minute, "000000000100000R"},
		{"absolute", true, time.Hour, "261120120500000+"},
		{"none", true, time.Hour, ""},
	} {
		now := time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)
		out := &gateway.Outbound{Sensitive: tt.sensitive}
		if tt.ttl > 0 {
			out.ExpiresAt = now.Add(tt.ttl)
		}
		if got := validity(tt.form, out, now); got != tt.want {
			t.Errorf("%s, sensitive %v, ttl %v: %q, want %q", tt.form, tt.sensitive, tt.ttl, got, tt.want)
		}
	}
}

func TestSend_RefusesWhatCannotBeSent(t *testing.T) {
	t.Parallel()
	r := open(t, settingsFor(1, nil)) // nothing is contacted
	for want, change := range map[string]func(*gateway.Outbound){
		"permanent channel_unsupported": func(o *gateway.Outbound) { o.Channel = gateway.Email },
		"permanent expired":             func(o *gateway.Outbound) { o.ExpiresAt = r.Clock.Now() },
		"permanent sender_invalid":      func(o *gateway.Outbound) { o.From = "École du Fleuve" },
		"unreachable recipient_invalid": func(o *gateway.Outbound) { o.To = "aissata" },
		"permanent media_unsupported":   func(o *gateway.Outbound) { o.Media = &gateway.Media{URL: "https://example.org/a.png"} },
		"permanent message_empty":       func(o *gateway.Outbound) { o.Text = "" },
		"permanent message_too_long":    func(o *gateway.Outbound) { o.Text = strings.Repeat("a", 153*255+1) },
	} {
		out := text("Bonjour")
		change(out)
		_, err := r.Send(t.Context(), out)
		gatewaytest.WantFailure(t, err, want)
	}
}

// The table of docs/gateways/smpp.md.
func TestSend_ClassifiesByStatus(t *testing.T) {
	t.Parallel()
	c := smpptest.Start(t, smpptest.Options{})
	r := start(t, settingsFor(c.Port(), nil))
	for status, want := range map[pdu.Status]string{
		0x01: "permanent message_too_long", 0x02: "permanent request_refused", 0x03: "permanent request_refused",
		0x04: "sender_down credentials_refused", 0x05: "permanent request_refused", 0x06: "permanent request_refused",
		0x08: "temporary refused_for_now", 0x0a: "permanent sender_refused", 0x0b: "unreachable recipient_refused",
		0x0c: "permanent request_refused", 0x0d: "sender_down credentials_refused", 0x0e: "sender_down credentials_refused",
		0x0f: "sender_down credentials_refused", 0x14: "rate_limited queue_full", 0x15: "permanent request_refused",
		0x33: "permanent request_refused", 0x43: "permanent request_refused", 0x45: "permanent message_refused",
		0x48: "permanent sender_refused", 0x49: "permanent sender_refused", 0x50: "permanent request_refused",
		0x51: "permanent request_refused", 0x53: "sender_down credentials_refused", 0x58: "rate_limited throttled",
		0x61: "permanent request_refused", 0x62: "permanent validity_refused", 0x64: "temporary refused_for_now",
		0x65: "permanent message_refused", 0x66: "permanent message_refused", 0xc4: "permanent request_refused",
		0xfe: "unreachable recipient_refused", 0xff: "temporary refused_for_now", 0x400: "permanent message_refused",
		0x4ff: "permanent message_refused", 0x500: "permanent request_refused", 0xffffffff: "permanent request_refused",
	} {
		c.OnSubmit(func(smpptest.Submit) smpptest.Reply { return smpptest.Reply{Status: status} })
		_, err := r.Send(testContext(t), text("Bonjour"))
		gatewaytest.WantFailure(t, err, fmt.Sprintf("%s 0x%08x", want, uint32(status)))
		if e := gateway.AsError(err); (e.Class == gateway.RateLimited) != (e.RetryAfter == time.Second) {
			t.Errorf("%v: RetryAfter is %v", status, e.RetryAfter)
		}
	}
	c.OnSubmit(nil)
	_, err := r.Send(testContext(t), text("Bonjour"))
	r.must(err)
	if n := len(c.Submits()); n != 1 || c.BindCount() != 1 {
		t.Errorf("%d messages on %d connections, want one each", n, c.BindCount())
	}
}

func TestSend_Segments(t *testing.T) {
	t.Parallel()
	long := text(strings.Repeat("a", 400)) // three segments
	// replies returns reply for the nth submit_sm, and accepts the others.
	replies := func(n int, reply smpptest.Reply) func(smpptest.Submit) smpptest.Reply {
		return func(s smpptest.Submit) smpptest.Reply {
			if s.N == n {
				return reply
			}
			return smpptest.Reply{}
		}
	}
	for _, tt := range []struct {
		name  string
		n     int
		reply smpptest.Reply
		want  string
		taken int
	}{
		{"the first is refused", 1, smpptest.Reply{Status: pdu.InvalidDestination}, "unreachable recipient_refused 0x0000000b", 0},
		{"the first is throttled", 1, smpptest.Reply{Status: pdu.Throttled}, "rate_limited throttled 0x00000058", 0},
		{"the second is throttled", 2, smpptest.Reply{Status: pdu.MessageQueueFull}, "", 3},
		{"the second is refused", 2, smpptest.Reply{Status: pdu.SubmitFailed}, "unknown partly_sent 0x00000045", 1},
		{"the second's answer is lost", 2, smpptest.Reply{Drop: true}, "unknown answer_lost", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			c := smpptest.Start(t, smpptest.Options{})
			c.OnSubmit(replies(tt.n, tt.reply))
			r := start(t, settingsFor(c.Port(), nil))
			_, err := r.Send(testContext(t), long)
			if tt.want == "" {
				r.must(err)
			} else {
				gatewaytest.WantFailure(t, err, tt.want)
			}
			if got := len(c.Submits()); got != tt.taken {
				t.Errorf("%d segments are accepted, want %d", got, tt.taken)
			}
		})
	}
}

// A refused segment is retried as long as response_timeout.
func TestSend_SegmentsRetryLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		submits := 0
		s := openPiped(t, func(w *wire) {
			w.acceptBind()
			for {
				p, err := pdu.Read(w.r)
				if err != nil {
					return
				}
				answer := pdu.PDU{Command: p.Command.Response(), Sequence: p.Sequence}
				if p.Command == pdu.SubmitSM {
					if submits++; submits > 1 {
						answer.Status = pdu.TemporaryAppError
					}
				}
				w.write(answer)
			}
		})
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- s.Run(ctx) }()
		begin := time.Now()
		_, err := s.Send(ctx, text(strings.Repeat("a", 200)))
		gatewaytest.WantFailure(t, err, "unknown partly_sent 0x00000064")
		if took := time.Since(begin); took != 30*time.Second {
			t.Errorf("given up after %v", took)
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
