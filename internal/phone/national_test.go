package phone_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/phone"
)

func TestRegion(t *testing.T) {
	for _, tt := range []struct{ region, in, want string }{
		{"ML", "76000001", "22376000001"},
		{"ml", "76 00 00 01", "22376000001"},
		{"223", "76000001", "22376000001"},
		{"+223", "76000001", "22376000001"},
		{"ML", "22376000001", "22376000001"},
		{"ML", "+33612345678", "33612345678"},
		{"ML", "0022376000001", ""},
		{"ML", "awa", ""},
		{"ML", "", ""},
		{"FR", "06 12 34 56 78", "33612345678"},
		{"FR", "33612345678", "33612345678"},
		{"33", "0612345678", ""}, // a calling code alone doesn't define the meaning of a 0
		{"CI", "0701020304", "2250701020304"},
		{"BJ", "0197000000", "2290197000000"},
		{"IT", "0612345678", "390612345678"},
		{"IN", "9198765432", "919198765432"},
		{"IN", "919198765432", "919198765432"},
		{"US", "2025550123", "12025550123"},
		{"US", "12025550123", "12025550123"},
		{"GM", "2207123456", "2207123456"},
		{"GA", "06123456", ""},
		{"ML", "1234", ""},
	} {
		r, ok := phone.ParseRegion(tt.region)
		if !ok {
			t.Errorf("%q is no region", tt.region)
		}
		if got, ok := r.Parse(tt.in); string(got) != tt.want || ok != (tt.want != "") {
			t.Errorf("%s %q: got %q %v, want %q", tt.region, tt.in, got, ok, tt.want)
		}
	}
	for _, s := range []string{"", "M", "XX", "MLI", "0", "999999", "2234", "é", "-1", "  "} {
		if r, ok := phone.ParseRegion(s); ok {
			t.Errorf("%q is the region %v", s, r)
		}
	}
}

// A parsed number is parsed as the same number again in any region, regardless of its separators.
func FuzzRegion(f *testing.F) {
	f.Add("ML", "76000001")
	f.Add("33", "0612345678")
	f.Add("GB", "44 (0)7911 123456")
	f.Fuzz(func(t *testing.T, region, s string) {
		r, ok := phone.ParseRegion(region)
		if !ok {
			return
		}
		if n, ok := r.Parse(s); ok {
			if again, ok := phone.Parse(string(n)); !ok || again != n {
				t.Errorf("%q in %q is %q, which is no number", s, region, n)
			}
			if again, ok := r.Parse(n.E164()); !ok || again != n {
				t.Errorf("%q in %q is %q, which is read as %q", s, region, n, again)
			}
			if spaced, ok := r.Parse(strings.Join(strings.Split(s, ""), "\u00a0\u2011\u200e")); !ok || spaced != n {
				t.Errorf("%q in %q is %q, with spaces %q", s, region, n, spaced)
			}
		}
	})
}
