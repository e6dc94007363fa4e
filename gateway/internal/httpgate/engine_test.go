package httpgate

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
	"example.com/griot/gateway/internal/httpcall"
)

// plainKind returns a kind whose messages have a recipient and a text.
func plainKind() Kind {
	return Kind{Channel: gateway.SMS, Placeholders: []string{"to", "text"}, Required: [][]string{{"to"}, {"text"}}, UserText: []string{"text"}, MaxBody: 1 << 20}
}

func parse(raw string) (*Settings, error) {
	return Merge([]byte(raw), fstest.MapFS{}, func(s *Settings) *Settings { return s })
}

func opened(t testing.TB, env *gatewaytest.Environment, raw string) *Gateway {
	t.Helper()
	set, err := parse(raw)
	if err != nil {
		t.Fatal(err)
	}
	g, err := New(set, plainKind(), env.Deps())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = g.Close() })
	return g
}

func FuzzTemplate(f *testing.F) {
	for _, text := range []string{"Ça va ?", `a&to=1#f?x=%41+b c`, `","to":"1`, `</text><to>1</to><text>`, `]]>`, "a\nX-Header: b", `{{to}}`, `"'\<>&;`} {
		f.Add(text)
	}
	raw := `{"url":"http://127.0.0.1:1/p/{{text}}?q={{text}}","form":{"t":"{{text}}","to":"{{to}}"}}`
	w := opened(f, gatewaytest.NewEnvironment(), raw).request
	x, err := compile("xml", `<a b="{{text}}">{{text}}</a>`, func(string) bool { return true })
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			return
		}
		r, err := w.fill(Values{"text": text, "to": "22370000001"})
		if err != nil {
			t.Fatal(err)
		}
		u, err := url.Parse(r.URL)
		if err != nil {
			t.Fatalf("%q gives %q: %v", text, r.URL, err)
		}
		form, err := url.ParseQuery(string(r.Body))
		if u.Path != "/p/"+text || u.Host != "127.0.0.1:1" || u.Query().Get("q") != text || len(u.Query()) != 1 || err != nil || form.Get("to") != "22370000001" || form.Get("t") != text {
			t.Errorf("%q gives %s and %s", text, r.URL, r.Body)
		}
		shape, err := shapeOf(x.expand(Values{"text": text}, escapeXML))
		if err != nil || shape != "<a b</a" {
			t.Errorf("%q gives XML of the shape %s, %v", text, shape, err)
		}
	})
}

func FuzzAnswer(f *testing.F) {
	for _, body := range []string{`{"messages":[{"status":"0","message-id":"a"}]}`, `{"messages":{}}`, `[[[`, `0: Accepted for delivery`, ``} {
		f.Add(200, []byte(body))
		f.Add(403, []byte(body))
	}
	s := opened(f, gatewaytest.NewEnvironment(), `{"url":"https://sms.test","form":{"to":"{{to}}","text":"{{text}}"},
		"success":{"status":["200"],"json":"messages.0.status","equals":["0"]},"id":{"json":"messages.0.message-id"},"error_code":{"json":"messages.0.status"},
		"errors":[{"json":"messages.0.status","equals":["1"],"class":"rate_limited","code":"throttled"},{"json":"messages.0.status","class":"permanent","code":"message_refused"}]}`).settings
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		if status < 100 || status > 599 {
			return
		}
		ack, failure := s.classify(&httpcall.Answer{Status: status, Header: http.Header{}, Body: body, Whole: true})
		if failure == nil && (status != 200 || !strings.Contains(string(body), "0") || len(ack.ProviderID) > MaxID) {
			t.Errorf("%d %q is an ack: %+v", status, body, ack)
		}
		if failure != nil && (failure.Class == "" || !codePattern.MatchString(failure.Code)) {
			t.Errorf("%d %q gives %v", status, body, failure)
		}
	})
}
