package main

import (
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

// How long a state may be is set in the file of serve, and in the environment of dev.
func TestStateMax(t *testing.T) {
	s := startServeWith(t, "sqlite:"+filepath.Join(t.TempDir(), "griot.db"), "  state_max: 435\n")
	doc, err := call("GET", s.auth+"/openapi.yaml", "")
	if err != nil || !strings.Contains(doc.raw, "maxLength: 435") {
		t.Errorf("serve: /openapi.yaml does not say 435 characters (%v)", err)
	}
	p := start(t, binary, t.TempDir(), append(environ(), "GRIOT_AUTH_STATE_MAX=435"))
	c := p.Clients.TestConfidential
	for n, want := range map[int]int{435: http.StatusSeeOther, 436: http.StatusBadRequest} {
		q := url.Values{"client_id": {c.ClientID}, "redirect_uri": {c.RedirectURI}, "state": {strings.Repeat("s", n)}}
		if got := p.call("GET", p.AuthURL+"/authorize?"+q.Encode(), ""); got.status != want {
			t.Errorf("dev: a state of %d characters: %d %s, want %d", n, got.status, got.raw, want)
		}
	}
}
