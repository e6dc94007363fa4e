package idn_test

import (
	"net/url"
	"strings"
	"testing"

	"example.com/griot/internal/idn"
)

func TestASCII(t *testing.T) {
	t.Parallel()
	for domain, want := range map[string]string{
		"example.com": "example.com", "Example.COM": "example.com", "localhost": "localhost",
		"bücher.example": "xn--bcher-kva.example", "BÜCHER.example": "xn--bcher-kva.example", "bu\u0308cher.example": "xn--bcher-kva.example",
		"café。example": "xn--caf-dma.example", "straße.example": "xn--strae-oqa.example", "пример.example": "xn--e1afmkfd.example",
		"☃.example": "", "ü?.example": "", "-ü.example": "", "ü..example": "",
	} {
		got, ok := idn.ASCII(domain)
		if ok != (want != "") || ok && got != want {
			t.Errorf("%q: %q, %v, want %q", domain, got, ok, want)
		}
	}
}

func TestHost(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 63)
	for host, want := range map[string]string{
		"Login.Example.com": "login.example.com", "login.example.com.": "login.example.com", "localhost": "localhost", "my_host": "my_host",
		"café.example": "xn--caf-dma.example", "cafe\u0301.example": "xn--caf-dma.example", "CAFÉ.example.": "xn--caf-dma.example", "café.example。": "xn--caf-dma.example",
		"xn--caf-dma.example": "xn--caf-dma.example", "１２７.0.0.1": "127.0.0.1", "2001:0DB8::0:1": "2001:db8::1", "127.0.0.1": "127.0.0.1",
		long + ".example": long + ".example", long + "a.example": "", "a..example": "", ".example": "", "": "", ".": "", "..": "",
		strings.Repeat("aé.", 60) + "example": "", strings.Repeat("a.", 127): strings.Repeat("a.", 126) + "a", strings.Repeat("a.", 127) + "a": "",
		"☃.example": "", "-é.example": "", "é é.example": "", "a b.example": "", "a\x00.example": "", "*.example": "",
	} {
		got, ok := idn.Host(host)
		if ok != (want != "") || got != want {
			t.Errorf("%q: %q, %v, want %q", host, got, ok, want)
		}
		if again, same := idn.Host(got); ok && (!same || again != got) {
			t.Errorf("%q: %q, read again %q, %v", host, got, again, same)
		}
	}
}

func FuzzHost(f *testing.F) {
	for _, host := range []string{"Café.example.", "[::1]", "2001:DB8::1", "１２７.0.0.1", "a..b", "xn--caf-dma.example"} {
		f.Add(host)
	}
	f.Fuzz(func(t *testing.T, host string) {
		got, ok := idn.Host(host)
		if again, same := idn.Host(got); ok && (!same || again != got) {
			t.Errorf("%q: %q, read again %q, %v", host, got, again, same)
		}
		if u, err := url.Parse("https://" + got); ok && !strings.Contains(got, ":") && (err != nil || u.Hostname() != got) {
			t.Errorf("%q: %q is no host of a URL: %v", host, got, err)
		}
	})
}

func FuzzASCII(f *testing.F) {
	f.Add("bücher.example")
	f.Add("XN--BCHER-KVA.example")
	f.Fuzz(func(t *testing.T, domain string) {
		got, ok := idn.ASCII(domain)
		if again, same := idn.ASCII(got); ok && (!same || again != got) {
			t.Errorf("%q: %q, read again %q, %v", domain, got, again, same)
		}
	})
}
