package inbox

import (
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

func TestSearchable(t *testing.T) {
	t.Parallel()
	for name, typed := range map[string]string{
		"Aïssata Koné": "aissata kone", "Sœur Léa": "SOEUR lea", "Straße": "strasse", "GROẞ": "gross", "Ørsted": "orsted", "Łukasz": "lukasz", "Ａｗａ": "awa", "ﬁnance": "finance", "Nguyễn": "nguyen",
		"Awa\u00a0\u200bKoné": "awa kone", "\u202bمحمّد\u202c": "محمد", "أحمد": "احمد", "IŞIL": "ışıl", "Ёлка": "елка", "Đặng": "dang", "un\ndeux": "un\ndeux", "nul\x00": "nul\x00",
	} {
		if got, want := searchable(name), searchable(typed); got != want {
			t.Errorf("%+q is folded to %+q, what is typed for it to %+q", name, got, want)
		}
	}
}

// A folded text is unchanged by folding, and both Unicode forms have the same folded text.
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
