package protocol_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"example.com/griot/griot-whatsapp/protocol"
)

var key = protocol.Key{ID: "k1", Secret: "a-secret-of-at-least-32-characters"}

// The vectors are those of docs/gateway-protocol.md.
func TestSign_HasTheVectors(t *testing.T) {
	for _, tt := range []struct {
		method, target, body, want string
		at                         int64
	}{
		{"GET", "/info", "", "8b41724b9f43d937d5465d3d411010d8020bf4d3f830cc4bef1858f4d12a9cc5", 1763640000},
		{"GET", "/groups?from=22376543210", "", "1fd8ef8b49d0a9c06758d78a8c4cced6889b906a28cec7772d33c2a6e7a32a8c", 1763640001},
		{
			"POST", "/events", `{"type":"receipt","receipt":{"reference":"msg_01K9ZZZZZZZZZZZZZZZZZZZZZZ","status":"delivered","at":"2026-11-20T12:00:03Z"}}` + "\n",
			"2a1f8d54da1e29ac84134fadfb1aa32c21bce274602fa997e6d45c0470f4150f", 1763640003,
		},
	} {
		r := httptest.NewRequest(tt.method, tt.target, strings.NewReader(tt.body))
		at := time.Unix(tt.at, 0)
		key.Sign(r, tt.target, []byte(tt.body), at)
		if got := r.Header.Get("Griot-Signature"); got != tt.want {
			t.Errorf("%s %s: %s, want %s", tt.method, tt.target, got, tt.want)
		}
		if k, err := protocol.Known([]protocol.Key{{ID: "other"}, key}, r.Header, at); err != nil || k != key {
			t.Errorf("the key is %v, %v, want %v", k, err, key)
		}
		if err := key.Verify(r, []byte(tt.body)); err != nil {
			t.Errorf("%s %s: %v, want nil", tt.method, tt.target, err)
		}
	}
}

func TestVerify_Refuses(t *testing.T) {
	now := time.Unix(1763640000, 0)
	for name, change := range map[string]func(r *http.Request){
		"no signature":    func(r *http.Request) { r.Header.Del("Griot-Signature") },
		"two keys":        func(r *http.Request) { r.Header.Add("Griot-Key", "k1") },
		"another key":     func(r *http.Request) { r.Header.Set("Griot-Key", "k2") },
		"an old time":     func(r *http.Request) { key.Sign(r, "/send", []byte("x"), now.Add(-301*time.Second)) },
		"another time":    func(r *http.Request) { r.Header.Set("Griot-Timestamp", "1763640001") },
		"another target":  func(r *http.Request) { r.RequestURI = "/info" },
		"another secret":  func(r *http.Request) { protocol.Key{ID: "k1", Secret: "another"}.Sign(r, "/send", []byte("x"), now) },
		"no hexadecimals": func(r *http.Request) { r.Header.Set("Griot-Signature", "no") },
	} {
		r := httptest.NewRequest(http.MethodPost, "/send", nil)
		key.Sign(r, "/send", []byte("x"), now)
		change(r)
		k, err := protocol.Known([]protocol.Key{key}, r.Header, now)
		if err == nil {
			err = k.Verify(r, []byte("x"))
		}
		if err == nil {
			t.Errorf("%s was taken", name)
		}
	}
}
