package mcp

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"
)

// Rules: M147.
func TestVisible(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`"é à ç 日本 עברית"`:             `"é à ç 日本 עברית"`,
		"\"a\u200bb\u2060c\ufeff\"":    `"a\u200bb\u2060c\ufeff"`,
		"\"\u202eevil\u202c\u2066\"":   `"\u202eevil\u202c\u2066"`,
		"\"\u200e\u200f\u061c\"":       `"\u200e\u200f\u061c"`,
		"\"\U000e0049\U000e0067\"":     `"\udb40\udc49\udb40\udc67"`,
		"\"\U000e0100\ufe00\"":         `"\udb40\udd00\ufe00"`,
		"\"\u3164\u115f\u034f\u00ad\"": `"\u3164\u115f\u034f\u00ad"`,
		"\"\u0085\u007f\u2028\"":       `"\u0085\u007f\u2028"`,
		`"👩‍👩‍👧 ❤️ 🏳️‍🌈 👍🏽"`:           `"👩‍👩‍👧 ❤️ 🏳️‍🌈 👍🏽"`,
		"\"a\u200db❤\ufe0f\ufe0f\"":    `"a\u200db❤` + "\ufe0f" + `\ufe0f"`,
	} {
		if got := string(escapeInvisible(nil, []byte(in))); got != want {
			t.Errorf("%q: %s, want %s", in, got, want)
		}
	}
}

func FuzzVisible(f *testing.F) {
	f.Add("a\u200b\U000e0041👩‍🚀\\u200b\"")
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		b := encode(text)
		out := escapeInvisible(nil, b)
		var back string
		if err := json.Unmarshal(out, &back); err != nil || back != text {
			t.Fatalf("%q became %s: %q, %v", text, out, back, err)
		}
		if strings.ContainsAny(string(out), "\u200b\u202e\u2066\U000e0041\ufeff") {
			t.Fatalf("%q became %s", text, out)
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"ping","params":{}}`, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":"a","result":{}}`,
		`[]`, `{}`, `null`, ``, ` `, `{"jsonrpc":"2.0","id":1e3,"method":"x"}`, `{"id":{}}`, "{\"jsonrpc\":\"2.0\",\"method\":\"\xff\"}",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		c, wrong := parse(body)
		if wrong != nil {
			if wrong.Code != codeParse && wrong.Code != codeInvalid || (wrong.Code == codeParse) != (!json.Valid(body) || !utf8.Valid(body)) {
				t.Fatalf("%q: %+v", body, wrong)
			}
			if c.id != nil && !json.Valid(c.id) {
				t.Fatalf("%q: id %s", body, c.id)
			}
			return
		}
		var m map[string]any
		d := json.NewDecoder(strings.NewReader(string(body)))
		d.UseNumber()
		if err := d.Decode(&m); err != nil || m["jsonrpc"] != "2.0" {
			t.Fatalf("%q was taken: %v", body, err)
		}
		if method, _ := m["method"].(string); method != c.method {
			t.Fatalf("%q: method %q", body, c.method)
		}
		switch id := m["id"].(type) {
		case nil:
			if c.id != nil || !strings.HasPrefix(c.method, "notifications/") {
				t.Fatalf("%q was taken without an id", body)
			}
		case string, json.Number:
			var back any
			d := json.NewDecoder(strings.NewReader(string(c.id)))
			d.UseNumber()
			if c.id != nil && (d.Decode(&back) != nil || !reflect.DeepEqual(back, id)) {
				t.Fatalf("%q: id %s", body, c.id)
			}
		default:
			t.Fatalf("%q was taken with the id %v", body, id)
		}
	})
}
