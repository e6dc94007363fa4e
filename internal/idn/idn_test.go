package idn_test

import (
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
