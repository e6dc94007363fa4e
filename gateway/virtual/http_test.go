package virtual_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// mutations lists the routes that change something, with a valid body.
func mutations() map[string]string {
	return map[string]string{
		"POST /dev/phones/" + aissata + "/messages":          inboundBody,
		"POST /dev/phones/" + aissata + "/messages/vp/read":  "{}",
		"PUT /dev/phones/" + aissata:                         `{"online":true}`,
		"PUT /dev/phones/" + aissata + "/privacy":            `{"username":"awa.t"}`,
		"POST /dev/phones/" + aissata + "/number":            `{"to":"22370000099"}`,
		"POST /dev/phones/" + aissata + "/messages/vp/share": "{}",
		"PUT /dev/phones/" + aissata + "/messages/vp":        `{"text":"x"}`,
		"DELETE /dev/phones/" + aissata + "/messages/vp":     "{}",
		"PUT /dev/phones-options":                            `{"deduplicate":true}`,
		"PUT /dev/faults/sms":                                `{"outcome":"none"}`,
	}
}

func TestMutations_OnlyFromOurPagesAndAsJSON(t *testing.T) {
	t.Parallel()
	g := open(t, "")
	for route, body := range mutations() {
		for _, tt := range []struct {
			origin, contentType string
			status              int
			code                string
		}{
			{"http://evil.example", "application/json", 403, "origin_mismatch"},
			{"null", "application/json", 403, "origin_mismatch"},
			{"http://127.0.0.1:8081", "application/json", 403, "origin_mismatch"},
			{origin, "text/plain", 415, "unsupported_media_type"},
			{"", "", 415, "unsupported_media_type"},
			{"", "application/x-www-form-urlencoded", 415, "unsupported_media_type"},
			{"", "application/json; charset=latin1", 415, "unsupported_media_type"},
			{"", "application/json; charset=UTF-8", 0, ""},
			{origin, "application/json", 0, ""},
		} {
			method, path, _ := strings.Cut(route, " ")
			r := httptest.NewRequest(method, path, strings.NewReader(body))
			if tt.origin != "" {
				r.Header.Set("Origin", tt.origin)
			}
			if tt.contentType != "" {
				r.Header.Set("Content-Type", tt.contentType)
			}
			status, answer := g.serve(r)
			if tt.status == 0 && (status == 403 || status == 415) || tt.status != 0 && (status != tt.status || answer["error"] != tt.code) {
				t.Errorf("%s with %+v: %d, %v", route, tt, status, answer)
			}
		}
	}
	r := httptest.NewRequest(http.MethodPut, "/dev/faults/sms", strings.NewReader(`{"outcome":"none"}`))
	r.Header["Origin"], r.Header["Content-Type"] = []string{origin, "http://evil.example"}, []string{"application/json"}
	if status, _ := g.serve(r); status != 403 {
		t.Errorf("two origins: %d", status)
	}
}

func TestBodies_AreOneStrictObject(t *testing.T) {
	t.Parallel()
	g := open(t, "")
	for route := range mutations() {
		method, path, _ := strings.Cut(route, " ")
		for _, body := range []string{
			"null", "[]", "7", `"x"`, "{", "{}{}", "{}x", `{"a":1}`, `{"deduplicate":true`, `{"deduplicate":true,}`, `{"online":true "blocked":true}`,
			`{"outcome":"none","outcome":"none"}`, `{"outcome":"\ud800"}`, `{"text":"\ud800"}`, `{"choice":{"id":"a","id":"b"}}`, `{"Deduplicate":true}`, `{"deduplicate\u0000":true}`, "{\"text\":\"\xff\"}", "{\"text\":\"\x00\"}",
			`{'text':'x'}`, `{"online":"yes","blocked":1,"deduplicate":"true","outcome":{},"text":[]}`,
		} {
			if status, answer := g.call(method, path, body); status != 400 || answer["error"] != "invalid_json" {
				t.Errorf("%s %q: %d, %v", route, body, status, answer)
			}
		}
		secret := strings.Repeat("s3cret", 11<<10)
		status, answer := g.call(method, path, `{"text":"`+secret+`"}`)
		if status != 413 || answer["error"] != "body_too_large" {
			t.Errorf("%s with a large body: %d, %v", route, status, answer)
		}
	}
	if status, answer := g.call("PUT", "/dev/phones-options", "{}"); status != 400 || answer["error"] != "invalid_options" {
		t.Errorf("no option: %d, %v", status, answer)
	}
	padded := `{"deduplicate":true}`
	padded += strings.Repeat(" ", 64<<10-len(padded))
	g.ok("PUT", "/dev/phones-options", padded)
	if status, _ := g.call("PUT", "/dev/phones-options", padded+" "); status != 413 {
		t.Errorf("64 kB and one byte: %d", status)
	}
	if status, answer := g.call("PUT", "/dev/phones-options", ""); status != 400 || answer["error"] != "invalid_json" {
		t.Errorf("no body: %d, %v", status, answer)
	}
}

func TestErrors_RepeatNothing(t *testing.T) {
	t.Parallel()
	g := open(t, "")
	for _, body := range []string{
		`{"channel":"s3cret","to":"s3cret","text":"s3cret"}`, `{"s3cret":1}`, `s3cret`, `{"text":{"s3cret":1}}`,
		`{"channel":"sms","to":"s3cret","text":"s3cret"}`,
	} {
		_, answer := g.call("POST", "/dev/phones/"+aissata+"/messages", body)
		if text := answer["error"].(string) + answer["message"].(string); strings.Contains(text, "s3cret") || len(answer) != 2 {
			t.Errorf("%s: %v", body, answer)
		}
	}
	if strings.Count(g.log.String(), "s3cret") > 0 {
		t.Error("the log repeats it")
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	onBothStores(t, func(t *testing.T, g *fixture) {
		for _, path := range []string{"22370000009", "+22370000009", "%2B22370000009", "a@b", "A%40EXAMPLE.org", "a+b@example.org", "1-2@g.us"} {
			if got := g.list("/dev/phones/"+path+"/messages", "messages"); len(got) != 0 {
				t.Errorf("%s: %v", path, got)
			}
		}
		for _, path := range []string{"x", "123", "0123456789", "a@", "@b", "a@b@c", "a%20b@c", "%00@c", "a%00@c", "a@b%00", "%FF@c", "1234567890123456"} {
			for _, call := range []struct{ method, path, body string }{
				{"GET", "/messages", ""},
				{"PUT", "", `{"online":true}`},
				{"POST", "/messages/vp/read", "{}"},
			} {
				status, answer := g.call(call.method, "/dev/phones/"+path+call.path, call.body)
				if status != 400 || answer["error"] != "invalid_address" {
					t.Errorf("%s %s: %d, %v", call.method, path, status, answer)
				}
			}
		}
	})
}
