package clients_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/internal/waittest"
	"example.com/griot/test/system/systemtest"
)

// A command-line program signs people in with AppAuth-JS, whose state has 10 characters, in a LIVE client that has no
// secret and whose redirect address works with every port.
func TestRelyingParties_AppAuth(t *testing.T) {
	systemtest.OnlyLong(t)
	t.Parallel()
	issuer := startPartyIssuer(t)
	client := issuer.client("PUBLIC", "LIVE", "http://127.0.0.1/callback")
	systemtest.RunJSON[authverbs.Client](issuer.operator, "clients", "connect", client.ClientID, "--any-loopback-port")
	subs := map[string]string{}
	for _, number := range []string{"22376000001", "22376000002", "22376000001"} {
		sub := signInWithAppAuth(t, issuer, client.ClientID, issuer.phone(t, number))
		if before := subs[number]; before != "" && before != sub {
			t.Errorf("the same person is %s and %s", before, sub)
		}
		subs[number] = sub
	}
	if subs["22376000001"] == subs["22376000002"] {
		t.Errorf("two people have one sub: %v", subs)
	}
}

// signInWithAppAuth runs the program once, in a new browser and at a new port, and returns the sub of the person.
func signInWithAppAuth(t *testing.T, issuer *partyIssuer, clientID string, login partyLogin) string {
	t.Helper()
	dir := t.TempDir()
	systemtest.WriteFile(t, filepath.Join(dir, "xdg-open"), "#!/bin/sh\nprintf %s \"$1\" >\""+dir+"/new\"\nmv \""+dir+"/new\" \""+dir+"/opened\"\n") // the browser
	if err := os.Chmod(filepath.Join(dir, "xdg-open"), 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), npmTime)
	defer cancel()
	cmd := exec.CommandContext(ctx, "node", filepath.Join(filepath.Dir(partyModules(t)), "appauth.mjs"))
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.Env = append(systemtest.Environ(), append(issuer.variables(), "ISSUER="+issuer.url, "CLIENT_ID="+clientID,
		"REDIRECT_URI=http://"+systemtest.FreeAddress(t)+"/callback", "PATH="+dir+":"+os.Getenv("PATH"))...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var authorize []byte
	waittest.Until(t, func() (err error) {
		authorize, err = os.ReadFile(filepath.Join(dir, "opened"))
		return err
	})
	who := issuer.person(t)
	back := login(who, string(authorize))
	if state := back.Query().Get("state"); len(state) != 10 {
		t.Errorf("the state has %d characters, want the 10 of AppAuth-JS", len(state))
	}
	if status, body, _ := who.Get(back.String()); status != 200 {
		t.Fatalf("the program answers %d %s", status, body)
	}
	var person struct{ Sub, Name string }
	if err := cmd.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, &stderr)
	}
	lines := strings.Split(strings.TrimSpace(stdout.String()), "\n") // the library writes before
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &person); err != nil || len(person.Sub) != 26 || person.Name != "Awa" {
		t.Fatalf("the program prints %s%s, want the claims of Awa", &stdout, &stderr)
	}
	return person.Sub
}
