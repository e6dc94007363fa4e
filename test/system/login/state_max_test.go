package login_test

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"example.com/griot/test/system/systemtest"
)

// The maximum length of state is set in the file of serve, and in the environment of dev.
// Rules: L20.
func TestStateMax(t *testing.T) {
	s := systemtest.StartServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "  state_max: 435\n")
	doc, err := systemtest.Call("GET", s.Auth+"/openapi.yaml", "")
	if err != nil || !strings.Contains(doc.Raw, "must have 16 to 435 characters") {
		t.Errorf("serve: /openapi.yaml does not say 435 characters (%v)", err)
	}
	p := systemtest.StartDevWith(t, systemtest.Binary, t.TempDir(), append(systemtest.Environ(), "GRIOT_AUTH_STATE_MAX=435"))
	c := p.Clients.TestConfidential
	for n, want := range map[int]int{435: http.StatusSeeOther, 436: http.StatusBadRequest} {
		q := url.Values{"client_id": {c.ClientID}, "redirect_uri": {c.RedirectURI}, "state": {strings.Repeat("s", n)}}
		if got := p.Call("GET", p.AuthURL+"/authorize?"+q.Encode(), ""); got.Status != want {
			t.Errorf("dev: a state of %d characters: %d %s, want %d", n, got.Status, got.Raw, want)
		}
	}
}
