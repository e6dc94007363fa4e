package person_test

import (
	"strings"
	"testing"

	"example.com/griot/internal/db/dbtest"
	"example.com/griot/internal/phone"
	"example.com/griot/internal/seal"
	"example.com/griot/messaging/message"
	"example.com/griot/messaging/person"
)

func key(t *testing.T) *person.Key {
	t.Helper()
	master, err := seal.ParseKey(seal.NewMasterKey())
	if err != nil {
		t.Fatal(err)
	}
	return person.NewKey(master)
}

func TestPerson_HasItsAddressHoweverItIsWritten(t *testing.T) {
	t.Parallel()
	q := dbtest.SQLite(t).Read(t.Context())
	k := key(t)
	for address, others := range map[string]map[string]bool{
		"22376000001":     {"22376000001": true, "+22376000001": true, "22376000002": false, "": false, "awa@example.com": false},
		"Awa@example.com": {"awa@EXAMPLE.com": true, "awa@example.org": false, "22376000001": false},
	} {
		p, err := k.New(q, "a", address)
		if err != nil {
			t.Fatal(err)
		}
		for other, want := range others {
			if p.Has(other) != want {
				t.Errorf("%s has %q: %v, want %v", address, other, !want, want)
			}
		}
	}
}

func TestPseudonym_IsNoAddressAndShowsNothing(t *testing.T) {
	t.Parallel()
	k := key(t)
	one := k.Pseudonym("a", "22376000001")
	_, number := phone.Parse(one)
	if !person.IsPseudonym(one) || number || message.IsEmail(one) || strings.Contains(one, "2376") || phone.Shown(one) != one {
		t.Errorf("%q", one)
	}
	if again := k.Pseudonym("a", "22376000001"); again != one {
		t.Errorf("got %s, want %s", again, one)
	}
	if k.Pseudonym("a", "Awa@example.com") != k.Pseudonym("a", "awa@example.com") {
		t.Error("the case of an address makes two persons")
	}
	for what, other := range map[string]string{"another account": k.Pseudonym("b", "22376000001"), "another number": k.Pseudonym("a", "22376000002"), "another key": key(t).Pseudonym("a", "22376000001")} {
		if other == one {
			t.Errorf("%s has the same pseudonym", what)
		}
	}
}
