package token_test

import (
	"strings"
	"testing"
	"time"

	"example.com/griot/internal/db/dbtest"
)

func TestKeys(t *testing.T) {
	n := newNodes(t, dbtest.SQLite(t))
	s := n.node()
	statuses := func() string {
		t.Helper()
		keys, err := s.Keys(t.Context())
		if err != nil || len(keys) != len(s.JWKS().Keys) {
			t.Fatalf("%d keys, %d published: %v", len(keys), len(s.JWKS().Keys), err)
		}
		var out []string
		for _, k := range keys {
			out = append(out, string(k.Status))
		}
		return strings.Join(out, " ")
	}
	check := func(want string) {
		t.Helper()
		if got := statuses(); got != want {
			t.Errorf("keys are %s, want %s", got, want)
		}
	}
	check("active")
	next, err := s.Rotate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	check("active next")
	n.Clock.Advance(next.SignsAt().Sub(n.Clock.Now()))
	n.maintain(s)
	check("active previous")
	n.Clock.Advance(24 * time.Hour)
	if keys, err := s.Keys(t.Context()); err != nil || len(keys) != 1 { // although its new status is not written yet
		t.Errorf("%+v, %v; want one key", keys, err)
	}
	n.maintain(s)
	check("active")
}
