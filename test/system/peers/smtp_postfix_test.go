package peers_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/smtp"
	"example.com/griot/test/system/peers/postfixtest"
)

// Postfix accepts our email, and relays it with a valid signature.
func TestPostfix(t *testing.T) {
	postfix := postfixtest.Start(t)
	path, record := dkimKey(t)
	s := gatewaytest.Open[gateway.Sender](t, smtp.Open, gatewaytest.NewEnvironment(), fmt.Appendf(nil, `{"host":"127.0.0.1","port":%d,"tls":"none","dkim_domain":"example.org","dkim_selector":"griot","dkim_key_file":%q,"list_unsubscribe":"https://example.com/stop?m={ref}"}`, postfix.Port, path))
	if err := s.(gateway.Prober).Probe(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, text := range []string{"Bonjour,\n\n.\n..votre reçu est prêt : 12 500 F CFA ☀\n\n\n", strings.Repeat("Été à Ségou. ", 300)} {
		out := mail()
		out.Ref, out.Text, out.HTML = fmt.Sprintf("msg_%d", i), text, "<p>"+text+"</p>"
		ack, err := s.Send(t.Context(), out)
		if err != nil {
			t.Fatal(err)
		}
		content := postfix.Next()
		verifySignature(t, content, "griot._domainkey.example.org", record)
		for _, want := range []string{"Message-ID: " + ack.ProviderID, "List-Unsubscribe: <https://example.com/stop?m=" + out.Ref + ">", "Received: from "} {
			if !bytes.Contains(content, []byte(want)) {
				t.Errorf("without %s:\n%s", want, content)
			}
		}
	}
	out := mail()
	out.To = "nobody@refused.example"
	_, err := s.Send(t.Context(), out)
	gatewaytest.WantFailure(t, err, "unreachable recipient_refused 550 5.1.1")
	if _, err := s.Send(t.Context(), mail()); err != nil { // on the same connection
		t.Error(err)
	}
}

// dkimKey writes a new key to a file, and returns the DNS record of its public part.
func dkimKey(t *testing.T) (path, record string) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "dkim.key")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600); err != nil {
		t.Fatal(err)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return path, "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(public)
}

// verifySignature fails the test unless an email has one signature, which is valid for the DNS record with a name.
func verifySignature(t *testing.T, content []byte, name, record string) {
	t.Helper()
	found, err := dkim.VerifyWithOptions(bytes.NewReader(content), &dkim.VerifyOptions{LookupTXT: func(asked string) ([]string, error) {
		if asked != name {
			t.Errorf("the signature's record is %s, want %s", asked, name)
		}
		return []string{record}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Err != nil {
		t.Errorf("the signature is invalid: %+v\n%s", found, content)
	}
}
