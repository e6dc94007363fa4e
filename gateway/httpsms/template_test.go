package httpsms

import (
	"encoding/json"
	"encoding/xml"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
)

// injections are texts with characters that must be escaped.
func injections() []string {
	return []string{
		"Ça va ?", `a&to=1#f?x=%41+b c`, `","to":"1`, `</text><to>1</to><text>`, `]]>`, "a\nX-Header: b\r\n\r\nGET /", `{{to}} {{key}}`, `"'\<>&;`, "👋🏾 ł", `%d%00`, "../../admin",
	}
}

const kinds = `"success":{"status":["200"]}`

// Any text is received unchanged, and doesn't affect other fields.
func TestSend_Escaping(t *testing.T) {
	t.Parallel()
	address, last := startGateway(t, 200, "ok")
	read := map[string]struct {
		settings string
		text     func(h request) (text, to string)
	}{
		"query": {`"query":{"text":"{{text}}","to":"{{to}}"}`, func(h request) (string, string) {
			q := h.request.URL.Query()
			return q.Get("text"), q.Get("to")
		}},
		"form": {`"form":{"text":"{{text}}","to":"{{to}}"}`, func(h request) (string, string) {
			q, _ := url.ParseQuery(h.body)
			return q.Get("text"), q.Get("to")
		}},
		"json": {`"json":{"a":[{"text":"{{text}}"}],"to":"{{to}}"}`, func(h request) (string, string) {
			var v struct {
				A  []struct{ Text string }
				To string
			}
			if err := json.Unmarshal([]byte(h.body), &v); err != nil || len(v.A) != 1 {
				t.Errorf("%s: %v", h.body, err)
				return "", ""
			}
			return v.A[0].Text, v.To
		}},
		"xml": {`"xml":"<?xml version=\"1.0\"?><sms to=\"{{to}}\" t='{{text}}'><text>{{text}}</text></sms>"`, func(h request) (string, string) {
			var v struct {
				To   string `xml:"to,attr"`
				T    string `xml:"t,attr"`
				Text string `xml:"text"`
			}
			if err := xml.Unmarshal([]byte(h.body), &v); err != nil || v.T != v.Text {
				t.Errorf("%s: %v", h.body, err)
			}
			return v.Text, v.To
		}},
		"text": {`"text":"{{text}}","headers":{"X-To":"{{to}}"}`, func(h request) (string, string) { return h.body, h.request.Header.Get("X-To") }},
	}
	for name, tt := range read {
		s := open(t, gatewaytest.NewEnvironment(), `{"url":"`+address+`/send",`+kinds+`,`+tt.settings+`}`)
		for _, text := range injections() {
			out := message()
			out.Text = text
			if _, err := s.Send(t.Context(), out); err != nil {
				t.Errorf("%s: %q: %v", name, text, err)
				continue
			}
			if got, to := tt.text(last()); got != text || to != aissata || last().request.URL.Path != "/send" {
				t.Errorf("%s: sent %q to %q, received %q to %q", name, text, aissata, got, to)
			}
		}
	}
}

func TestSend_EscapingInURL(t *testing.T) {
	t.Parallel()
	address, last := startGateway(t, 200, "ok")
	s := open(t, gatewaytest.NewEnvironment(), `{"url":"`+address+`/a/{{text}}/b?to=%2B{{to}}&t={{text}}",`+kinds+`}`)
	for _, text := range injections() {
		out := message()
		out.Text = text
		if _, err := s.Send(t.Context(), out); err != nil {
			t.Errorf("%q: %v", text, err)
			continue
		}
		u := last().request.URL
		if u.Path != "/a/"+text+"/b" || u.Query().Get("t") != text || u.Query().Get("to") != "+"+aissata || len(u.Query()) != 2 {
			t.Errorf("%q was received as %s", text, u)
		}
		if strings.Count(u.EscapedPath(), "/") != 3 {
			t.Errorf("%q has unescaped slashes: %s", text, u.EscapedPath())
		}
	}
}

func TestSend_Placeholders(t *testing.T) {
	t.Parallel()
	address, last := startGateway(t, 200, "ok")
	env := gatewaytest.NewEnvironment()
	s := open(t, env, `{"url":"`+address+`",`+kinds+`,"coding":{"gsm":"g","ucs2":"u"},"values":{"empty":{"value":""},"own":{"value":"é 1"}},
		"json":{"ref":"{{ref}}","from":"{{from}}","from_plus":"{{from_plus}}","to":"{{to}}","to_plus":"{{to_plus}}","text":"{{text}}","hex":"{{text_hex}}","coding":"{{coding}}",
		"ttl":"{{ttl:number}}","minutes":"{{ttl_minutes}}","ms":"{{ttl_ms}}","expires":"{{expires:number}}","own":"<{{own}}>","empty":"{{empty}}","callback":"{{callback_url}}/x","n":1,"list":[true,null]}}`)
	out := message()
	out.Text, out.ExpiresAt = "€1", env.Clock.Now().Add(90*time.Second-time.Millisecond)
	if _, err := s.Send(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	var got, want any
	if err := json.Unmarshal([]byte(last().body), &got); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(`{"ref":"msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ","from":"22376543210","from_plus":"+22376543210","to":"22370000001","to_plus":"+22370000001","text":"€1","hex":"1B6531",
		"coding":"g","ttl":90,"minutes":"2","ms":"89999","own":"<é 1>","n":1,"list":[true,null]}`), &want); err != nil {
		t.Fatal(err)
	}
	want.(map[string]any)["expires"] = float64(out.ExpiresAt.Unix())
	if a, b := string(mustJSON(t, got)), string(mustJSON(t, want)); a != b {
		t.Errorf("got  %s\nwant %s", a, b)
	}
	out.Text, out.ExpiresAt, out.From = "Ca va 👋", time.Time{}, "Griot"
	if _, err := s.Send(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{`"coding":"u"`, `"hex":"00430061002000760061"`, `"from_plus":"Griot"`} {
		if !strings.Contains(strings.Replace(last().body, "0020D83DDC4B", "", 1), part) {
			t.Errorf("%s is not in %s", part, last().body)
		}
	}
	if strings.Contains(last().body, "ttl") || strings.Contains(last().body, "minutes") || strings.Contains(last().body, "expires") {
		t.Errorf("without an expiry: %s", last().body)
	}
}

func TestSend_Transliterates(t *testing.T) {
	t.Parallel()
	address, last := startGateway(t, 200, "ok")
	settings := `{"url":"` + address + `",` + kinds + `,"coding":{"gsm":"g","ucs2":"u"},"json":{"to":"{{to}}","text":"{{text}}","hex":"{{text_hex}}","coding":"{{coding}}"}`
	s := open(t, gatewaytest.NewEnvironment(), settings+`,"transliterate":true}`)
	out := message()
	out.Text = "ça — l’été"
	if _, err := s.Send(t.Context(), out); err != nil || !s.Info().Transliterates || !strings.Contains(last().body, `"text":"ca - l'été"`) || !strings.Contains(last().body, `"coding":"g"`) {
		t.Errorf("%v: %s", err, last().body)
	}
	plain := open(t, gatewaytest.NewEnvironment(), settings+"}")
	if _, err := plain.Send(t.Context(), out); err != nil || plain.Info().Transliterates || !strings.Contains(last().body, out.Text) {
		t.Errorf("%v: transliterated without the setting: %s", err, last().body)
	}
}

func TestSend_InvalidMessages(t *testing.T) {
	t.Parallel()
	address, last := startGateway(t, 200, "ok")
	s := open(t, gatewaytest.NewEnvironment(), `{"url":"`+address+`",`+kinds+`,"headers":{"X-From":"{{from}}"},"form":{"text":"{{text}}","to":"{{to}}"}}`)
	for want, change := range map[string]func(*gateway.Outbound){
		"permanent reference_invalid": func(o *gateway.Outbound) { o.Ref = "msg 1" },
		"permanent message_empty":     func(o *gateway.Outbound) { o.Text = "" },
		"permanent media_unsupported": func(o *gateway.Outbound) { o.Media = &gateway.Media{} },
		"permanent message_invalid":   func(o *gateway.Outbound) { o.From = "a\r\nX-To: b" },
	} {
		out := message()
		change(out)
		_, err := s.Send(t.Context(), out)
		gatewaytest.WantFailure(t, err, want)
	}
	if last().request != nil {
		t.Error("something was sent")
	}
}

func TestAlphabet(t *testing.T) {
	t.Parallel()
	c := coding{GSM: "0", UCS2: "2"}
	for text, want := range map[string]string{
		"@£$¥èéùìòÇ\nØø\rÅå": "0 000102030405060708090A0B0C0D0E0F",
		"Δ_ΦΓΛΩΠΨΣΘΞÆæßÉ":    "0 101112131415161718191A1C1D1E1F",
		"{}[]\\~^|€":         "0 1B281B291B3C1B3E1B2F1B3D1B141B401B65",
		"ÄÖÑÜ§¿äöñüàz":       "0 5B5C5D5E5F607B7C7D7E7F7A",
		"ê":                  "2 00EA",
		"\x1b":               "2 001B",
		"😀":                  "2 D83DDE00",
	} {
		name, hexed := c.alphabet(text)
		if got := name + " " + hexed; got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
