package httpsms

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha512"
	"encoding/base64"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
)

const formType = "application/x-www-form-urlencoded"

func openWebhook(t testing.TB, env *gatewaytest.Environment, members string) http.Handler {
	t.Helper()
	return open(t, env, "{"+goodForm+","+members+"}").WebhookHandler()
}

func wantStatus(t *testing.T, h http.Handler, r *http.Request, want int) {
	t.Helper()
	if got := gatewaytest.Call(h, r); got != want {
		t.Errorf("%s %s: %d, want %d", r.Method, r.URL, got, want)
	}
}

func TestReceipts(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	h := openWebhook(t, env, `"receipts":{`+tokened+`,"fields":{"ref":"?ref","id":"a.id","status":"a.status","at":"a.at","error":"a.error"},
		"statuses":{"Done":"delivered","8":"sent","opened":"read","ERR_*":"failed","ERR_NONE":"ignored"},"at_format":"unix"}`)
	for _, tt := range []struct {
		target, body string
		status       int
		want         gateway.Receipt
		failure      string
	}{
		{"?ref=msg_1", `{"a":{"id":7,"status":"done","at":1763640000}}`, 200, gateway.Receipt{Ref: "msg_1", ProviderID: "7", Status: gateway.ReceiptDelivered, At: time.Unix(1763640000, 0)}, ""},
		{"", `{"a":{"id":"7","status":8,"at":"soon"}}`, 200, gateway.Receipt{ProviderID: "7", Status: gateway.ReceiptSent, At: env.Clock.Now()}, ""},
		{"?ref=msg_1", `{"a":{"status":" OPENED "}}`, 200, gateway.Receipt{Ref: "msg_1", Status: gateway.ReceiptRead, At: env.Clock.Now()}, ""},
		{"?ref=msg_1", `{"a":{"status":"err_7","error":"E.7"}}`, 200, gateway.Receipt{Ref: "msg_1", Status: gateway.ReceiptFailed, At: env.Clock.Now()}, "permanent delivery_failed E.7"},
		{"?ref=msg_1", `{"a":{"status":"err_7","error":"22370000001"}}`, 200, gateway.Receipt{Ref: "msg_1", Status: gateway.ReceiptFailed, At: env.Clock.Now()}, "permanent delivery_failed"},
		{"?ref=msg_1", `{"a":{"status":"err_none"}}`, 200, gateway.Receipt{}, ""},
		{"?ref=msg_1", `{"a":{"status":"unheard of"}}`, 200, gateway.Receipt{}, ""},
		{"?ref=msg_1", `{"a":{}}`, 400, gateway.Receipt{}, ""},
		{"?ref=msg+1", `{"a":{"status":"done"}}`, 400, gateway.Receipt{}, ""},
		{"", `{"a":{"status":"done"}}`, 400, gateway.Receipt{}, ""},
		{"?ref=msg_1", `{`, 400, gateway.Receipt{}, ""},
	} {
		before := len(env.Sink.Receipts())
		target := "/receipts" + strings.Replace(tt.target+"&token="+testToken, "&", map[bool]string{true: "?", false: "&"}[tt.target == ""], 1)
		wantStatus(t, h, post(target, "application/json", tt.body, ""), tt.status)
		got := env.Sink.Receipts()[before:]
		if tt.want.Status == "" {
			if len(got) != 0 {
				t.Errorf("%s: %+v", tt.body, got)
			}
			continue
		}
		if len(got) != 1 || got[0].Ref != tt.want.Ref || got[0].ProviderID != tt.want.ProviderID || got[0].Status != tt.want.Status || !got[0].At.Equal(tt.want.At) {
			t.Errorf("%s: %+v, want %+v", tt.body, got, tt.want)
			continue
		}
		if tt.failure != "" {
			gatewaytest.WantFailure(t, got[0].Err, tt.failure)
		}
	}
}

func TestInbound(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	h := openWebhook(t, env, `"coding":{"gsm":"0","ucs2":"8"},"inbound":{`+tokened+`,"fields":{"id":"id","from":"from","to":"to","text":"text","hex":"hex","coding":"coding","charset":"cs","at":"at","name":"name"}}`)
	for _, tt := range []struct {
		form   string
		status int
		want   gateway.Inbound
	}{
		{"id=1&from=%2B22370000001&to=22376543210&text=%C3%87a+va&name=Awa&at=2026-11-20T12:00:00%2B01:00", 200, gateway.Inbound{ID: "1", From: aissata, To: ourNumber, Text: "Ça va", DisplayName: "Awa", At: time.Date(2026, 11, 20, 11, 0, 0, 0, time.UTC)}},
		{"id=2&from=0022370000001&to=tel:%2B22376543210&text=%C7a+va", 200, gateway.Inbound{ID: "2", From: aissata, To: ourNumber, Text: "Ça va"}},
		{"id=3&from=+22370000001&to=22376543210&text=%00%C7%00a&cs=UTF-16BE", 200, gateway.Inbound{ID: "3", From: aissata, To: ourNumber, Text: "Ça"}},
		{"id=9&from=22370000001&to=22376543210&text=du+riz;+du+mil", 200, gateway.Inbound{ID: "9", From: aissata, To: ourNumber, Text: "du riz; du mil"}},
		{"id=4&from=22370000001&to=22376543210&text=x&hex=00C70061&coding=8", 200, gateway.Inbound{ID: "4", From: aissata, To: ourNumber, Text: "Ça"}},
		{"id=5&from=22370000001&to=22376543210&text=x&hex=00C70061&coding=0", 200, gateway.Inbound{ID: "5", From: aissata, To: ourNumber, Text: "x"}},
		{"id=6&from=22370000001&to=22376543210&text=a%00b", 200, gateway.Inbound{ID: "6", From: aissata, To: ourNumber, Text: "ab"}},
		{"id=7&from=22370000001&to=22376543210&text=", 200, gateway.Inbound{ID: "7", From: aissata, To: ourNumber}},
		{"id=8&from=Orange&to=22376543210&text=x", 200, gateway.Inbound{ID: "8", Local: "Orange", To: ourNumber, Text: "x"}},
		{"id=8&from=22370000001&to=36000&text=x", 200, gateway.Inbound{ID: "8", From: aissata, To: "36000", Text: "x"}},
		{"id=8&from=36000&to=22376543210&text=x", 200, gateway.Inbound{ID: "8", Local: "36000", To: ourNumber, Text: "x"}},
		{"id=8&from=70000001&to=22376543210&text=x", 200, gateway.Inbound{ID: "8", Local: "70000001", To: ourNumber, Text: "x"}},
		{"id=8&from=%20&to=22376543210&text=x", 200, gateway.Inbound{}},
		{"id=8&from=22370000001&to=36&text=x", 200, gateway.Inbound{ID: "8", From: aissata, Text: "x"}},
		{"id=8&to=22376543210&text=x", 200, gateway.Inbound{}},
		{"id=9&from=22370000001&to=22376543210&text=%00&cs=UTF-16BE", 400, gateway.Inbound{}},
		{"id=9&from=22370000001&to=22376543210&hex=zz&coding=8", 400, gateway.Inbound{}},
		{"id=9&from=22370000001&to=22376543210&text=%05%ff&cs=8-BIT", 200, gateway.Inbound{}}, // Kannel's binary messages
		{"id=9&from=22370000001&to=22376543210&text=a&hex=zz&coding=8", 200, gateway.Inbound{ID: "9", From: aissata, To: ourNumber, Text: "a"}},
		{"id=9&from=22370000001&to=22376543210&text=abc&cs=UTF-16", 200, gateway.Inbound{ID: "9", From: aissata, To: ourNumber, Text: "abc"}},
		{"%zz", 400, gateway.Inbound{}},
	} {
		before := len(env.Sink.Messages())
		wantStatus(t, h, post("/inbound?token="+testToken, formType, tt.form, ""), tt.status)
		got := env.Sink.Messages()[before:]
		if tt.want.ID == "" {
			if len(got) != 0 {
				t.Errorf("%s: %+v", tt.form, got)
			}
			continue
		}
		tt.want.Channel = gateway.SMS
		if tt.want.At.IsZero() {
			tt.want.At = env.Clock.Now()
		}
		if len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.form, got, tt.want)
		}
	}
	if n := env.Unhandled()[gateway.UnhandledKind]; n != 1 {
		t.Errorf("%d binary messages are counted, want 1", n)
	}
	if logged := env.Logged(); strings.Contains(logged, "Orange") || strings.Contains(logged, "36000") {
		t.Errorf("a secret or a content is in the log: %s", logged)
	}
}

// Without a gateway id, messages that differ have different ids, and a repeated one has the same.
func TestInbound_MakesAnID(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	h := openWebhook(t, env, `"inbound":{`+tokened+`,"fields":{"from":"from","text":"text","at":"at"},"to":"22376543210"}`)
	for _, form := range []string{"from=22370000001&text=a&at=1", "from=22370000001&text=a&at=1", "from=22370000001&text=a&at=2", "from=22370000001&text=b&at=1"} {
		r := httptest.NewRequest(http.MethodGet, "/inbound?token="+testToken+"&"+form, nil)
		wantStatus(t, h, r, http.StatusOK)
	}
	ids := map[string]int{}
	for _, in := range env.Sink.Messages() {
		ids[in.ID]++
	}
	if len(ids) != 3 || ids[env.Sink.Messages()[0].ID] != 2 {
		t.Errorf("%v", ids)
	}
}

func TestCalls_AuthenticationIsCheckedFirst(t *testing.T) {
	t.Parallel()
	auths := map[string]string{
		"query":  tokened,
		"header": `"auth":{"kind":"token","token":"` + testToken + `","header":"X-Token"}`,
		"basic":  `"auth":{"kind":"basic","username":"u","password":"` + testSecret + `"}`,
		"hmac":   `"auth":{"kind":"hmac","secret":"` + testSecret + `","header":"X-Sign","algorithm":"sha512","encoding":"base64","prefix":"v1="}`,
	}
	mac := func(body string) string {
		m := hmac.New(sha512.New, []byte(testSecret))
		m.Write([]byte(body))
		return "v1=" + base64.StdEncoding.EncodeToString(m.Sum(nil))
	}
	const body = "status=done&ref=msg_1"
	type change func(r *http.Request)
	query := func(q string) change { return func(r *http.Request) { r.URL.RawQuery = q } }
	header := func(name string, values ...string) change {
		return func(r *http.Request) { r.Header[http.CanonicalHeaderKey(name)] = values }
	}
	login := func(user, password string) change { return func(r *http.Request) { r.SetBasicAuth(user, password) } }
	good := map[string]change{"query": query("token=" + testToken), "header": header("X-Token", testToken), "basic": login("u", testSecret), "hmac": header("X-Sign", mac(body))}
	bad := map[string][]change{
		"query":  {query(""), query("token="), query("token=" + testToken + "x"), query("token=" + testToken + "&token=" + testToken), query("Token=" + testToken), header("token", testToken)},
		"header": {query("X-Token=" + testToken), header("X-Token"), header("X-Token", "x"), header("X-Token", testToken, testToken)},
		"basic":  {login("u", ""), login("", testSecret), login("u", testSecret+"x"), header("Authorization", "Basic !")},
		"hmac": {
			header("X-Sign"), header("X-Sign", mac(body), mac(body)),
		},
	}
	forged := []string{mac("x"), strings.TrimPrefix(mac(body), "v1="), "v1=zz", "v1=", "v1=" + base64.StdEncoding.EncodeToString(make([]byte, 64))}
	for name, auth := range auths {
		env := gatewaytest.NewEnvironment()
		h := openWebhook(t, env, `"receipts":{`+auth+`,"fields":{"ref":"ref","status":"status"},"statuses":{"done":"delivered"}}`)
		for i, change := range bad[name] {
			r := httptest.NewRequest(http.MethodPost, "/receipts", gatewaytest.UnreadBody(t))
			change(r)
			if got := gatewaytest.Call(h, r); got != http.StatusUnauthorized {
				t.Errorf("%s, %d: %d, want 401", name, i, got)
			}
		}
		if name == "hmac" {
			for _, signature := range forged { // 400 would mean that the body was parsed
				wantStatus(t, h, post("/receipts", formType, "%zz", signature), http.StatusUnauthorized)
				wantStatus(t, h, post("/receipts", formType, body, signature), http.StatusUnauthorized)
			}
		}
		if n := len(env.Sink.Receipts()); n != 0 {
			t.Errorf("%s: %d stored", name, n)
		}
		r := post("/receipts", formType, body, "")
		good[name](r)
		wantStatus(t, h, r, http.StatusOK)
		if n := len(env.Sink.Receipts()); n != 1 {
			t.Errorf("%s: %d stored, want 1", name, n)
		}
		if logged := env.Logged(); strings.Contains(logged, testToken) || strings.Contains(logged, testSecret) {
			t.Errorf("%s: %s", name, logged)
		}
	}
}

func TestCalls_PathsSizesAndTheSink(t *testing.T) {
	t.Parallel()
	env := gatewaytest.NewEnvironment()
	members := `"receipts":{` + tokened + `,"fields":{"ref":"ref","status":"status"},"statuses":{"done":"delivered"},"answer":"ACK","when":{"type":"out"}},
		"inbound":{` + tokened + `,"fields":{"from":"from","text":"text"},"to":"22376543210","when":{"type":"in"}}`
	h := openWebhook(t, env, members)
	target := func(path string) string { return path + "?token=" + testToken }
	wantStatus(t, h, post(target("/"), formType, "", ""), http.StatusNotFound)
	wantStatus(t, h, httptest.NewRequest(http.MethodPut, target("/events"), nil), http.StatusMethodNotAllowed)
	wantStatus(t, h, post(target("/events"), formType, string(bytes.Repeat([]byte("x"), maxCall+1)), ""), http.StatusRequestEntityTooLarge)
	wantStatus(t, h, post(target("/events"), "multipart/form-data; boundary=x", "--x", ""), http.StatusBadRequest)
	wantStatus(t, h, post(target("/events"), formType, "type=out&ref=msg_1&status=done", ""), http.StatusOK)
	wantStatus(t, h, post(target("/events"), formType, "type=in&from=22370000001&text=a", ""), http.StatusOK)
	wantStatus(t, h, post(target("/events"), formType, "type=other&from=22370000001&text=a", ""), http.StatusOK)
	wantStatus(t, h, post(target("/inbound"), formType, "type=out&from=22370000001&text=a", ""), http.StatusOK)
	if len(env.Sink.Receipts()) != 1 || len(env.Sink.Messages()) != 1 {
		t.Errorf("%+v, %+v", env.Sink.Receipts(), env.Sink.Messages())
	}
	env.Sink.Refuse(1)
	again := post(target("/receipts"), formType, "type=out&ref=msg_1&status=done", "")
	wantStatus(t, h, again, http.StatusServiceUnavailable)
	w := httptest.NewRecorder()
	h.ServeHTTP(w, post(target("/receipts"), formType, "type=out&ref=msg_1&status=done", ""))
	if w.Code != http.StatusOK || w.Body.String() != "ACK" {
		t.Errorf("%d %q", w.Code, w.Body)
	}
	off := open(t, env, "{"+goodForm+"}").WebhookHandler()
	wantStatus(t, off, post(target("/receipts"), formType, "", ""), http.StatusNotFound)
}

func FuzzCall(f *testing.F) {
	f.Add("application/json", "?x=1", []byte(`{"ref":"msg_1","status":"done","from":"22370000001","text":"a","at":"1763640000"}`))
	f.Add(formType, "", []byte("ref=msg_1&status=done&from=22370000001&text=%C7&charset=UTF-16BE"))
	f.Add("text/plain; charset=\"", "?%zz", []byte("\xff"))
	env := gatewaytest.NewEnvironment()
	h := openWebhook(f, env, `"receipts":{`+tokened+`,"fields":{"ref":"ref","status":"status","at":"at"},"statuses":{"*":"delivered"},"at_format":"unix_ms"},
		"inbound":{`+tokened+`,"fields":{"id":"id","from":"from","text":"text","charset":"charset","at":"at","name":"name"},"to":"22376543210"}`)
	f.Fuzz(func(t *testing.T, contentType, query string, body []byte) {
		for _, path := range []string{"/receipts", "/inbound"} {
			r := httptest.NewRequest(http.MethodPost, path, bytes.NewReader(body))
			r.Header.Set("Content-Type", contentType)
			r.URL.RawQuery = "token=" + testToken + "&" + url.QueryEscape(query)
			if got := gatewaytest.Call(h, r); got != http.StatusOK && got != http.StatusBadRequest && got != http.StatusUnauthorized {
				t.Errorf("%s %q %q: %d", path, contentType, body, got)
			}
		}
		for _, in := range env.Sink.Messages() {
			if strings.ContainsRune(in.Text+in.DisplayName+in.ID, 0) || in.ID == "" || in.At.IsZero() {
				t.Fatalf("%+v", in)
			}
		}
	})
}
