package visible_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/griot/internal/visible"
)

func TestName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Kalabash SARL": true, "Élan & Cie (24/7)": true, "مخبز النور": true, "می\u200cخواهم": true, "ක්\u200dරී": true, "株式会社\u3000山田": true, "": true,
		"👩\u200d💻 Atelier": true, "🏳\ufe0f\u200d🌈": true, "❤\ufe0f": true, "1\ufe0f\u20e3": true, "a\u00a0b": true,
		"a\nb": false, "a\tb": false, "a\x00b": false, "a\x7fb": false, "\xff": false, " a": false, "a ": false, "\u00a0a": false,
		"a\u202eb": false, "a\u2066b": false, "a\u200eb": false, "a\u061cb": false, "a\u200bb": false, "a\u00adb": false, "a\ufeffb": false,
		"\u3164": false, "a\u3164b": false, "\uffa0": false, "\u115f": false, "\u2800": false, "a\u034fb": false, "a\u2028b": false, "\U000e0041": false, "a\U000e0100": false,
		"\u200da": false, "a\u200d": false, "a \u200db": false, "a\u200d\u200db": false, "a\ufe0f": false, "\U0001d159": false, "1\u200d2": false,
		strings.Repeat("é", 21): false, strings.Repeat("é", 20): true,
	} {
		if got := visible.Name(name, 20); got != want {
			t.Errorf("%q (%+q) is a name: %v, want %v", name, name, got, want)
		}
	}
}

func TestHasAddress(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"Kalabash SARL": false, "booking.example": false, "A/B Testing": false, "24/7": false, "S.A.R.L. / Bamako": false, "Dr. No": false, "wwwater": false, "and/or": false, "Griot v1.2/3": false,
		"Your account is suspended, confirm at https://evil.example": true, "HTTP://x": true, "ftp://x": true, "www.evil.example": true, "see WWW.evil.example": true,
		"evil.example/login": true, "evil.example:8080/x": true, "https：／／evil": true, "evil．example／login": true, `https:\\evil`: true, "ｗｗｗ.evil.example": true,
	} {
		if got := visible.HasAddress(name); got != want {
			t.Errorf("%q has an address: %v, want %v", name, got, want)
		}
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	code := func(r rune) string { return fmt.Sprintf("<%X>", r) }
	for text, want := range map[string]string{
		"a\u202eb": "a<202E>b", "👩\u200d💻": "👩\u200d💻", "\u3164": "<3164>", "a\nb": "a<A>b", "": "",
	} {
		if got := visible.Replace(text, code); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func FuzzName(f *testing.F) {
	f.Add("a\u200db\xff")
	f.Fuzz(func(t *testing.T, s string) {
		shown := visible.Replace(s, func(rune) string { return "." })
		if !visible.Text(shown) && visible.Text(strings.ToValidUTF8(s, "")) {
			t.Errorf("%q is shown as %q", s, shown)
		}
	})
}
