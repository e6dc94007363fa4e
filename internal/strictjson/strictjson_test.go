package strictjson_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"example.com/griot/internal/strictjson"
)

type body struct {
	To    string            `json:"to"`
	Count int               `json:"count"`
	Vars  map[string]string `json:"vars"`
	Raw   json.RawMessage   `json:"raw"`
	Deep  *struct {
		List []struct {
			ID string `json:"id"`
		} `json:"list"`
	} `json:"deep"`
}

func TestUnmarshal_OneReadingOnly(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		text   string
		member string
		twice  bool
		fine   bool
	}{
		"all of it":                        {text: `{"to":"a","count":1,"vars":{"x":"y"},"raw":[{"a":1}],"deep":{"list":[{"id":"i"}]},"other":{"a":[1]}}`, fine: true},
		"null":                             {text: `{"to":null,"count":null,"vars":null,"deep":null}`, fine: true},
		"an astral character":              {text: `{"to":"\ud83d\ude00"}`, fine: true},
		"two names that differ in case":    {text: `{"to":"a","TO":"b"}`, fine: true},
		"a name twice":                     {text: `{"to":"a","to":"b"}`, twice: true},
		"a name twice, once escaped":       {text: `{"to":"a","t\u006f":"b"}`, twice: true},
		"an unknown name twice":            {text: `{"x":1,"x":1}`, twice: true},
		"a name twice, deep in an unknown": {text: `{"x":[{"y":1,"y":1}]}`, twice: true},
		"a name twice, in a raw member":    {text: `{"raw":{"y":1,"y":1}}`, twice: true},
		"a name twice, in a map":           {text: `{"vars":{"y":"1","y":"1"}}`, twice: true},
		"a lone high surrogate":            {text: `{"to":"\ud800"}`},
		"a lone low surrogate":             {text: `{"to":"x\udc00"}`},
		"a lone surrogate in a name":       {text: `{"\ud800":"x"}`},
		"a lone surrogate in an unknown":   {text: `{"x":["\ud800"]}`},
		"a lone surrogate in a raw member": {text: `{"raw":"\ud800"}`},
		"not UTF-8":                        {text: "{\"to\":\"\xff\"}"},
		"something behind it":              {text: `{} {}`},
		"cut off":                          {text: `{"to":`},
		"too deep":                         {text: strings.Repeat(`{"x":`, 20_000) + "1" + strings.Repeat("}", 20_000)},
		"a wrong type":                     {text: `{"to":1}`, member: "to"},
		"a fraction":                       {text: `{"count":1.5}`, member: "count"},
		"too large":                        {text: `{"count":99999999999999999999}`, member: "count"},
		"a wrong type, deep":               {text: `{"deep":{"list":[{"id":"x"},{"id":false}]}}`, member: "deep.list.id"},
		"under a name of the sender's":     {text: `{"vars":{"secret":1}}`, member: "vars"},
		"the whole of the wrong type":      {text: `[]`},
	} {
		var in body
		err := strictjson.Unmarshal([]byte(tc.text), &in)
		if tc.fine {
			if err != nil {
				t.Errorf("%s: got %v, want no error", name, err)
			}
			if in.To == "b" {
				t.Errorf("%s: another spelling set the member", name)
			}
			continue
		}
		got, ok := errors.AsType[*strictjson.Error](err)
		if !ok || got.Member != tc.member || got.Twice != tc.twice {
			t.Errorf("%s: got %#v, want member %q, twice %v", name, err, tc.member, tc.twice)
			continue
		}
		if strings.Contains(got.Error(), "secret") {
			t.Errorf("%s: the error repeats what was sent: %v", name, got)
		}
	}
}

// People's texts are read although they aren't UTF-8. Everything else is as strict.
func TestUnmarshalText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"to":"Awa \ud83d"}`: "Awa \uFFFD", "{\"to\":\"Awa\xff\"}": "Awa\uFFFD", `{"to":"\ud83d\ude00"}`: "\U0001F600", `{"TO":"b","to":"a"}`: "a",
	} {
		var in body
		if err := strictjson.UnmarshalText([]byte(text), &in); err != nil || in.To != want {
			t.Errorf("%q: %q, %v; want %q", text, in.To, err, want)
		}
	}
	for _, text := range []string{`{"to":"a","to":"b"}`, `{"x":{"y":1,"y":1}}`, `{} {}`, `{"to":`, `{"to":1}`, "{\"\xff\":1,\"\\ud800\":1}"} {
		if err := strictjson.UnmarshalText([]byte(text), new(body)); err == nil {
			t.Errorf("%q is accepted", text)
		}
	}
}

func TestUnmarshal_TakesNamesAsTheyAre(t *testing.T) {
	t.Parallel()
	var in body
	if err := strictjson.Unmarshal([]byte(`{"To":"a","TO":"b","COUNT":3}`), &in); err != nil || in.To != "" || in.Count != 0 {
		t.Errorf("got %+v, %v, want nothing read", in, err)
	}
	if err := strictjson.UnmarshalKnown([]byte(`{"To":"a"}`), &in); err == nil {
		t.Error("UnmarshalKnown took a name in another case")
	}
	if err := strictjson.UnmarshalKnown([]byte(`{"to":"a"}`), &in); err != nil || in.To != "a" {
		t.Errorf("got %+v, %v, want to = a", in, err)
	}
}

// The bodies are those of /api/send, /api/send/batch, and /token. The lines "encoding/json" are for comparison.
func BenchmarkUnmarshal(b *testing.B) {
	one := `{"to":"22370000001","channel":"sms","message":"Votre commande 1234 est prête, merci de passer la prendre avant 18 h.","idempotencyKey":"order-1234-ready"}`
	type send struct {
		To      string          `json:"to"`
		Channel string          `json:"channel"`
		Message string          `json:"message"`
		HTML    string          `json:"html"`
		Sandbox bool            `json:"sandbox"`
		Retry   json.RawMessage `json:"retry"`
		Key     *string         `json:"idempotencyKey"`
	}
	type batch struct {
		Messages []json.RawMessage `json:"messages"`
	}
	type token struct {
		GrantType   string `json:"grant_type"`
		Code        string `json:"code"`
		ClientID    string `json:"client_id"`
		RedirectURI string `json:"redirect_uri"`
		Verifier    string `json:"code_verifier"`
	}
	for name, bm := range map[string]struct {
		text string
		in   func() any
	}{
		"send":  {one, func() any { return new(send) }},
		"batch": {`{"messages":[` + strings.Repeat(one+",", 99) + one + `]}`, func() any { return new(batch) }},
		"token": {`{"grant_type":"authorization_code","code":"` + strings.Repeat("c", 43) + `","client_id":"cl_live_01ARZ3NDEKTSV4RRFFQ69G5FAV","redirect_uri":"https://example.com/callback","code_verifier":"` + strings.Repeat("v", 64) + `"}`, func() any { return new(token) }},
	} {
		for by, read := range map[string]func([]byte, any) error{"strict": strictjson.Unmarshal, "encoding-json": json.Unmarshal} {
			b.Run(name+"/"+by, func(b *testing.B) {
				b.ReportAllocs()
				b.SetBytes(int64(len(bm.text)))
				for b.Loop() {
					if err := read([]byte(bm.text), bm.in()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
