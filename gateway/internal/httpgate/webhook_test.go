package httpgate

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
)

const (
	plainForm = `"url":"https://sms.test/send","form":{"to":"{{to}}","text":"{{text}}","ref":"{{ref}}"}`
	theToken  = "kora-token-0123456789"
	tokened   = `"auth":{"kind":"token","token":"` + theToken + `","header":"X-Token"}`
)

func key(curve elliptic.Curve) string {
	k, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		panic(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&k.PublicKey)
	if err != nil {
		panic(err)
	}
	return base64.StdEncoding.EncodeToString(der)
}

func TestNew_RefusesSettingsThatCouldNotWork(t *testing.T) {
	t.Parallel()
	receipts := func(members string) string { return `"receipts":{` + members + `}` }
	const fields = `,"fields":{"ref":"ref","status":"status"},"statuses":{"done":"delivered"}`
	p256, p384 := key(elliptic.P256()), key(elliptic.P384())
	for members, want := range map[string]string{
		receipts(`"auth":{"kind":"ecdsa","header":"H"}` + fields):                                              "public_key",
		receipts(`"auth":{"kind":"ecdsa","public_key":"` + p256 + `"}` + fields):                               "header",
		receipts(`"auth":{"kind":"ecdsa","header":"H","public_key":"` + p384 + `"}` + fields):                  "P-256",
		receipts(`"auth":{"kind":"ecdsa","header":"H","public_key":"kora~"}` + fields):                         "P-256",
		receipts(`"auth":{"kind":"ecdsa","header":"H","public_key":"a29yYQ=="}` + fields):                      "P-256",
		receipts(`"auth":{"kind":"body_hmac","secret":"kora"}` + fields):                                       "signed",
		receipts(`"auth":{"kind":"body_hmac","secret":"kora","signed":["a"]}` + fields):                        "signature",
		receipts(`"auth":{"kind":"body_hmac","signed":["a"],"signature":"b"}` + fields):                        "secret",
		receipts(`"auth":{"kind":"body_hmac","secret":"kora","signed":["a"],"signature":"b","algorithm":"x"}`): "algorithm",
		receipts(tokened[:len(tokened)-1] + `,"max_age":-1}` + fields):                                         "max_age",
		receipts(tokened + `,"again":404` + fields):                                                            "again",
		receipts(tokened + `,"fields":{"ref":"ref","status":"status"},"statuses":{"done":"lost"}`):             "unsubscribed",
		`"deduplicates_for":-1`:                           "deduplicates_for",
		`"probe":{"url":"/me"}`:                           "probe.url",
		`"probe":{"url":"http://sms.test/me"}`:            "https",
		`"probe":{"url":"https://sms.test/{{to}}"}`:       "{{to}}",
		`"probe":{"url":"https://sms.test","success":{}}`: "probe.success",
		`"duplicate":{}`:                                  "duplicate",
		`"values":{"ref":{"value":"x"}}`:                  "ref",
	} {
		set, err := parse("{" + plainForm + "," + members + "}")
		if err == nil {
			_, err = New(set, plainKind(), gatewaytest.NewEnvironment().Deps())
		}
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "kora") {
			t.Errorf("%s: %v, want an error about %s", members, err, want)
		}
	}
}

// A preset contains all of auth except the secret, which is in the settings. auth of another kind replaces the preset's.
func TestMerge_Scheme(t *testing.T) {
	t.Parallel()
	files := fstest.MapFS{"presets/a.json": {Data: []byte(`{` + plainForm + `,"probe":{"url":"https://sms.test/me"},"receipts":{"scheme":{"kind":"hmac","header":"X-Sign","algorithm":"sha512"},
		"fields":{"ref":"ref","status":"status"},"statuses":{"done":"delivered"}}}`)}}
	for raw, want := range map[string]string{
		`{"preset":"a"}`: "off",
		`{"preset":"a","receipts":{"auth":{"secret":"s"}}}`:               "hmac X-Sign sha512 s",
		`{"preset":"a","receipts":{"auth":{"secret":"s","header":"Y"}}}`:  "hmac Y sha512 s",
		`{"preset":"a","receipts":{"auth":{"kind":"hmac","secret":"s"}}}`: "hmac X-Sign sha512 s",
		`{"preset":"a","receipts":{` + tokened + `}}`:                     "token X-Token  ",
		`{"preset":"a","receipts":null}`:                                  "off",
	} {
		set, err := Merge([]byte(raw), files, func(s *Settings) *Settings { return s })
		if err != nil {
			t.Fatal(err)
		}
		got := "off"
		if set.Receipts.Enabled() {
			a := set.Receipts.Auth
			got = a.Kind + " " + a.Header + " " + a.Algorithm + " " + a.Secret
		}
		if got != want {
			t.Errorf("%s: %q, want %q", raw, got, want)
		}
		if _, err := New(set, plainKind(), gatewaytest.NewEnvironment().Deps()); err != nil {
			t.Errorf("%s: %v", raw, err)
		}
	}
	set, err := Merge([]byte(`{"preset":"a","probe":null}`), files, func(s *Settings) *Settings { return s })
	if err != nil || set.Probe != nil {
		t.Errorf("a probe that is removed: %+v, %v", set.Probe, err)
	}
}

func call(g *Gateway, body string) int {
	r := httptest.NewRequest(http.MethodPost, "/receipts", strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("X-Token", theToken)
	w := httptest.NewRecorder()
	g.WebhookHandler().ServeHTTP(w, r)
	return w.Code
}

func TestReceipts_OfAList(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	g := opened(t, env, `{`+plainForm+`,"receipts":{`+tokened+`,"list":"a.events","when":{"type":"mail"},"again":502,
		"fields":{"ref":"ref other.ref","status":"kind why","at":"at then"},"statuses":{"up":"delivered","down":"failed","down hard":"bounced"},"at_format":"unix"}}`)
	for _, tt := range []struct {
		body   string
		status int
		want   string
	}{
		{`{"a":{"events":[{"type":"mail","ref":"m1","kind":"up"},{"type":"mail","other":{"ref":"m2"},"kind":"Down","why":"Hard"}]}}`, 200, "m1 delivered, m2 failed bounced"},
		{`{"a":{"events":[{"type":"sms","ref":"m1","kind":"up"},{"type":"mail","ref":"m1","kind":"down","why":" "}]}}`, 200, "m1 failed delivery_failed"},
		{`{"a":{"events":[{"type":"mail"},{"type":"mail","ref":"m1","kind":"up"},7,null,[]]}}`, 200, "m1 delivered"},
		{`{"a":{"events":[]}}`, 200, ""},
		{`{"type":"mail","ref":"m1","kind":"up"}`, 200, "m1 delivered"}, // no list: one call
		{`{"a":{"events":{"type":"mail"}}}`, 200, ""},
		{`{"a":{"events":[{"type":"mail","ref":"m1","kind":"up"}]}`, 400, ""}, // nothing of a truncated document is stored
		{`{"type":"mail"}`, 400, ""},
	} {
		before := len(env.Sink.Receipts())
		if got := call(g, tt.body); got != tt.status {
			t.Errorf("%s: %d, want %d", tt.body, got, tt.status)
		}
		var got []string
		for _, r := range env.Sink.Receipts()[before:] {
			word := r.Ref + " " + string(r.Status)
			if r.Err != nil {
				word += " " + r.Err.Code
			}
			got = append(got, word)
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.body, got, tt.want)
		}
	}
	env.Sink.Refuse(1)
	if got := call(g, `{"a":{"events":[{"type":"mail","ref":"m1","kind":"up"}]}}`); got != http.StatusBadGateway {
		t.Errorf("what wasn't stored is answered %d", got)
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	paths := []string{"s.sig", "", "s.t", "n"}
	for body, want := range map[string]string{
		`{"s":{"sig":"a","t":12},"n":"b"} trailing`:                                     "a||12|b", // no further than needed
		`{"x":[{"s":1},["}"]],"s":{"x":{"sig":"no"},"t":"1","sig":"a"},"n":1.50,"n":2}`: "a||1|1.50",
		`{"n":"é\u0000","s":{"t":"","sig":""}}`:                                         "|||é\x00",
		`{"s":{"sig":"a"},"n":"b"}`:                                                     "none",
		`{"s":{"sig":["a"],"t":1},"n":"b"}`:                                             "none",
		`{"s":{"sig":true,"t":1},"n":"b"}`:                                              "none",
		`{"s":"x","n":"b"}`:                                                             "none",
		`[{"s":{"sig":"a","t":1},"n":"b"}]`:                                             "none",
		`{"s":{"sig":"a","t":1}`:                                                        "none",
		`{"s"`:                                                                          "none",
		`{`:                                                                             "none",
		``:                                                                              "none",
		`"s"`:                                                                           "none",
		`{"a":` + strings.Repeat("[", 20_000):                                           "none",
	} {
		got := "none"
		if found, ok := pick([]byte(body), paths...); ok {
			got = strings.Join(found, "|")
		}
		if got != want {
			t.Errorf("%.60s: %q, want %q", body, got, want)
		}
	}
	// A path can be given twice.
	if found, ok := pick([]byte(`{"t":"1","k":"2","s":"3"}`), "s", "t", "t", "k"); !ok || !slices.Equal(found, []string{"3", "1", "1", "2"}) {
		t.Errorf("%q %v", found, ok)
	}
}

// pick finds the same texts as a parse of the whole document.
func FuzzPick(f *testing.F) {
	f.Add(`{"s":{"sig":"a","t":12},"n":"b"}`)
	f.Add(`{"x":[{"s":1}],"s":{"t":1,"sig":"\u00e9"},"n":1e3}`)
	f.Add(`{"s":{"sig":{"a":[1,{}]}}}`)
	f.Fuzz(func(t *testing.T, body string) {
		found, ok := pick([]byte(body), "s.sig", "s.t")
		document, err := decode([]byte(body))
		if err != nil {
			return // the part after the picked texts may be invalid
		}
		sig, sigOK := textAt(document, "s.sig")
		stamp, stampOK := textAt(document, "s.t")
		if !ok || strings.Count(body, `"`) > 8 { // names that occur twice: a parse takes the last, pick the first
			return
		}
		if !sigOK || !stampOK || found[0] != sig || found[1] != stamp {
			t.Errorf("%q: %q, want %q %q", body, found, sig, stamp)
		}
	})
}

func FuzzElements(f *testing.F) {
	f.Add(`[{"a":1},2,[]]`, ".")
	f.Add(`{"a":{"b":[1,2]}}`, "a.b")
	f.Add(`{"a":{"b":{}}}`, "a.b.")
	f.Fuzz(func(t *testing.T, body, path string) {
		elements, ok := elementsOf([]byte(body), path)
		if !ok {
			return
		}
		all := []any{}
		for e := range elements {
			all = append(all, e)
		}
		if path != "." {
			return
		}
		var want []any
		d := json.NewDecoder(bytes.NewReader([]byte(body)))
		d.UseNumber()
		if err := d.Decode(&want); err != nil || fmt.Sprint(all) != fmt.Sprint(want) {
			t.Errorf("%q: %v, want %v, %v", body, all, want, err)
		}
	})
}

func TestDeliver_DuplicateIsAnAck(t *testing.T) {
	t.Parallel()
	body := `{"code":"duplicate"}`
	provider := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusBadRequest)
		_, _ = w.Write([]byte(body))
	}))
	defer provider.Close()
	g := opened(t, gatewaytest.NewEnvironment(), `{"base_url":"`+provider.URL+`","url":"/send","form":{"to":"{{to}}","text":"{{text}}"},
		"duplicate":{"status":["400"],"json":"code","equals":["duplicate"]},"deduplicates":true,"deduplicates_for":60}`)
	if ack, err := g.Deliver(t.Context(), Values{"to": "1", "text": "2"}); err != nil || ack != (gateway.Ack{}) {
		t.Errorf("%+v, %v", ack, err)
	}
	body = `{"code":"other"}`
	if _, err := g.Deliver(t.Context(), Values{"to": "1", "text": "2"}); gateway.AsError(err).Class != gateway.Permanent {
		t.Errorf("another refusal: %v", err)
	}
	if info := g.Info(); !info.Deduplicates || info.DeduplicatesFor != time.Minute {
		t.Errorf("%+v", info)
	}
}

func TestExpandJSON_Needed(t *testing.T) {
	t.Parallel()
	document, err := compileJSON([]byte(`{"list":[{"k":"a","v":"{{a:needed}}"},{"k":"b","v":"{{b:needed}}"}],"in":{"v":"{{b:needed}}","w":1},"n":"{{a:number}}","x":"{{b}}","deep":[[{"v":"x{{b}}"}]]}`), func(string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	for want, s := range map[string]Values{
		`{"deep":[[{}]],"list":[{"k":"a","v":"1"}],"n":1}`:                                                        {"a": "1"},
		`{"deep":[[{"v":"x2"}]],"in":{"v":"2","w":1},"list":[{"k":"a","v":"1"},{"k":"b","v":"2"}],"n":1,"x":"2"}`: {"a": "1", "b": "2"},
		`{"deep":[[{}]],"list":[]}`: {},
	} {
		if got, err := json.Marshal(expandJSON(document, s)); err != nil || string(got) != want {
			t.Errorf("%s, want %s, %v", got, want, err)
		}
	}
}
