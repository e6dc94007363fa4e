package smtp

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smtp/postfixtest"
)

// Postfix accepts our mail, and relays it with a valid signature.
func TestPostfix(t *testing.T) {
	postfix := postfixtest.Start(t)
	path, record := keyFile(t, rsaKey(t, 2048))
	s, _ := open(t, fmt.Appendf(nil, `{"host":"127.0.0.1","port":%d,"tls":"none","dkim_domain":"example.org","dkim_selector":"griot","dkim_key_file":%q,"list_unsubscribe":"https://example.com/stop?m={ref}"}`, postfix.Port, path))
	if err := s.Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"Bonjour,\n\n.\n..votre reçu est prêt : 12 500 F CFA ☀\n\n\n", strings.Repeat("Été à Ségou. ", 300)} {
		out := message()
		out.Ref, out.Text, out.HTML = fmt.Sprintf("msg_%d", i), text, "<p>"+text+"</p>"
		ack, err := s.Send(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		content := postfix.Next()
		if verify(t, content, "griot._domainkey.example.org", record) != 1 {
			t.Errorf("the signature is invalid:\n%s", content)
		}
		for _, want := range []string{"Message-ID: " + ack.ProviderID, "List-Unsubscribe: <https://example.com/stop?m=" + out.Ref + ">", "Received: from "} {
			if !bytes.Contains(content, []byte(want)) {
				t.Errorf("without %s:\n%s", want, content)
			}
		}
	}
	out := message()
	out.To = "nobody@refused.example"
	_, err := s.Send(t.Context(), out)
	gatewaytest.WantFailure(t, err, "unreachable recipient_refused 550 5.1.1")
	if _, err := s.Send(t.Context(), message()); err != nil { // on the same connection
		t.Error(err)
	}
}
