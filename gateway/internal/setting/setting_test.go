package setting_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/gateway/internal/setting"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for raw, ok := range map[string]bool{
		`{"a":1}`: true, `{}`: true, ` {"a":1} `: true,
		``: false, `null`: false, `[]`: false, `{"a":1} {}`: false, `{"b":1}`: false, `{"a":"x"}`: false, `{"a":31415926535}`: false, `{"a":1`: false,
	} {
		var s struct {
			A int8 `json:"a"`
		}
		err := setting.Parse(json.RawMessage(raw), &s)
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), "31415") {
			t.Errorf("%s: %v", raw, err)
		}
	}
}

func TestSecret(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, tt := range []struct {
		value, file string
		required    bool
		want        string
		ok          bool
	}{
		{"kora", "", true, "kora", true},
		{"", file("good", "kora\r\n"), true, "kora", true},
		{"", file("marked", "\ufeffkora\r\n\n"), true, "kora", true},
		{"", file("wide", "\xff\xfek\x00o\x00r\x00a\x00\r\x00\n\x00"), true, "kora", true},
		{"", file("a mark alone", "\ufeff\n"), true, "", false},
		{"\ufeffkora\r\n", "", true, "kora", true},
		{"\n", "", true, "", false},
		{"", "", false, "", true},
		{"", "", true, "", false},
		{"kora", file("both", "kora"), true, "", false},
		{"", filepath.Join(dir, "missing"), true, "", false},
		{"", file("empty", "\n"), true, "", false},
		{"", file("lines", "kora\nbalafon"), true, "", false},
		{"ko\nra", "", true, "", false},
	} {
		got, err := setting.Secret("token", tt.value, tt.file, tt.required)
		if (err == nil) != tt.ok || tt.ok && got != tt.want || err != nil && (strings.Contains(err.Error(), "kora") || !strings.Contains(err.Error(), "token")) {
			t.Errorf("%+v: %q, %v", tt, got, err)
		}
	}
}

func TestBaseURL(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"https://api.test": "https://api.test", "https://api.test/v1/": "https://api.test/v1", "http://127.0.0.1:8": "http://127.0.0.1:8",
		" https://api.test/\u00a0\u200b\n": "https://api.test", "https://api\u200b.test": "", "https://api.test/\u00ad": "https://api.test", "https://api.test/x\u2060y": "",
		"http://localhost/": "http://localhost", "http://[::1]:8": "http://[::1]:8",
		"http://api.test": "", "ftp://api.test": "", "https://": "", "": "", "api.test": "", "https://kora@api.test": "", "https://api.test?a=b": "",
		"https://api.test/#a": "", "https://api.test?": "", "https:api.test": "", "https://a\x00": "https://a", "https://a\x00b": "", "http://127.0.0.1.evil.test": "",
	} {
		got, err := setting.BaseURL("base_url", value, false)
		if got != want && err == nil || (err == nil) != (want != "") {
			t.Errorf("%q: %q, %v; want %q", value, got, err, want)
		}
	}
	if got, err := setting.BaseURL("base_url", "http://api.test", true); err != nil || got != "http://api.test" {
		t.Errorf("%q, %v", got, err)
	}
}

func TestAuthorities(t *testing.T) {
	t.Parallel()
	empty := filepath.Join(t.TempDir(), "empty.pem")
	if err := os.WriteFile(empty, []byte("nothing"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{empty, empty + ".missing"} {
		if _, err := setting.Authorities("ca_file", file); err == nil || !strings.Contains(err.Error(), "ca_file") {
			t.Errorf("%s: %v", file, err)
		}
	}
	if pool, err := setting.Authorities("ca_file", ""); pool != nil || err != nil {
		t.Error(pool, err)
	}
}

func TestNumber(t *testing.T) {
	t.Parallel()
	for value, want := range map[int]int{0: 3, 1: 1, 4: 4, 5: 0, -1: 0} { // 0: an error
		got := value
		if err := setting.Number("pool", &got, 3, 1, 4); (err == nil) != (want > 0) || err == nil && got != want || err != nil && !strings.Contains(err.Error(), "pool") {
			t.Errorf("%d: got %d, %v; want %d", value, got, err, want)
		}
	}
}
