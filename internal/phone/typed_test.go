package phone_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/phone"
)

func TestTyped(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		" +223 76-00 (00).01\u00a0": "+22376000001", "22376000001": "22376000001", "a-b c": "abc", "": "",
		"\u202a+223 76 00 00 01\u202c": "+22376000001", "\u2066\u200e+223\u200b76\u00ad000001\u2069\ufeff": "+22376000001",
		"+223\u201176\u201000\u201200\u201301\u2014": "+22376000001", "+223\u221276\uff0d00\ufe6300\u30a001": "+22376000001",
		"＋２２３　７６００（００）．０１": "+22376000001", "﹢223 76000001": "+22376000001", "+[223] 76000001": "+22376000001",
		"+٢٢٣٧٦٠٠٠٠٠١": "+22376000001", "+۲۲۳ ۷۶۰۰۰۰۰۱": "+22376000001", "+२२३ ७६०००००१": "+22376000001", "+𝟐𝟐𝟑76000001": "+22376000001",
		"+223\x0076000001": "+223\x0076000001", "+223/76000001": "+223/76000001", "+22376²": "+22376²", "++223": "++223",
	} {
		if got := phone.Typed(typed); got != want {
			t.Errorf("Typed(%+q) = %+q, want %+q", typed, got, want)
		}
	}
}

// The zero of national calls is removed from international numbers, unless it is part of the number.
func TestTyped_ZeroInBrackets(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{
		"+44 (0)7911 123456": "+447911123456", "+44(0)7911123456": "+447911123456", "+44 ( 0 ) 7911-123456": "+447911123456", "(+44) (0)7911 123456": "+447911123456",
		"+44 （０）7911 123456": "+447911123456", "+٤٤ (٠)7911 123456": "+447911123456", "+44 [0] 7911 123456": "+447911123456", "+44 (\u200e0\u200e)7911 123456": "+447911123456",
		"44 (0)7911 123456": "447911123456", "+33 (0)6 12 34 56 78": "+33612345678", "+223 (0)76000001": "+22376000001", "+1 (0)202 555 0123": "+12025550123",
		"+49 (0171) 1234567": "+491711234567", "+44 (020) 7946 0958": "+442079460958", "+7 (0495) 1234567": "+704951234567", "+1 (020) 5550123": "+10205550123",
		// a part of the number
		"+39 (0)6 1234 5678": "+390612345678", "+39 (06) 12345678": "+390612345678", "+225 (0)7 01 02 03 04": "+2250701020304", "+229 (01) 97 00 00 00": "+2290197000000",
		"+242 (0)6 612 34 56": "+242066123456", "+378 (0)549 123456": "+3780549123456",
		// no country's code before it
		"(0)7911 123456": "07911123456", "(0171) 1234567": "01711234567", "07911 (0)123": "079110123", "+442 (0)79461234": "+442079461234", "+0 (0)123": "+00123",
		"+44 7911 (0)12345": "+447911012345", "999 (0)12345": "99912345", "444 (0)12345": "444012345", "+44 07911 123456": "+4407911123456", "+44 (0": "+440", "+44 (00)7911": "+44007911",
	} {
		if got := phone.Typed(typed); got != want {
			t.Errorf("Typed(%+q) = %q, want %q", typed, got, want)
		}
	}
	for _, tt := range []struct{ region, typed, want string }{
		{"GB", "(0)7911 123456", "447911123456"},
		{"GB", "+44 (0)7911 123456", "447911123456"},
		{"GB", "44 (0)7911 123456", "447911123456"},
		{"GB", "(07911) 123456", "447911123456"},
		{"IT", "(0)6 1234 5678", "390612345678"},
		{"IT", "(06) 1234 5678", "390612345678"},
		{"CI", "(0)701020304", "2250701020304"},
		{"ML", "+33 (0)6 12 34 56 78", "33612345678"},
		{"ML", "\u202a٧٦ ٠٠ ٠٠ ٠١\u202c", "22376000001"},
		{"ML", "20 (0)12 345", "22320012345"}, // Egypt's calling code, but not of this country's numbers
	} {
		region, _ := phone.ParseRegion(tt.region)
		if got, _ := region.Parse(tt.typed); string(got) != tt.want {
			t.Errorf("%s %+q: got %q, want %q", tt.region, tt.typed, got, tt.want)
		}
	}
}

func TestPart(t *testing.T) {
	t.Parallel()
	for typed, want := range map[string]string{"+223 76 00": "2237600", "7": "7", "٧٦\u2011٠٠": "7600", "(01)": "01", "": "", "+": "", "-": "", "awa": "", "76a": "", "7+6": ""} {
		got, ok := phone.Part(typed)
		if ok != (want != "") || ok && got != want {
			t.Errorf("Part(%+q) = %q, %v; want %q", typed, got, ok, want)
		}
	}
}

// A parsed number is parsed as the same number again, regardless of its separators.
func FuzzTyped(f *testing.F) {
	for _, s := range []string{"+44 (0)7911 123456", "\u202a+٢٢٣\u2011٧٦٠٠٠٠٠١", "＋39（０）6 12345678", "(0)(0)", "+49 (0171) 1", "\xff(0"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := phone.Typed(s)
		if again := phone.Typed(once); again != once {
			t.Errorf("%+q is read as %+q, and that as %+q", s, once, again)
		}
		spaced := strings.Join(strings.Split(s, ""), "\u00a0\u2011\u200e")
		if got := phone.Typed(spaced); got != once {
			t.Errorf("%+q is read as %+q, with spaces as %+q", s, once, got)
		}
		if n, ok := phone.Parse(once); ok {
			if again, ok := phone.Parse(phone.Typed(n.E164())); !ok || again != n {
				t.Errorf("%+q is the number %q, which is read as %q", s, n, again)
			}
		}
	})
}
