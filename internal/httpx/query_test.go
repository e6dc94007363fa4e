package httpx_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"example.com/griot/internal/httpx"
)

// Rules: L5.
func TestParseQuery(t *testing.T) {
	t.Parallel()
	for raw, want := range map[string]url.Values{
		"":                                 {},
		"a=b+c&q=x%2By":                    {"a": {"b c"}, "q": {"x+y"}},
		"a=b;c&utm=a;b":                    {"a": {"b;c"}, "utm": {"a;b"}},
		";=;":                              {";": {";"}},
		"since=2026-03-01T10:00+01:00":     {"since": {"2026-03-01T10:00+01:00"}},
		"since=2026-03-01T10%3A00%2B01:00": {"since": {"2026-03-01T10:00+01:00"}},
		"sin%63e=+1&since=+2":              {"since": {"+1", "+2"}},
		"since=a%20b+c":                    {"since": {"a b+c"}},
		"+since=1+1&Since=1+1":             {" since": {"1 1"}, "Since": {"1 1"}},
		"since":                            {"since": {""}},
		"since&a=+":                        {"since": {""}, "a": {" "}},
	} {
		got, err := httpx.ParseQuery(raw, "since")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("%q: %v, %s", raw, err, diff)
		}
	}
	for _, raw := range []string{"%", "a=%zz", "since=+%z", strings.Repeat("&a=", 20_000)} {
		if got, err := httpx.ParseQuery(raw, "since"); err == nil {
			t.Errorf("%.20q is taken: %d parameters", raw, len(got))
		}
	}
}

// Input that url.ParseQuery accepts has the same result, except for the + in some parameters.
func FuzzParseQuery(f *testing.F) {
	f.Add("a=b+c&since=%2B1+1;x&sin%63e=%")
	f.Fuzz(func(t *testing.T, raw string) {
		got, err := httpx.ParseQuery(raw, "since")
		want, wantErr := url.ParseQuery(strings.ReplaceAll(raw, ";", "%3b"))
		if (err == nil) != (wantErr == nil) {
			t.Fatalf("%q: %v, want %v", raw, err, wantErr)
		}
		for name, values := range want {
			for i, v := range values {
				if name != "since" && got[name][i] != v || name == "since" && strings.ReplaceAll(got[name][i], "+", " ") != strings.ReplaceAll(v, "+", " ") {
					t.Errorf("%q: %q is %q, want %q", raw, name, got[name], values)
				}
			}
		}
		if len(got) != len(want) {
			t.Errorf("%q: %v, want %v", raw, got, want)
		}
	})
}
