package smtp

import (
	"bytes"
	"crypto"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/emersion/go-msgauth/dkim"

	"example.com/griot/gateway"
)

// keyFile writes a private key to a file, and returns its DNS record.
func keyFile(t *testing.T, key crypto.Signer) (path, record string) {
	t.Helper()
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(t.TempDir(), "dkim.key")
	if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}), 0o600); err != nil {
		t.Fatal(err)
	}
	if public, ok := key.Public().(ed25519.PublicKey); ok {
		return path, "v=DKIM1; k=ed25519; p=" + base64.StdEncoding.EncodeToString(public)
	}
	public, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		t.Fatal(err)
	}
	return path, "v=DKIM1; k=rsa; p=" + base64.StdEncoding.EncodeToString(public)
}

func rsaKey(t *testing.T, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// verify returns the number of a message's signatures that are valid by a DNS record.
func verify(t *testing.T, content []byte, name, record string) (right int) {
	t.Helper()
	found, err := dkim.VerifyWithOptions(bytes.NewReader(content), &dkim.VerifyOptions{LookupTXT: func(asked string) ([]string, error) {
		if asked != name {
			t.Errorf("the signature's record is %s", asked)
		}
		return []string{record}, nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range found {
		if v.Err == nil {
			right++
		}
	}
	return right
}

func TestDKIM(t *testing.T) {
	t.Parallel()
	_, edwards, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	for name, key := range map[string]crypto.Signer{"rsa": rsaKey(t, 2048), "ed25519": edwards} {
		path, record := keyFile(t, key)
		text, err := os.ReadFile(path)
		if err == nil {
			err = os.WriteFile(path, append([]byte("\ufeff"), text...), 0o600) // as editors save it
		}
		if err != nil {
			t.Fatal(err)
		}
		s, _ := open(t, []byte(`{"host":"127.0.0.1","tls":"none","dkim_domain":"Example.com","dkim_selector":"griot","dkim_key_file":"`+path+`"}`))
		for from, signed := range map[string]int{"bonjour@example.com": 1, "bonjour@mail.example.com": 1, "bonjour@notexample.com": 0, "bonjour@com": 0} {
			out := message()
			out.From = from
			m, failure := s.compose(out, noon)
			if failure != nil {
				t.Fatal(failure)
			}
			if got := verify(t, m.content, "griot._domainkey.example.com", record); got != signed {
				t.Errorf("%s: %s has %d valid signatures, want %d\n%s", name, from, got, signed, m.content)
			}
			if signed == 0 {
				continue
			}
			for _, forged := range []string{"From: forged@example.com\r\n", "Subject: forged\r\n"} {
				if verify(t, append([]byte(forged), m.content...), "griot._domainkey.example.com", record) != 0 {
					t.Errorf("%s: %q can be added", name, forged)
				}
			}
			if verify(t, append(m.content, "more\r\n"...), "griot._domainkey.example.com", record) != 0 {
				t.Error("the text can be changed")
			}
		}
	}
}

func TestDKIM_Keys(t *testing.T) {
	t.Parallel()
	small, _ := keyFile(t, rsaKey(t, 1024))
	weak := filepath.Join(t.TempDir(), "weak")
	if err := os.WriteFile(weak, []byte("kora"), 0o600); err != nil {
		t.Fatal(err)
	}
	settings := func(domain, path string) []byte {
		return []byte(`{"host":"127.0.0.1","tls":"none","dkim_domain":"` + domain + `","dkim_selector":"griot","dkim_key_file":"` + path + `"}`)
	}
	env := gateway.Deps{}
	if _, err := Open(settings("example.com", small), env); err != nil {
		t.Error(err)
	}
	for _, raw := range [][]byte{settings("example.com", weak), settings("example.com", weak+"x"), settings("exa mple.com", small), settings("", small), settings("example.com", "")} {
		if _, err := Open(raw, env); err == nil || strings.Contains(err.Error(), "kora") {
			t.Errorf("%s opens: %v", raw, err)
		}
	}
}

func TestListUnsubscribe(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		`"list_unsubscribe":"stop@example.com"`:                                       "<mailto:stop@example.com?subject=msg_1> | ",
		`"list_unsubscribe":"https://example.com/stop?m={ref}"`:                       "<https://example.com/stop?m=msg_1> | ",
		`"list_unsubscribe":"https://example.com/{ref}","list_unsubscribe_post":true`: "<https://example.com/msg_1> | List-Unsubscribe=One-Click",
		`"list_unsubscribe":"http://example.com/"`:                                    "error",
		`"list_unsubscribe":"https://example.com/>\r\nX: y"`:                          "error",
		`"list_unsubscribe":"stop@example.com","list_unsubscribe_post":true`:          "error",
		`"list_unsubscribe_post":true`:                                                "error",
		`"helo":"x"`:                                                                  " | ",
		`"list_unsubscribe":"https://user:pass@example.com/"`:                         "error",
		`"list_unsubscribe":"https://` + strings.Repeat("a", 500) + `.example.com/"`:  "error",
	} {
		got := "error"
		raw := []byte(`{"host":"127.0.0.1","tls":"none",` + setting + `}`)
		if s, err := Open(raw, gateway.Deps{}); err == nil {
			out := message()
			out.Ref = "msg_1"
			m, failure := s.(*sender).compose(out, noon)
			if failure != nil {
				t.Fatal(failure)
			}
			h, _ := headers(t, m.content)
			got = h.Get("List-Unsubscribe") + " | " + h.Get("List-Unsubscribe-Post")
			out.Sensitive = true
			if m, _ = s.(*sender).compose(out, noon); bytes.Contains(m.content, []byte("List-Unsubscribe")) {
				t.Error("a sensitive message has List-Unsubscribe")
			}
		}
		if got != want {
			t.Errorf("%s: %q, want %q", setting, got, want)
		}
	}
}
