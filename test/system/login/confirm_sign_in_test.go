package login_test

import (
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// The setting to reply to a login's message reaches the service, whose own terms say what it sends.
func TestServe_ConfirmsSignIns(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]bool{"": false, "  confirm_sign_in: true\n": true} {
		s := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), setting)
		terms, err := systemtest.Call("GET", s.Auth+"/terms", "", "Accept-Language: en")
		if err != nil || strings.Contains(terms.Raw, "it only answers your message") != want {
			t.Errorf("%q: the terms speak of a reply: %v, want %v (%v)", setting, !want, want, err)
		}
	}
}
