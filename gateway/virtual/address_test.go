package virtual

import (
	"regexp"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	local, domain := strings.Repeat("l", 64), strings.Repeat("d", 189)
	for s, want := range map[string]address{
		"22370000001":                   {"22370000001", kindPhone},
		"+22370000001":                  {"22370000001", kindPhone},
		"A.b+c@Example.org":             {"a.b+c@example.org", kindEmail},
		"é@é.ml":                        {"é@é.ml", kindEmail},
		"1-2@G.us":                      {"1-2@g.us", kindGroup},
		local + "@" + domain:            {local + "@" + domain, kindEmail},
		local + "l@" + domain:           {},
		local + "@" + domain + "d":      {},
		"a@" + strings.Repeat("Ⱥ", 100): {}, // longer in lower case
		"<a@b>":                         {},
		"a@b/c":                         {},
		"a@b@c":                         {},
		"@g.us":                         {},
	} {
		if a, ok := parseAddress(s); a != want || ok != (want != address{}) {
			t.Errorf("%q is read as %+v, %v; want %+v", s, a, ok, want)
		}
	}
}

func FuzzParseAddress(f *testing.F) {
	for _, s := range []string{"22370000001", "+22370000001", "A.b+c@Example.org", "1-2@g.us", "a@b@c", "é@é", "a b@c", "\x00@a", "İ@K", "@", ""} {
		f.Add(s)
	}
	digits := regexp.MustCompile(`\A\+?[1-9][0-9]{7,14}\z`)
	f.Fuzz(func(t *testing.T, s string) {
		a, ok := parseAddress(s)
		if digits.MatchString(s) != (a.kind == kindPhone) {
			t.Fatalf("%q is a %q", s, a.kind)
		}
		if !ok {
			if a != (address{}) {
				t.Fatalf("%q is refused and returned", s)
			}
			return
		}
		if again, ok := parseAddress(a.key); !ok || again != a {
			t.Fatalf("%q has the key %q, which is read as %+v", s, a.key, again)
		}
		if !utf8.ValidString(a.key) || len(a.key) > addressMaxSize || strings.ContainsFunc(a.key, func(r rune) bool {
			return unicode.IsControl(r) || unicode.IsSpace(r) || r == '/'
		}) {
			t.Fatalf("%q has the key %q", s, a.key)
		}
		if a.kind != kindPhone && strings.Count(a.key, "@") != 1 || strings.HasSuffix(a.key, groupDomain) != (a.kind == kindGroup) {
			t.Fatalf("%q is a %q", s, a.kind)
		}
		ascii := !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
		if upper, ok := parseAddress(strings.ToUpper(s)); ascii && (!ok || upper != a) {
			t.Fatalf("%q in capitals is read as %+v", s, upper)
		}
	})
}
