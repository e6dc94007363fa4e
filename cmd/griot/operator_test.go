package main

import (
	"strings"
	"testing"
)

// The pages of both services name who runs them.
func TestDev_NamesItsOperator(t *testing.T) {
	t.Parallel()
	named := start(t, binary, t.TempDir(), append(environ(), "GRIOT_OPERATOR_NAME=Kalabash SARL", "GRIOT_OPERATOR_CONTACT=https://kalabash.example/aide", "GRIOT_OPERATOR_SINCE=2026-03-01"), "--phones", "memory")
	plain := startDev(t, t.TempDir(), "--phones", "memory")
	for _, path := range []string{"/terms", "/privacy"} {
		for _, url := range []string{named.AuthURL, named.BaseURL} {
			for _, want := range []string{"Kalabash SARL", `href="https://kalabash.example/aide"`, `datetime="2026-03-01"`} {
				if r := named.call("GET", url+path, ""); r.status != 200 || !strings.Contains(r.raw, want) {
					t.Errorf("%s%s: got %d, want %s in %s", url, path, r.status, want, r.raw)
				}
			}
		}
		for _, url := range []string{plain.AuthURL, plain.BaseURL} {
			if r := plain.call("GET", url+path, ""); r.status != 200 || !strings.Contains(r.raw, "griot dev") || !strings.Contains(r.raw, "operator@example.com") {
				t.Errorf("%s%s without settings: got %d %s", url, path, r.status, r.raw)
			}
		}
	}
}
