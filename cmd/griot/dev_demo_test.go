package main

import (
	"bytes"
	"strings"
	"testing"

	"example.com/griot/cmd/griot/devfile"
)

// The first screen fits on a small terminal, starts with the two things to do first, and shows no secret.
func TestBanner(t *testing.T) {
	t.Parallel()
	s := &devfile.State{BaseURL: "http://127.0.0.1:8080", AuthURL: "http://127.0.0.1:8081", GatewaySecret: "s3cret-gateway", Tenant: devfile.Tenant{InvitationKey: "s3cret-invitation"}}
	s.Accounts.Business = devfile.Account{LiveKey: "svc_live_s3cret", WebhookSecret: "whsec_s3cret"}
	s.Accounts.Showcase.Email = "showcase@griot.example"
	s.Clients.LiveConfidential.ClientSecret = "cs_s3cret"
	var out bytes.Buffer
	if err := banner(&out, s, "griot", "my data", nil, ""); err != nil {
		t.Fatal(err)
	}
	screen := out.String()
	if n := strings.Count(screen, "\n"); n > 15 {
		t.Errorf("%d lines, want at most 15:\n%s", n, screen)
	}
	if strings.Contains(screen, "s3cret") {
		t.Errorf("the screen shows a secret:\n%s", screen)
	}
	rest := screen
	for _, want := range []string{"/dev/demo", ". 'my data/dev.env'", "curl $GRIOT_API_URL/api/send", "/dev/phones", "8080/dashboard as showcase@griot.example", "8081/dashboard with an ID and a key from my data/dev.json", "griot admin open --data 'my data'", "/docs"} {
		_, after, found := strings.Cut(rest, want)
		if !found {
			t.Fatalf("%q is missing or out of order:\n%s", want, screen)
		}
		rest = after
	}
}

func TestProgramName(t *testing.T) {
	t.Parallel()
	for arg, want := range map[string]string{
		"griot": "griot", "bin/griot": "bin/griot", "/opt/my tools/griot": "'/opt/my tools/griot'", "/tmp/it's": `'/tmp/it'\''s'`, "": "''",
		"/tmp/go-build123/b001/exe/griot": "go run ./cmd/griot",
	} {
		if got := programName(arg); got != want {
			t.Errorf("%q: got %s, want %s", arg, got, want)
		}
	}
}
