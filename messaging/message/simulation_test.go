package message_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"example.com/griot/docs"
	"example.com/griot/gateway"
	"example.com/griot/internal/i18n"
	"example.com/griot/internal/phone"
	"example.com/griot/messaging/message"
)

// The guide's table has the recipients and the events that they select, in this order.
// Rules: M210.
func TestSimulations_AreInTheGuide(t *testing.T) {
	t.Parallel()
	page, err := docs.Files().ReadFile("sending.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(page), "\n### Simulated outcomes\n")
	section, _, _ = strings.Cut(section, "\n## ")
	_, retryable, _ := strings.Cut(section, "`retryable` is true for ")
	retryable, _, _ = strings.Cut(retryable, ".\n")
	var got, want []string
	for line := range strings.Lines(section) {
		if line = strings.TrimSpace(line); strings.HasPrefix(line, "| `") {
			got = append(got, line)
		}
	}
	names := map[gateway.Channel]string{gateway.WhatsApp: "WhatsApp", gateway.SMS: "SMS", gateway.Email: "Email"}
	for _, s := range message.Simulations() {
		var channels, events []string
		for _, c := range s.Channels {
			channels = append(channels, names[c])
		}
		for _, status := range s.Statuses[1:] {
			events = append(events, strings.ToLower(string(status)))
		}
		code := "–"
		if s.Code() != "" {
			code = "`" + s.Code() + "`"
			if strings.Contains(retryable, code) != s.Failure.Retryable() {
				t.Errorf("docs/sending.md has %q as retryable, but that of %s is %v", retryable, code, s.Failure.Retryable())
			}
		}
		want = append(want, fmt.Sprintf("| `%s` | %s | %s | %s |", s.Address, strings.Join(channels, ", "), strings.Join(events, ", "), code))
	}
	if len(want) < 20 || !slices.Equal(got, want) {
		t.Errorf("docs/sending.md has\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// No recipient of the table belongs to a person, and each can be sent to. Its code is one that pages explain.
// Rules: M210.
func TestSimulations_BelongToNoOne(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, s := range message.Simulations() {
		if seen[s.Address] {
			t.Errorf("%s is listed twice", s.Address)
		}
		seen[s.Address] = true
		if n, ok := phone.Parse(s.Address); ok {
			if len(n) != len("447700900000") || !strings.HasPrefix(string(n), "447700900") || !n.Possible() || n.Sandbox() {
				t.Errorf("%s isn't one of Ofcom's numbers for drama", s.Address)
			}
		} else if !strings.HasSuffix(s.Address, ".example") {
			t.Errorf("%s is at a domain that someone can register", s.Address)
		}
		for _, c := range s.Channels {
			r := &message.Request{Channel: c, To: s.Address, Content: message.Content{Text: "x"}}
			if err := r.Check(); err != nil {
				t.Errorf("%s on %s: %v", s.Address, c, err)
			}
		}
		if failed := s.Outcome().HasFailed(); failed != (s.Failure != nil) || failed != (s.Code() != "") {
			t.Errorf("%s ends as %s with the failure %v", s.Address, s.Outcome(), s.Failure)
		}
		for _, lang := range i18n.Langs() {
			if code, _, _ := lang.Reason(s.Code(), ""); code != s.Code() {
				t.Errorf("%s: the code %s has no explanation", s.Address, s.Code())
			}
		}
		for i, from := range s.Statuses[:len(s.Statuses)-1] {
			if to := s.Statuses[i+1]; !from.MayBecome(to) && (from != message.Queued || !to.HasFailed()) {
				t.Errorf("%s: no message changes from %s to %s", s.Address, from, to)
			}
		}
	}
}

// An address selects its outcome in any spelling, on its channels. Any other recipient gets the message.
// Rules: M210.
func TestSimulationOf(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		channel gateway.Channel
		to      string
		outcome message.Status
		code    string
	}{
		{gateway.WhatsApp, "+447700900010", message.Failed, "not_on_whatsapp"},
		{gateway.WhatsApp, "447700900010", message.Failed, "not_on_whatsapp"},
		{gateway.SMS, "+447700900010", message.Delivered, ""},
		{gateway.WhatsApp, "+447700900002", message.Read, ""},
		{gateway.SMS, "+447700900002", message.Delivered, ""},
		{gateway.SMS, "+447700900033", message.Expired, "expired"},
		{gateway.Email, "bounced@simulated.example", message.Failed, "bounced"},
		{gateway.Email, "Bounced@SIMULATED.example", message.Failed, "bounced"},
		{gateway.Email, "bounced@example.com", message.Delivered, ""},
		{gateway.Email, "awa@simulated.example", message.Delivered, ""},
		{gateway.WhatsApp, "+447700900000", message.Delivered, ""},
		{gateway.SMS, "+22376000001", message.Delivered, ""},
		{gateway.WhatsApp, "ML.9001", message.Delivered, ""},
		{gateway.WhatsApp, "", message.Delivered, ""},
	} {
		s := message.SimulationOf(test.channel, test.to)
		if s.Outcome() != test.outcome || s.Code() != test.code {
			t.Errorf("%s on %s: %s %q, want %s %q", test.to, test.channel, s.Outcome(), s.Code(), test.outcome, test.code)
		}
	}
	for _, n := range phone.SandboxNumbers() {
		if s := message.SimulationOf(gateway.WhatsApp, n.E164()); s.Outcome() != message.Delivered {
			t.Errorf("%s is a number of the login service's sandbox, and selects %s", n, s.Outcome())
		}
	}
}
