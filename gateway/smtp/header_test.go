package smtp

import (
	"mime"
	netmail "net/mail"
	"strings"
	"testing"
)

// Domains outside ASCII are sent as A-labels (RFC 5890), which need no SMTPUTF8.
func TestSend_DomainsAsALabels(t *testing.T) {
	t.Parallel()
	r := newRelay(t, nil, false)
	s, _ := open(t, r.settings(nil))
	out := message()
	out.From, out.To = "griot@Ségou.example", "aissata@bücher.example"
	ack, err := s.Send(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	got, stats := r.allReceived(), r.currentStats()
	if len(got) != 1 || got[0].To != "aissata@xn--bcher-kva.example" || stats.senders[0] != "griot@xn--sgou-bpa.example" || stats.utf8[0] {
		t.Errorf("received %+v from %q, SMTPUTF8 %v; want A-labels without SMTPUTF8", got, stats.senders, stats.utf8)
	}
	if want := "<" + out.Ref + "@xn--sgou-bpa.example>"; ack.ProviderID != want {
		t.Errorf("Message-ID is %s, want %s", ack.ProviderID, want)
	}
}

func TestCompose_AutoSubmitted(t *testing.T) {
	t.Parallel()
	m, failure := (&sender{}).compose(message(), noon)
	if failure != nil {
		t.Fatal(failure)
	}
	if header, _ := headers(t, m.content); header.Get("Auto-Submitted") != "auto-generated" {
		t.Errorf("Auto-Submitted is %q, want auto-generated (RFC 3834)", header.Get("Auto-Submitted"))
	}
}

// Text that looks like an encoded-word (RFC 2047) is shown as written, not decoded.
func TestCompose_LiteralEncodedWord(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"=?utf-8?q?Bonjour?=", "Solde: =?iso-8859-1?b?w6k=?= FCFA", "=?utf-8?q?a?= " + longWords, "=? at its beginning", "Été =?utf-8?q?=C3=A9?=",
	} {
		out := message()
		out.Subject, out.DisplayName = text, text
		m, failure := (&sender{}).compose(out, noon)
		if failure != nil {
			t.Fatal(failure)
		}
		header, names := headers(t, m.content)
		got, err := new(mime.WordDecoder).DecodeHeader(header.Get("Subject"))
		if err != nil || got != text {
			t.Errorf("Subject %q is read as %q, %v", text, got, err)
		}
		from, err := netmail.ParseAddress(header.Get("From"))
		if err != nil || from.Name != text || from.Address != out.From {
			t.Errorf("name %q is read as %v, %v, from %q", text, from, err, header.Get("From"))
		}
		if raw := header.Get("From"); strings.Contains(raw, "=?utf-8?q?B") || strings.Contains(raw, "iso-8859-1") {
			t.Errorf("From is %q, which readers decode in quotes too", raw)
		}
		if n := len(names); n != 9 {
			t.Errorf("%d header fields, want 9: %q", n, names)
		}
	}
}

const longWords = "le fleuve est long et large, et la pirogue passe par Ségou, Mopti et Tombouctou avant les pluies"
