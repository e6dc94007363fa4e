package strictjson_test

import (
	"encoding/json"
	"testing"
	"unicode/utf8"

	"example.com/griot/internal/strictjson"
)

// Accepted input is also valid for every other decoder, with the same result.
func FuzzUnmarshal(f *testing.F) {
	for _, seed := range []string{
		`{"to":"a","count":1,"vars":{"x":"y"},"raw":[1,{"a":null}],"deep":{"list":[{"id":"i"}]}}`, `{"to":"a","to":"b"}`, `{"To":"a"}`, `{"to":"\ud800"}`, `{"to":"\ud83d\ude00"}`, `{"count":1e2}`, "{\"to\":\"\xff\"}", `[]`, `null`, ``, `{`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var members map[string]json.RawMessage
		if strictjson.Unmarshal(text, &members) != nil {
			return
		}
		if !json.Valid(text) || !utf8.Valid(text) {
			t.Fatalf("%q is no JSON", text)
		}
		var loose map[string]json.RawMessage
		if err := json.Unmarshal(text, &loose); err != nil || len(loose) != len(members) {
			t.Fatalf("%q has %d members here and %d elsewhere (%v)", text, len(members), len(loose), err)
		}
		for name, raw := range members {
			if string(loose[name]) != string(raw) {
				t.Errorf("%q: %q is %q here and %q elsewhere", text, name, raw, loose[name])
			}
		}
		var in body
		_ = strictjson.Unmarshal(text, &in) // it doesn't panic for any text
	})
}
