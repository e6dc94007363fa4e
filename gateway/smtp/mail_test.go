package smtp

import (
	"bytes"
	netmail "net/mail"
	"slices"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/mailtext"
	"example.com/griot/internal/visible"
)

var noon = time.Date(2026, 11, 20, 12, 0, 0, 0, time.UTC)

// headers returns a message's header, and the names of its fields, sorted.
func headers(t *testing.T, content []byte) (netmail.Header, []string) {
	t.Helper()
	m, err := netmail.ReadMessage(bytes.NewReader(content))
	if err != nil {
		t.Fatalf("%v in %q", err, content)
	}
	var names []string
	for name, values := range m.Header {
		if len(values) != 1 {
			t.Errorf("%d times %s", len(values), name)
		}
		names = append(names, name)
	}
	slices.Sort(names)
	return m.Header, names
}

// Rules: M21.
func TestCompose(t *testing.T) {
	t.Parallel()
	out := message()
	out.DisplayName, out.Subject, out.HTML = "École du Fleuve", "Élèves reçus à Ségou", "<p>Ça va&nbsp;?</p>"
	m, failure := (&sender{}).compose(out, noon)
	if failure != nil {
		t.Fatal(failure)
	}
	if m.from != "<griot@example.org>" || m.to != "<aissata@example.org>" || m.id != "<msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ@example.org>" || m.utf8 {
		t.Errorf("%+v", m)
	}
	header, names := headers(t, m.content)
	if want := []string{"Auto-Submitted", "Content-Type", "Date", "From", "Message-Id", "Mime-Version", "Subject", "To"}; !slices.Equal(names, want) {
		t.Errorf("header fields %q, want %q", names, want)
	}
	if at, err := header.Date(); err != nil || !at.Equal(noon) {
		t.Errorf("Date is %v, %v; want %v", at, err, noon)
	}
	if from, err := netmail.ParseAddress(header.Get("From")); err != nil || from.Name != out.DisplayName || from.Address != out.From {
		t.Errorf("From is %v, %v", from, err)
	}
	got, err := read(m.content)
	if err != nil || got.Text != out.Text || got.HTML != out.HTML || got.Subject != out.Subject || got.ProviderID != m.id || got.Ref != out.Ref {
		t.Errorf("read back: %+v, %v", got, err)
	}
	for line := range bytes.Lines(m.content) {
		if len(line) > 78 || slices.ContainsFunc(line, func(b byte) bool { return b >= 0x80 }) {
			t.Errorf("a line of %d bytes, or not ASCII: %q", len(line), line)
		}
	}
}

// Rules: M21.
func TestCompose_TextOrHTMLAlone(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ text, html, kind string }{
		{"Ça va ?", "", "text/plain; charset=UTF-8"},
		{"", "<p>Ça va ?</p>", "text/html; charset=UTF-8"},
	} {
		out := message()
		out.Text, out.HTML, out.Subject, out.DisplayName = tt.text, tt.html, "", ""
		m, failure := (&sender{}).compose(out, noon)
		if failure != nil {
			t.Fatal(failure)
		}
		header, names := headers(t, m.content)
		got, err := read(m.content)
		if err != nil || got.Text != tt.text || got.HTML != tt.html || header.Get("Content-Type") != tt.kind {
			t.Errorf("%q, %q: %+v, %s, %v", tt.text, tt.html, got, header.Get("Content-Type"), err)
		}
		if slices.Contains(names, "Subject") || header.Get("From") != "<griot@example.org>" {
			t.Errorf("without subject and name: %v", header)
		}
	}
}

func TestCompose_HeadersHaveOneLine(t *testing.T) {
	t.Parallel()
	out := message()
	out.Subject, out.DisplayName = "Reçu\r\nBcc: moussa@example.org\x00", "Griot\nReply-To: moussa@example.org\u2028"
	m, failure := (&sender{}).compose(out, noon)
	if failure != nil {
		t.Fatal(failure)
	}
	header, _ := headers(t, m.content)
	got, err := read(m.content)
	if err != nil || got.Subject != "Reçu Bcc: moussa@example.org" {
		t.Errorf("Subject is %q, %v", got.Subject, err)
	}
	if from, err := netmail.ParseAddress(header.Get("From")); err != nil || from.Name != "Griot Reply-To: moussa@example.org" {
		t.Errorf("From is %v, %v", from, err)
	}
}

// No field starts with an empty line, and no line is longer than 76 characters unless a word is longer.
func TestCompose_FoldsHeaders(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ subject, name, to string }{
		{strings.Repeat("é", 41), strings.Repeat("É", 60), "aissata@example.org"},
		{"Votre reçu de l'abonnement du mois d'août est prêt", "École du Fleuve", "aissata@example.org"},
		{strings.Repeat("x", 300), strings.Repeat("y", 300), strings.Repeat("a", 64) + "@" + strings.Repeat("b", 60) + ".example.org"},
		{strings.Repeat("word ", 100), strings.Repeat("name ", 50), "aissata@example.org"},
		{strings.Repeat("😀", 200), "a  b" + strings.Repeat(" c", 60), "aissata@example.org"},
	} {
		out := message()
		out.Subject, out.DisplayName, out.To = tt.subject, tt.name, tt.to
		unsubscribe := mailtext.Unsubscribe{ListUnsubscribe: "https://example.org/" + strings.Repeat("u", 100) + "/{ref}", ListUnsubscribePost: true}
		m, failure := (&sender{settings: settings{Unsubscribe: unsubscribe}}).compose(out, noon)
		if failure != nil {
			t.Fatal(failure)
		}
		wantFolded(t, m.content)
		header, _ := headers(t, m.content)
		got, err := read(m.content)
		if from, wrong := netmail.ParseAddress(header.Get("From")); wrong != nil || from.Name != visible.Line(tt.name) || err != nil || got.Subject != strings.TrimSpace(tt.subject) {
			t.Errorf("From is %v, %v, and Subject is %q, %v", from, wrong, got.Subject, err)
		}
	}
}

// wantFolded fails if a line of the header is empty, or longer than 76 characters although it has several words.
func wantFolded(t *testing.T, content []byte) {
	t.Helper()
	header, _, _ := bytes.Cut(content, []byte("\r\n\r\n"))
	for line := range strings.SplitSeq(string(header), "\r\n") {
		name, value, isFirst := strings.Cut(line, ": ")
		if strings.HasPrefix(line, " ") || !isFirst {
			name, value = "", strings.TrimPrefix(line, " ")
		}
		if strings.Trim(value, " ") == "" {
			t.Errorf("an empty line: %q", line)
		}
		if len(line) > 76 && (strings.Contains(value, " ") || name == "Subject" || name == "From") {
			t.Errorf("a line of %d characters: %q", len(line), line)
		}
	}
}

func TestCompose_Refuses(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		want   string
		change func(*gateway.Outbound)
	}{
		{"permanent sender_invalid", func(o *gateway.Outbound) { o.From = "griot" }},
		{"permanent sender_invalid", func(o *gateway.Outbound) { o.From = "Griot <griot@example.org>" }},
		{"permanent sender_invalid", func(o *gateway.Outbound) { o.From = "griot@example.org\r\nRCPT TO:<a@b>" }},
		{"permanent sender_invalid", func(o *gateway.Outbound) { o.From = "griot@ségou-.example" }},
		{"unreachable recipient_invalid", func(o *gateway.Outbound) { o.To = "" }},
		{"unreachable recipient_invalid", func(o *gateway.Outbound) { o.To = "22370000001" }},
		{"unreachable recipient_invalid", func(o *gateway.Outbound) { o.To = "a@example.org, b@example.org" }},
		{"unreachable recipient_invalid", func(o *gateway.Outbound) { o.To = "a@example.org\r\nBcc: b@example.org" }},
		{"unreachable recipient_invalid", func(o *gateway.Outbound) { o.To = "a@example.org>\r\nDATA" }},
		{"unreachable recipient_invalid", func(o *gateway.Outbound) { o.To = "\"a\r\nb\"@example.org" }},
		{"permanent reference_invalid", func(o *gateway.Outbound) { o.Ref = "" }},
		{"permanent reference_invalid", func(o *gateway.Outbound) { o.Ref = "msg>\r\nBcc: b@example.org" }},
		{"permanent sender_invalid", func(o *gateway.Outbound) { o.From = "griot@" + strings.Repeat("a", 249) }},
		{"unreachable recipient_invalid", func(o *gateway.Outbound) { o.To = strings.Repeat("a", 249) + "@b.org" }},
		{"permanent header_too_long", func(o *gateway.Outbound) { o.Subject = strings.Repeat("a", 981) }},
		{"permanent header_too_long", func(o *gateway.Outbound) { o.DisplayName = strings.Repeat("a", 481) }},
		{"permanent media_unsupported", func(o *gateway.Outbound) { o.Media = &gateway.Media{URL: "https://example.org/a.png"} }},
		{"permanent message_empty", func(o *gateway.Outbound) { o.Text = "" }},
	} {
		out := message()
		tt.change(out)
		if _, failure := (&sender{}).compose(out, noon); failure == nil {
			t.Errorf("%+v is accepted, want %s", out, tt.want)
		} else {
			gatewaytest.WantFailure(t, failure, tt.want)
		}
	}
}

// With any subject, name, and bodies, the header has exactly its fields, and the bodies are read unchanged.
func FuzzCompose(f *testing.F) {
	f.Add("Bonjour", "Griot", "Ça va ?", "<p>Ça va ?</p>")
	f.Add("a\r\nBcc: b@example.org", "a\r\nBcc: b@example.org", "\r\n.\r\nMAIL FROM:<a@b>\r\n", "\n.\n")
	f.Add("a\rb\nc\x00d\u0085e\u2028f", "\" <b@example.org>, \"", ".", "..")
	f.Add(strings.Repeat("é", 300), strings.Repeat("long ", 60), strings.Repeat("x", 5000), "\x00\xff")
	f.Add(" =?utf-8?q?=0D=0ABcc:_b?= ", "=?utf-8?q?=0D=0A?=", "--boundary", "=\r\n=20")
	f.Add(strings.Repeat("x", 980), strings.Repeat("\"", 480), "x", "x")
	f.Add("0", "0", "a\r=\nb", "\r\r\n\n\r")
	f.Fuzz(func(t *testing.T, subject, name, text, html string) {
		if text == "" || html == "" || len(subject) > 980 || len(name) > 480 {
			return
		}
		out := message()
		out.Subject, out.DisplayName, out.Text, out.HTML = subject, name, text, html
		m, failure := (&sender{}).compose(out, noon)
		if failure != nil {
			t.Fatalf("%v: %+v", failure, out)
		}
		_, names := headers(t, m.content)
		want := []string{"Auto-Submitted", "Content-Type", "Date", "From", "Message-Id", "Mime-Version", "Subject", "To"}
		if visible.Line(subject) == "" {
			want = slices.DeleteFunc(want, func(s string) bool { return s == "Subject" })
		}
		if !slices.Equal(names, want) {
			t.Errorf("header fields %q, want %q", names, want)
		}
		wantFolded(t, m.content)
		if bytes.Contains(bytes.ReplaceAll(m.content, []byte("\r\n"), nil), []byte("\r")) {
			t.Error("a carriage return stands alone")
		}
		for line := range bytes.Lines(m.content) {
			if len(line) > 1000 {
				t.Errorf("a line of %d bytes", len(line))
			}
		}
		got, err := read(m.content)
		if err != nil {
			t.Fatal(err)
		}
		if want := strings.ToValidUTF8(visible.Line(subject), "\uFFFD"); got.Subject != want {
			t.Errorf("the subject %q is read as %q", want, got.Subject)
		}
		if lines(got.Text) != lines(text) || lines(got.HTML) != lines(html) {
			t.Errorf("text %q and html %q are read as %q and %q", text, html, got.Text, got.HTML)
		}
	})
}

// lines replaces every kind of line break with "\n".
func lines(s string) string { return strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(s) }

func TestSend_DotStuffing(t *testing.T) {
	t.Parallel()
	r := newRelay(t, nil, false)
	s, _ := open(t, r.settings(nil))
	out := message()
	out.Text = "Fin\r\n.\r\nMAIL FROM:<moussa@example.org>\r\n.\n\n.\n..\n.\r"
	ack, err := s.Send(t.Context(), out)
	if err != nil {
		t.Fatal(err)
	}
	got := r.allReceived()
	if len(got) != 1 || lines(got[0].Text) != lines(out.Text) || got[0].ProviderID != ack.ProviderID || len(r.currentStats().senders) != 1 {
		t.Errorf("received %+v from %q", got, r.currentStats().senders)
	}
}

// SMTPUTF8 is requested only for addresses that need it.
func TestSend_UTF8Addresses(t *testing.T) {
	t.Parallel()
	r := newRelay(t, nil, false)
	s, _ := open(t, r.settings(nil))
	for _, to := range []string{"aissata@example.org", "aïssata@école.example"} {
		out := message()
		out.To = to
		if _, err := s.Send(t.Context(), out); err != nil {
			t.Fatal(err)
		}
	}
	if got := r.allReceived(); !slices.Equal(r.currentStats().utf8, []bool{false, true}) || got[1].To != "aïssata@xn--cole-9oa.example" {
		t.Errorf("SMTPUTF8 %v, received %+v", r.currentStats().utf8, got)
	}
	plain, _ := open(t, serveScripts(t, func(w *wire) { w.acceptEHLO(); w.acceptMessage(); w.expect("QUIT"); w.write("221 bye") }))
	out := message()
	out.To = "aïssata@example.org"
	_, err := plain.Send(t.Context(), out)
	gatewaytest.WantFailure(t, err, "unreachable smtputf8_unsupported")
	if _, err := plain.Send(t.Context(), message()); err != nil {
		t.Errorf("over the same connection: %v", err)
	}
}

func TestSend_TooLargeForTheRelay(t *testing.T) {
	t.Parallel()
	r := newRelay(t, nil, false) // accepts 100 kB
	s, _ := open(t, r.settings(nil))
	out := message()
	out.Text = strings.Repeat("Le fleuve est long. ", 6000)
	_, err := s.Send(t.Context(), out)
	gatewaytest.WantFailure(t, err, "permanent message_too_large")
	if len(r.currentStats().senders) != 0 {
		t.Error("the driver has sent MAIL")
	}
}
