package mailtext_test

import (
	"mime"
	"net/mail"
	"strings"
	"testing"
	"unicode/utf8"

	"example.com/griot/gateway/internal/mailtext"
	"example.com/griot/internal/visible"
)

// unfolded checks the lines of a field and returns its value as a reader decodes it.
func unfolded(t *testing.T, field, value string) string {
	t.Helper()
	for line := range strings.SplitSeq(field+": "+value, "\r\n") {
		if len(line) > 76 || strings.Trim(strings.TrimPrefix(line, field+":"), " ") == "" || !mailtext.IsASCII(line) || strings.ContainsAny(line, "\r\n") {
			t.Errorf("the line %q has %d characters, is empty, or is not ASCII", line, len(line))
		}
		for word := range strings.SplitSeq(line, " ") {
			if strings.HasPrefix(word, "=?") && len(word) > 75 {
				t.Errorf("an encoded-word of %d characters: %s", len(word), word)
			}
			if decoded, err := new(mime.WordDecoder).Decode(word); err == nil && !utf8.ValidString(decoded) {
				t.Errorf("a part of a character: %s", word)
			}
		}
	}
	m, err := mail.ReadMessage(strings.NewReader(field + ": " + value + "\r\n\r\n"))
	if err != nil || len(m.Header) != 1 {
		t.Fatalf("%q: %v, %v", value, m, err)
	}
	return m.Header.Get(field)
}

func subject(t *testing.T, value string) string {
	t.Helper()
	decoded, err := new(mime.WordDecoder).DecodeHeader(unfolded(t, "Subject", value))
	if err != nil {
		t.Errorf("%q: %v", value, err)
	}
	return decoded
}

func TestText(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]string{
		"Your code":                       "Your code",
		"Reçu":                            "=?utf-8?b?UmXDp3U=?=",
		"Écoles de Ségou":                 "=?utf-8?b?w4ljb2xlcyBkZSBTw6lnb3U=?=",
		"Привет, мир":                     "=?utf-8?b?0J/RgNC40LLQtdGCLCDQvNC40YA=?=",
		"=?utf-8?q?a?=":                   "=?utf-8?b?PT91dGYtOD9xP2E/PQ==?=",
		strings.Repeat("a", 67):           strings.Repeat("a", 67),
		strings.Repeat("a", 68):           "=?utf-8?q?" + strings.Repeat("a", 55) + "?=\r\n =?utf-8?q?" + strings.Repeat("a", 13) + "?=",
		strings.Repeat("a", 67) + " bc":   strings.Repeat("a", 67) + "\r\n bc",
		strings.Repeat("abcd ", 20) + "e": strings.TrimSuffix(strings.Repeat("abcd ", 13), " ") + "\r\n " + strings.Repeat("abcd ", 7) + "e",
		strings.Repeat("é", 41):           "=?utf-8?b?" + strings.Repeat("w6nDqcOp", 6) + "w6k=?=\r\n =?utf-8?b?" + strings.Repeat("w6nDqcOp", 7) + "w6k=?=",
		"Votre reçu de l'abonnement du mois d'août est prêt, merci de votre confiance": "=?utf-8?q?Votre_re=C3=A7u_de_l=27abonnement_du_mois_d=27ao=C3=BBt?=\r\n =?utf-8?q?_est_pr=C3=AAt=2C_merci_de_votre_confiance?=",
	} {
		got := mailtext.Text("Subject", s)
		if got != want {
			t.Errorf("%q:\n got %q\nwant %q", s, got, want)
		}
		if back := subject(t, got); back != s {
			t.Errorf("%q is read as %q", s, back)
		}
	}
}

func TestMailbox(t *testing.T) {
	t.Parallel()
	const address = "<griot@example.org>"
	for name, want := range map[string]string{
		"":                       address,
		"Griot":                  `"Griot" <griot@example.org>`,
		`A "b" \ <c>`:            `"A \"b\" \\ <c>" <griot@example.org>`,
		"École du Fleuve":        "=?utf-8?q?=C3=89cole_du_Fleuve?= <griot@example.org>",
		strings.Repeat("a", 60):  `"` + strings.Repeat("a", 60) + "\"\r\n <griot@example.org>",
		strings.Repeat("a", 69):  "=?utf-8?q?" + strings.Repeat("a", 58) + "?=\r\n =?utf-8?q?" + strings.Repeat("a", 11) + "?= <griot@example.org>",
		"=?utf-8?q?a?=":          "=?utf-8?b?PT91dGYtOD9xP2E/PQ==?= <griot@example.org>",
		strings.Repeat("é", 100): "",
	} {
		got := mailtext.Mailbox("From", name, address)
		if want != "" && got != want {
			t.Errorf("%q:\n got %q\nwant %q", name, got, want)
		}
		if from, err := mail.ParseAddress(unfolded(t, "From", got)); err != nil || from.Name != name || from.Address != "griot@example.org" {
			t.Errorf("%q is read as %v, %v", name, from, err)
		}
	}
}

func FuzzText(f *testing.F) {
	for _, s := range []string{"Your code", "Reçu", strings.Repeat("é", 100), "=?utf-8?q?a?=", "a  b", strings.Repeat("a", 100), strings.Repeat("😀 ", 50), "a =?= ?= b", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		s = visible.Line(s)
		want := strings.ToValidUTF8(s, "\uFFFD")
		if got := mailtext.EncodeWords(s, len("Subject: ")); s != "" && subject(t, got) != want {
			t.Errorf("%q is encoded as %q", s, got)
		}
		if got := mailtext.Text("Subject", s); s != "" && subject(t, got) != want {
			t.Errorf("%q is written as %q", s, got)
		}
		got := mailtext.Mailbox("From", s, "<griot@example.org>")
		if from, err := mail.ParseAddress(unfolded(t, "From", got)); err != nil || from.Name != want || from.Address != "griot@example.org" {
			t.Errorf("%q is written as %q, and read as %v, %v", s, got, from, err)
		}
	})
}
