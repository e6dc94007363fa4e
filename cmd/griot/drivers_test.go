package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	messagingverbs "example.com/griot/messaging/verbs"
)

// Each field of a form is a setting of the driver, with the type that the driver accepts.
func TestDrivers_TakeWhatFormsAskFor(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../messaging/verbs/gateway_forms.json")
	if err != nil {
		t.Fatal(err)
	}
	var forms map[string][]messagingverbs.GatewaySetting
	if err := json.Unmarshal(text, &forms); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for name, settings := range forms {
		kind, preset, _ := strings.Cut(name, ".")
		known[kind] = true
		for _, s := range settings {
			value := map[string]any{"number": 1, "off": true, "on": false, "list": []string{"sms"}}[s.Type]
			if value == nil {
				value = "x"
			}
			if len(s.OneOf) > 0 {
				value = s.OneOf[0]
			}
			path := strings.Split(s.Name, ".")
			for i := len(path) - 1; i > 0; i-- {
				if path[i] == "0" {
					value = []any{value}
				} else {
					value = map[string]any{path[i]: value}
				}
			}
			in := map[string]any{path[0]: value}
			if preset != "" {
				in["preset"] = preset
			}
			raw, err := json.Marshal(in)
			if err != nil {
				t.Fatal(err)
			}
			g, err := drivers().Open(kind, raw, gateway.Deps{Now: clock.System})
			if err == nil {
				_ = g.Close()
			} else if wrong := err.Error(); strings.Contains(wrong, "no setting") || strings.Contains(wrong, "wrong type") || strings.Contains(wrong, "no driver") || strings.Contains(wrong, "preset: there") {
				t.Errorf("%s: %s: %v", name, s.Name, err)
			}
		}
	}
	for _, kind := range drivers().Kinds() {
		if !known[kind] {
			t.Errorf("%s has no form", kind)
		}
	}
}

// A gateway whose received messages don't reach Griot says so, because its list of opt-outs would lock people out: their
// START doesn't arrive.
func TestDrivers_SendOnly(t *testing.T) {
	t.Parallel()
	const (
		token   = `"0123456789abcdef0123456789abcdef"`
		kannel  = `"preset":"kannel","url":"http://127.0.0.1:1","values":{"username":{"value":"u"},"password":{"value":"p"}}`
		account = `"account_sid":"AC0123456789abcdef0123456789abcdef","auth_token":` + token
		android = `"url":"http://127.0.0.1:1","username":"u","password":"p","sims":[{"number":"22370000001"}]`
		meta    = `"access_token":"t","phone_numbers":[{"id":"1","number":"22370000001"}]`
	)
	for _, tt := range []struct {
		kind, settings string
		want           bool
	}{
		{"httpsms", kannel, true},
		{"httpsms", kannel + `,"callback_url":"https://api.example.com/gateways/x","receipts":{"auth":{"kind":"token","token":` + token + `,"query":"token"}}`, true},
		{"httpsms", kannel + `,"inbound":{"auth":{"kind":"token","token":` + token + `,"query":"token"}}`, false},
		{"twilio", account, true},
		{"twilio", account + `,"webhook_url":"https://api.example.com/gateways/x"`, false},
		{"smsgate", android, true},
		{"smsgate", android + `,"signing_key":` + token, false},
		{"cloudapi", meta, true},
		{"cloudapi", meta + `,"app_secret":"s","verify_token":"v"`, false},
		{"smpp", `"host":"127.0.0.1","tls":"none","system_id":"u","password":"p"`, false},
		{"remote", `"url":"http://127.0.0.1:1","channels":["sms"],"keys":[{"id":"k1","secret":` + token + `}]`, false},
	} {
		g, err := drivers().Open(tt.kind, json.RawMessage("{"+tt.settings+"}"), gateway.Deps{Now: clock.System})
		if err != nil {
			t.Errorf("%s %s: %v", tt.kind, tt.settings, err)
			continue
		}
		if got := g.Info().SendOnly; got != tt.want {
			t.Errorf("%s %s: only sends: %v, want %v", tt.kind, tt.settings, got, tt.want)
		}
		_ = g.Close()
	}
}
