package inbox

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// What was folded stays as it is, and both forms of Unicode are folded to one.
func FuzzSearchable(f *testing.F) {
	f.Add("A\u00efssata Kone\u0301 \u0130ς \u212a\uac00")
	f.Fuzz(func(t *testing.T, s string) {
		if !utf8.ValidString(s) {
			return
		}
		once := searchable(s)
		for _, other := range []string{once, norm.NFC.String(s), norm.NFD.String(s)} {
			if got := searchable(other); got != once {
				t.Errorf("%+q is folded to %+q, %+q to %+q", s, once, other, got)
			}
		}
	})
}
