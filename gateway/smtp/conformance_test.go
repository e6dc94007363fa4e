package smtp

import (
	"testing"

	"example.com/griot/gateway"
	"example.com/griot/gateway/gatewaytest"
)

func TestConformance(t *testing.T) {
	gatewaytest.Exercise(t, func(t *testing.T) gatewaytest.Subject {
		r := newRelay(t, nil, false)
		env := gatewaytest.NewEnvironment()
		s, err := Open(r.settings(map[string]any{"username": testUser, "password": testPassword}), env.Deps())
		if err != nil {
			t.Fatal(err)
		}
		script := func(mode string) func() { return func() { r.setMode(mode) } }
		hang := func(mode string) func() gatewaytest.Hang {
			return func() gatewaytest.Hang { return r.hangAt(mode) }
		}
		return gatewaytest.Subject{
			Environment: env, Sender: s, Channel: gateway.Email,
			From: "griot@example.org", To: []string{"aissata@example.org", "moussa@exemple.ml", "awa+amis@example.net"},
			Secrets: []string{testUser, testPassword},
			Provider: gatewaytest.Provider{
				Accept: script(""), Refuse: script("refuse"), RefuseForNow: script("refuse for now"),
				RefuseRecipient: script("refuse recipient"), RefuseLogin: script("refuse login"),
				DropBefore: script("drop before"), DropAfter: script("drop after"),
				HangBefore: hang("hang before"), HangAfter: hang("hang after"),
				Received: r.allReceived,
			},
		}
	})
}
