package mailtext_test

import (
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/internal/mailtext"
)

// The first are RFC 3492 §7.1's, and names that exist.
func TestAddresses_ALabels(t *testing.T) {
	t.Parallel()
	for domain, want := range map[string]string{
		"example.org": "example.org", "Example.ORG": "Example.ORG", "[192.0.2.1]": "[192.0.2.1]",
		"bücher.example": "xn--bcher-kva.example", "BÜCHER.example": "xn--bcher-kva.example", "bu\u0308cher.example": "xn--bcher-kva.example",
		"münchen.de": "xn--mnchen-3ya.de", "straße.example": "xn--strae-oqa.example", "例え.テスト": "xn--r8jz45g.xn--zckzah", "почта.рф": "xn--80a1acny.xn--p1ai",
		"ليهمابتكلموشعربي؟": "", "ليهمابتكلموشعربي": "xn--mgbcah9ar9a4efegftvvn", "他们为什么不说中文.example": "xn--ihqwcrb4cv8a8dqg056pqjye.example", "例え。テスト": "xn--r8jz45g.xn--zckzah",
		"é-.example": "", "é..example": "", "a b.é": "", strings.Repeat("é", 64) + ".example": "", "☃.example": "", "\u0301e.example": "",
	} {
		out := &gateway.Outbound{From: "a@" + domain, To: "b@" + domain}
		from, to, failure := mailtext.Addresses(out)
		switch {
		case want == "" && failure == nil:
			t.Errorf("%q: %q, want it refused", domain, from)
		case want != "" && (failure != nil || from != "a@"+want || to != "b@"+want):
			t.Errorf("%q: %q, %q, %v; want %q", domain, from, to, failure, want)
		}
	}
}
