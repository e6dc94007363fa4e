package api_test

import (
	"fmt"
	"strings"
	"testing"

	"example.com/griot/auth/tenant"
	"example.com/griot/internal/db"
	"example.com/griot/internal/db/dbtest"
)

// No table contains a credential in plain text: codes, cookies, secrets, and keys are stored as hashes, and tokens and
// verifiers not at all.
// Rules: L38, L60, L160, L179.
func TestSecrets_AreInNoTable(t *testing.T) {
	url := dbtest.PostgresURL(t)
	d, err := db.Open(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	if _, err := d.Migrate(t.Context()); err != nil {
		t.Fatal(err)
	}
	s := newService(t, d)
	secrets := map[string]string{"the verifier": verifier}
	a := s.app(tenant.Confidential, tenant.Test)
	b, handedBack := s.provedLogin(a, "22300000001")
	secrets["a code that was handed back"] = b.code(handedBack)
	for i, token := range strings.Split(b.cookie, ".") {
		secrets[fmt.Sprint("cookie of login ", i)] = token
	}
	secrets["a token"], secrets["a code that was exchanged"] = s.signedIn(a)
	people := s.dashboard(s.Tenant)
	made := people.createClient(goodClient)
	rotated := people.send("POST", "/manage/clients/"+text(t, made, "id")+"/rotate", "").json(t)
	secrets["a client's secret"], secrets["its next secret"] = text(t, made, "clientSecret"), text(t, rotated, "clientSecret")
	secrets["the invitation key"], secrets["the dashboard's cookie"] = people.key, people.cookie

	dump := dbtest.Dump(t, url)
	for _, stored := range []string{handedBack, a.ClientID, text(t, made, "id"), "PRIMARY KEY"} {
		if !strings.Contains(dump, stored) {
			t.Fatalf("the dump does not hold %s: this test shows nothing", stored)
		}
	}
	for what, secret := range secrets {
		if len(secret) < 20 {
			t.Errorf("%s is %q: that is none", what, secret)
		}
		if strings.Contains(dump, secret) {
			t.Errorf("%s is stored as it is", what)
		}
	}
}
