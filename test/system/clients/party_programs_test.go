package clients_test

import (
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	authverbs "example.com/griot/auth/verbs"
	"example.com/griot/test/system/systemtest"
)

// buildParty builds a program in Go that a module in test/relyingparties pins, and returns its file. variables are
// additional environment variables.
func buildParty(t *testing.T, module, program string, variables ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), filepath.Base(program))
	build := exec.CommandContext(t.Context(), "go", "build", "-o", file, program)
	build.Dir, build.Env = filepath.Join(systemtest.Root, "test/relyingparties", module), append(os.Environ(), variables...)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return file
}

// site creates a client for a program that listens on an address, with a path as its redirect address.
func (i *partyIssuer) site(kind, listens, callback string) *partySite {
	return &partySite{partyWebsite: &partyWebsite{}, listens: listens, issuer: i, client: i.client(kind, "LIVE", "http://"+listens+callback)}
}

// connect changes the client's settings for OpenID Connect.
func (s *partySite) connect(flags ...string) {
	systemtest.RunJSON[authverbs.Client](s.issuer.operator, append([]string{"clients", "connect", s.client.ClientID}, flags...)...)
}

// tellsPeopleApart checks that two people, who have the same name, have different accounts in a program, and that a
// person has the same account again. account signs a person in with a new browser, and returns the account.
func (i *partyIssuer) tellsPeopleApart(t *testing.T, account func(login partyLogin) string) {
	t.Helper()
	awa, namesake := i.phone(t, "22376000001"), i.phone(t, "22376000002")
	first, other, again := account(awa), account(namesake), account(awa)
	if first == "" || other == "" || first == other || first != again {
		t.Errorf("a person has the account %q, another one %q, and the first one later %q", first, other, again)
	}
}

// authorizes opens a page of the program, and returns the Griot URL to which it redirects.
func (s *partySite) authorizes(t *testing.T, who *systemtest.Person, address string) *url.URL {
	t.Helper()
	got := s.browse(t, who, address)
	if got.authorize == nil {
		t.Fatalf("%s answers %d and leads to no login\n%s", address, got.status, got.body)
	}
	return got.authorize
}
