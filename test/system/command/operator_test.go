package command_test

import (
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// The pages of both services name their operator.
func TestDev_NamesItsOperator(t *testing.T) {
	t.Parallel()
	named := systemtest.StartDevWith(t, systemtest.Binary, t.TempDir(), append(systemtest.Environ(), "GRIOT_OPERATOR_NAME=Kalabash SARL", "GRIOT_OPERATOR_CONTACT=https://kalabash.example/aide", "GRIOT_OPERATOR_SINCE=2026-03-01"), "--phones", "memory")
	plain := systemtest.StartDev(t, t.TempDir(), "--phones", "memory")
	for _, path := range []string{"/terms", "/privacy"} {
		for _, url := range []string{named.AuthURL, named.BaseURL} {
			for _, want := range []string{"Kalabash SARL", `href="https://kalabash.example/aide"`, `datetime="2026-03-01"`} {
				if r := named.Call("GET", url+path, ""); r.Status != 200 || !strings.Contains(r.Raw, want) {
					t.Errorf("%s%s: got %d, want %s in %s", url, path, r.Status, want, r.Raw)
				}
			}
		}
		for _, url := range []string{plain.AuthURL, plain.BaseURL} {
			if r := plain.Call("GET", url+path, ""); r.Status != 200 || !strings.Contains(r.Raw, "griot dev") || !strings.Contains(r.Raw, "operator@example.com") {
				t.Errorf("%s%s without settings: got %d %s", url, path, r.Status, r.Raw)
			}
		}
	}
}
