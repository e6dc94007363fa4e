package certificate_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/certificate"
	"example.com/griot/internal/certificate/certtest"
)

func TestPair_AMismatchKeepsTheOldOne(t *testing.T) {
	t.Parallel()
	ends := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	dir := t.TempDir()
	files := certtest.Write(t, dir, ends)
	p, err := certificate.Open(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	first := p.Leaf().SerialNumber
	old, err := os.ReadFile(files.Key)
	if err != nil {
		t.Fatal(err)
	}
	certtest.Write(t, dir, ends.AddDate(1, 0, 0))
	renewed, err := os.ReadFile(files.Key)
	if err != nil {
		t.Fatal(err)
	}
	for want, key := range map[string]string{"are no pair": string(old), "can't be read: no such file": "", "failed to find any PEM data": "SECRET"} {
		if err := os.Remove(files.Key); err != nil {
			t.Fatal(err)
		}
		if key != "" {
			if err := os.WriteFile(files.Key, []byte(key), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		err := p.Reload()
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "SECRET") {
			t.Errorf("got %v, want %q", err, want)
		}
		if p.Leaf().SerialNumber.Cmp(first) != 0 {
			t.Errorf("%s: the old certificate is gone", want)
		}
		if err := os.WriteFile(files.Key, renewed, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.Reload(); err != nil || p.Leaf().SerialNumber.Cmp(first) == 0 || !p.Leaf().NotAfter.Equal(ends.AddDate(1, 0, 0)) {
		t.Errorf("got %v, and a certificate until %v; want the new one", err, p.Leaf().NotAfter)
	}
}

// Editors write a byte order mark at the start of a file.
func TestPair_ByteOrderMarks(t *testing.T) {
	t.Parallel()
	files := certtest.Write(t, t.TempDir(), time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC))
	for _, file := range []string{files.Cert, files.Key} {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, append([]byte("\ufeff"), b...), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := certificate.Open(files.Cert, files.Key); err != nil {
		t.Error(err)
	}
}

func TestPair_Warning(t *testing.T) {
	t.Parallel()
	ends := time.Date(2027, 3, 1, 0, 0, 0, 0, time.UTC)
	files := certtest.Write(t, t.TempDir(), ends, "login.example.com", "*.shop.example")
	p, err := certificate.Open(files.Cert, files.Key)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		now  time.Time
		name string
		want string
	}{
		{ends.AddDate(0, -1, 0), "login.example.com", ""},
		{ends.AddDate(0, -1, 0), "api.shop.example", ""},
		{ends.AddDate(0, -1, 0), "127.0.0.1", ""},
		{ends.AddDate(0, -1, 0), "api.example.com", "not for api.example.com"},
		{ends.AddDate(0, 0, -13), "login.example.com", "within 14 days"},
		{ends.Add(time.Second), "login.example.com", "expired"},
		{ends.AddDate(-2, 0, 0), "login.example.com", "not valid yet"},
	} {
		if got := p.Warning(tt.now, tt.name); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s, %v: got %q, want %q", tt.name, tt.now, got, tt.want)
		}
	}
}
