package main

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/griot/gateway"
	messagingverbs "example.com/griot/messaging/verbs"
)

// In a terminal, each code replaces the previous one, and is black on white.
func TestPairingSession_InATerminal(t *testing.T) {
	var out strings.Builder
	p := &pairingSession{o: &adminOptions{}, out: &out, terminal: true, color: true}
	show := func(now messagingverbs.Pairing) string {
		t.Helper()
		out.Reset()
		if err := p.show(now, nil); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	first := show(messagingverbs.Pairing{State: gateway.PairingWaiting, QR: "2@first", Address: "22370000099"})
	if !strings.HasPrefix(first, "On the phone that has +22370000099") || !strings.Contains(first, "\x1b[38;5;16;48;5;231m") {
		t.Errorf("the first code: %q", first)
	}
	for line := range strings.Lines(first) {
		if n := utf8.RuneCountInString(line); !strings.Contains(line, "\x1b") && n > 80 {
			t.Errorf("a terminal breaks %q", line)
		}
	}
	if again := show(messagingverbs.Pairing{State: gateway.PairingWaiting, QR: "2@first", Address: "22370000099"}); again != "" {
		t.Errorf("the same code again: %q", again)
	}
	if second := show(messagingverbs.Pairing{State: gateway.PairingWaiting, QR: "2@second", Address: "22370000099"}); !strings.HasPrefix(second, fmt.Sprintf("\x1b[%dA\x1b[JOn the phone", strings.Count(first, "\n"))) {
		t.Errorf("the second code begins with %.40q", second)
	}
	if last := show(messagingverbs.Pairing{State: gateway.PairingDone, Address: "22370000099"}); !strings.HasSuffix(last, "\x1b[J+22370000099 is linked.\n") {
		t.Errorf("the end: %q", last)
	}
}
