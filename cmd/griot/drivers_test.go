package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/internal/clock"
	messagingadmin "example.com/griot/messaging/admin"
)

// Each field of a form is a setting of the driver, with the type that the driver accepts.
func TestDrivers_TakeWhatFormsAskFor(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../messaging/admin/gateway_forms.json")
	if err != nil {
		t.Fatal(err)
	}
	var forms map[string][]messagingadmin.GatewaySetting
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
